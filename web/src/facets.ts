// Solids with flat and round faces: normals are smooth across shallow edges, and sharp edges get a line.

import { ShapeUtils, Vector2, Vector3 } from "three";
import { around, flattened, perpendicular, type Solid } from "./solid";

const SHARP = Math.cos((35 * Math.PI) / 180); // cosine of the least angle between two faces with an edge between them

type Point = number[];

/** Closed or open surfaces from polygons that share corners; those of a flexible body have the numbers `known` of theirs. */
export function facets(solid: Solid, polygons: Point[][], known: number[][] | null = null): void {
  const size = known ? 1 : Math.max(...polygons.flat().map((p) => Math.max(...p.map(Math.abs))), 1e-12), numbers = new Map<string, number>();
  const number = (p: Point) => {
    const key = p.map((x) => Math.round((1e5 * x) / size)).join();
    const found = numbers.get(key) ?? numbers.size;
    numbers.set(key, found);
    return found;
  };
  const faces = polygons.filter((points) => points.length > 2).map((points, k) => {
    const { normal, flat } = flattened(points);
    return { points, flat, normal, at: known ? known[k] : points.map(number) };
  });
  const sharing = new Map<number, number[]>(), sides = new Map<string, number[]>(); // faces by corner, and by side
  faces.forEach((face, f) => face.at.forEach((a, k) => {
    const b = face.at[(k + 1) % face.at.length];
    put(sharing, a, f);
    put(sides, a < b ? `${a} ${b}` : `${b} ${a}`, f);
  }));
  const alike = (f: number, g: number) => dot(faces[f].normal, faces[g].normal) > SHARP;
  const sharp = (a: number, b: number) => {
    const both = sides.get(a < b ? `${a} ${b}` : `${b} ${a}`) ?? [];
    return both.length !== 2 || !alike(both[0], both[1]);
  };
  faces.forEach((face, f) => {
    const normals = face.at.map((a) => unit(sharing.get(a)!.filter((g) => alike(f, g)).reduce((sum, g) => sum.add(new Vector3(...faces[g].normal)), new Vector3())));
    const count = face.points.length, line = (i: number, j: number) => (Math.abs(i - j) === 1 || Math.abs(i - j) === count - 1) && sharp(face.at[i], face.at[j]);
    for (const corners of count === 3 ? [[0, 1, 2]] : ShapeUtils.triangulateShape(face.flat, [])) lined(solid, corners.map((k) => face.points[k]), corners.map((k) => normals[k]), [0, 1, 2].map((k) => line(corners[(k + 1) % 3], corners[(k + 2) % 3])), known && corners.map((k) => face.at[k]));
  });
}

/** A polygon made thick along its normal, with holes through it. */
export function prism(solid: Solid, points: Point[], thickness: number, holes: Point[][] = []): void {
  const { normal } = flattened(points), lifted = (p: Point, side: number) => p.map((x, k) => x + 0.5 * side * thickness * normal[k]);
  const frame = perpendicular(new Vector3(...normal), null), other = new Vector3(...normal).cross(frame);
  const flat = (p: Point) => new Vector2(frame.x * p[0] + frame.y * p[1] + frame.z * p[2], other.x * p[0] + other.y * p[1] + other.z * p[2]);
  const all = [points, ...holes].flat(), ends = [points, ...holes].map((line) => line.length), starts = ends.map((_, k) => ends.slice(0, k).reduce((a, b) => a + b, 0));
  const follows = (i: number, j: number) => starts.some((start, k) => {
    const a = i - start, b = j - start, n = ends[k];
    return a >= 0 && b >= 0 && a < n && b < n && (Math.abs(a - b) === 1 || Math.abs(a - b) === n - 1);
  });
  const triangles = ShapeUtils.triangulateShape(points.map(flat), holes.map((hole) => hole.map(flat)));
  for (const side of [1, -1]) {
    const n = normal.map((x) => side * x);
    for (const c of triangles) lined(solid, c.map((k) => lifted(all[k], side)), [n, n, n], [0, 1, 2].map((k) => follows(c[(k + 1) % 3], c[(k + 2) % 3])));
  }
  for (const line of [points, ...holes]) wall(solid, line.map((p) => lifted(p, -1)), line.map((p) => lifted(p, 1)), normal);
}

/** The side of a prism between two closed lines; lines along sharp corners and both rims. */
function wall(solid: Solid, low: Point[], high: Point[], normal: Point): void {
  const count = low.length, axis = new Vector3(...normal);
  const out = low.map((a, k) => {
    const b = low[(k + 1) % count];
    return new Vector3(b[0] - a[0], b[1] - a[1], b[2] - a[2]).cross(axis).normalize();
  });
  const smooth = (k: number) => out[k].dot(out[(k - 1 + count) % count]) > SHARP; // at corner k, between its two sides
  const at = (k: number, side: number) => (smooth(k) ? unit(out[k].clone().add(out[(k - 1 + count) % count])) : out[side].toArray());
  for (let k = 0; k < count; k++) {
    const j = (k + 1) % count, [na, nb] = [at(k, k), at(j, k)];
    lined(solid, [low[k], low[j], high[j]], [na, nb, nb], [!smooth(j), false, true]);
    lined(solid, [low[k], high[j], high[k]], [na, nb, na], [true, !smooth(k), false]);
  }
}

/** A surface of revolution from `center` about `axis`: `profile` lists distances along the axis and radii. Round where the profile is. */
export function lathe(solid: Solid, center: Point, axis: Point, profile: [number, number][], most = 32): void {
  const corners = solid.round(Math.max(...profile.map(([, r]) => r)), most);
  const way = new Vector3(...axis).normalize(), x = perpendicular(way, null), y = way.clone().cross(x), turn = around(corners);
  const slope = profile.slice(1).map(([h, r], k) => new Vector2(r - profile[k][1], -(h - profile[k][0])).normalize()); // outward normal: along, away
  const place = ([h, r]: [number, number], [c, s]: [number, number]) => [0, 1, 2].map((k) => center[k] + h * way.getComponent(k) + r * (c * x.getComponent(k) + s * y.getComponent(k)));
  const normal = (n: Vector2, [c, s]: [number, number]) => [0, 1, 2].map((k) => -n.x * way.getComponent(k) - n.y * (c * x.getComponent(k) + s * y.getComponent(k)));
  const bent = (k: number) => k > 0 && k < slope.length && slope[k].dot(slope[k - 1]) < SHARP; // at point k of the profile
  for (let k = 0; k < slope.length; k++) {
    const blend = (m: number) => (m === 0 || m === slope.length || bent(m) ? slope[k] : slope[m].clone().add(slope[m - 1]).normalize());
    const [low, high] = [blend(k), blend(k + 1)];
    for (let i = 0; i < corners; i++) {
      const [a, b] = [turn[i], turn[(i + 1) % corners]], [p, q] = [profile[k], profile[k + 1]];
      const corner = [place(p, a), place(p, b), place(q, b), place(q, a)], n = [normal(low, a), normal(low, b), normal(high, b), normal(high, a)];
      if (p[1] > 0) lined(solid, [corner[0], corner[1], corner[2]], [n[0], n[1], n[2]], [false, false, bent(k)]);
      if (q[1] > 0) lined(solid, [corner[0], corner[2], corner[3]], [n[0], n[2], n[3]], [bent(k + 1), false, false]);
    }
  }
}

/** A box about `center` with the half sizes `half` along three axes. */
export function box(solid: Solid, center: Point, axes: Vector3[], half: Point): void {
  const at = (u: number, v: number, w: number) => [0, 1, 2].map((k) => center[k] + u * half[0] * axes[0].getComponent(k) + v * half[1] * axes[1].getComponent(k) + w * half[2] * axes[2].getComponent(k));
  const s = [-1, 1];
  facets(solid, [
    ...s.map((u) => [at(u, -1, -1), at(u, 1, -1), at(u, 1, 1), at(u, -1, 1)]),
    ...s.map((v) => [at(-1, v, -1), at(1, v, -1), at(1, v, 1), at(-1, v, 1)]),
    ...s.map((w) => [at(-1, -1, w), at(1, -1, w), at(1, 1, w), at(-1, 1, w)]),
  ]);
}

/** One triangle with corners of its own; `lines[k]` draws a line along the side opposite to corner k. */
function lined(solid: Solid, points: Point[], normals: Point[], lines: boolean[], known: number[] | null = null): void {
  const [a, b, c] = points.map((p, k) => (known ? solid.at(known[k]) : solid).corner(p, normals[k], [0, 1, 2].map((side) => (lines[side] && side !== k ? 0 : 1))));
  solid.triangle(a, b, c);
}

function put<K>(map: Map<K, number[]>, key: K, value: number): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

function dot(a: Point, b: Point): number { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

function unit(v: Vector3): Point { return v.normalize().toArray(); }
