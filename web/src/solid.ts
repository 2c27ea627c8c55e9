// Triangles that move with bodies. All shapes of a page are one list of triangles; each corner has the index of its body,
// whose pose the vertex shader reads: a frame is one small texture and one draw call for any number of bodies.

import { BufferAttribute, BufferGeometry, Color, ShapeUtils, Vector2, Vector3 } from "three";

const FEWEST = 6; // corners of a circle
const NO_EDGE = [1, 1, 1];
export const GROUND = [-1, -1, -1];

/** A growing array of numbers without boxing. */
class Numbers<T extends Float32Array | Uint32Array> {
  length = 0;

  constructor(private room: T) {}

  add(...values: number[]): void {
    if (this.length + values.length > this.room.length) {
      const wider = new (this.room.constructor as new (size: number) => T)(2 * this.room.length + values.length);
      wider.set(this.room);
      this.room = wider;
    }
    for (let k = 0; k < values.length; k++) this.room[this.length++] = values[k];
  }

  get filled(): T { return this.room.slice(0, this.length) as T; }
}

export class Solid {
  private readonly places = new Numbers(new Float32Array(4096));
  private readonly normals = new Numbers(new Float32Array(4096));
  private readonly colors = new Numbers(new Float32Array(4096));
  private readonly owners = new Numbers(new Float32Array(4096));
  private readonly edges = new Numbers(new Float32Array(4096));
  private readonly corners = new Numbers(new Uint32Array(4096));
  private body = 0;
  private element = -1;
  private color = [0, 0, 0, 1];
  private point = -1;
  private readonly points = new Numbers(new Float32Array(16)); // of flexible bodies alone: whose modes move a corner

  /** `coarse` is the distance in meters that a round shape may be off: about a fifth of a pixel. */
  constructor(private readonly coarse = 0) {}

  get empty(): boolean { return this.corners.length === 0; }

  /** Set the body, element and color of the following triangles. */
  of(body: number, element: number, color: string, alpha = 1): this {
    const c = new Color(color);
    this.body = body;
    this.element = element;
    this.color = [c.r, c.g, c.b, alpha];
    return this;
  }

  /** Set the point of a flexible body that the following corners move with. */
  at(point: number): this {
    this.point = point;
    return this;
  }

  geometry(): BufferGeometry {
    const made = new BufferGeometry();
    made.setAttribute("position", new BufferAttribute(this.places.filled, 3));
    made.setAttribute("normal", new BufferAttribute(this.normals.filled, 3));
    made.setAttribute("color", new BufferAttribute(this.colors.filled, 4));
    made.setAttribute("owner", new BufferAttribute(this.owners.filled, 2));
    made.setAttribute("edge", new BufferAttribute(this.edges.filled, 3));
    if (this.points.length) made.setAttribute("point", new BufferAttribute(this.points.filled, 1));
    made.setIndex(new BufferAttribute(this.facing(), 1));
    return made;
  }

  /** Corners of the triangles, counterclockwise as seen from where their normals point. */
  private facing(): Uint32Array {
    const corners = this.corners.filled, at = this.places.filled, n = this.normals.filled;
    for (let k = 0; k < corners.length; k += 3) {
      const a = 3 * corners[k], b = 3 * corners[k + 1], c = 3 * corners[k + 2];
      const [ux, uy, uz, vx, vy, vz] = [at[b] - at[a], at[b + 1] - at[a + 1], at[b + 2] - at[a + 2], at[c] - at[a], at[c + 1] - at[a + 1], at[c + 2] - at[a + 2]];
      const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
      if (x * (n[a] + n[b] + n[c]) + y * (n[a + 1] + n[b + 1] + n[c + 1]) + z * (n[a + 2] + n[b + 2] + n[c + 2]) < 0) [corners[k + 1], corners[k + 2]] = [corners[k + 2], corners[k + 1]];
    }
    return corners;
  }

  /** The corners of the boxes around the triangles of each row, in the frame of the row. */
  boxes(): Map<number, number[][]> {
    const ends = new Map<number, number[]>(), places = this.places.filled, owners = this.owners.filled;
    for (let k = 0; k < owners.length / 2; k++) {
      const box = ends.get(owners[2 * k]) ?? [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
      for (let j = 0; j < 3; j++) {
        box[j] = Math.min(box[j], places[3 * k + j]);
        box[3 + j] = Math.max(box[3 + j], places[3 * k + j]);
      }
      ends.set(owners[2 * k], box);
    }
    const corner = (box: number[], k: number) => [0, 1, 2].map((j) => box[(k >> j) & 1 ? 3 + j : j]);
    return new Map([...ends].map(([row, box]) => [row, Array.from({ length: 8 }, (_, k) => corner(box, k))]));
  }

  /** A corner with its normal. `edge` has the distances from the three sides of its triangle, as shares of the height; 1 for
   * all corners of a triangle means that no line is drawn along that side, `GROUND` that the triangle is part of the ground. */
  corner(p: ArrayLike<number>, n: ArrayLike<number>, edge: ArrayLike<number> = NO_EDGE): number {
    const [r, g, b, alpha] = this.color;
    this.places.add(p[0], p[1], p[2]);
    this.normals.add(n[0], n[1], n[2]);
    this.colors.add(r, g, b, alpha);
    this.owners.add(this.body, this.element);
    this.edges.add(edge[0], edge[1], edge[2]);
    if (this.point >= 0) this.points.add(this.point);
    return this.places.length / 3 - 1;
  }

  triangle(a: number, b: number, c: number): void { this.corners.add(a, b, c); }

  /** A flat or nearly flat polygon. */
  polygon(points: number[][], lift = 0, edge: ArrayLike<number> = NO_EDGE): void {
    if (points.length < 3) return;
    const { normal, flat } = flattened(points);
    const first = points.map((p) => this.corner([p[0], p[1], p[2] + lift], normal, edge));
    for (const [a, b, c] of ShapeUtils.triangulateShape(flat, [])) this.triangle(first[a], first[b], first[c]);
  }

  /** A planar line of given `width` at the height `z`. */
  stroke(points: number[][], width: number, z: number, round = true, flexible: number[] = []): void {
    const line = flexible.length ? points : withoutDoubles(points), bend = (k: number) => (flexible.length ? this.at(flexible[k]) : this);
    if (line.length < 2) return void (round && line.length && this.disk(line[0], 0.5 * width, z));
    const closed = line.length > 3 && near(line[0], line[line.length - 1]);
    const sides = line.map((_, k) => miter(line, k, closed));
    const rims = line.map((p, k) => [1, -1].map((s) => bend(k).corner([p[0] + s * 0.5 * width * sides[k][0], p[1] + s * 0.5 * width * sides[k][1], z], [0, 0, 1])));
    for (let k = 0; k + 1 < line.length; k++) {
      this.triangle(rims[k][0], rims[k][1], rims[k + 1][0]);
      this.triangle(rims[k + 1][0], rims[k][1], rims[k + 1][1]);
    }
    if (round && !closed) for (const k of [0, line.length - 1]) bend(k).disk(line[k], 0.5 * width, z);
  }

  disk(center: number[], radius: number, z: number, corners = 20): void {
    const middle = this.corner([center[0], center[1], z], [0, 0, 1]);
    const rim = around(corners).map(([c, s]) => this.corner([center[0] + radius * c, center[1] + radius * s, z], [0, 0, 1]));
    for (let k = 0; k < corners; k++) this.triangle(middle, rim[k], rim[(k + 1) % corners]);
  }

  /** The number of corners of a circle: at most `corners`, fewer where nobody would see them. */
  round(radius: number, corners: number): number {
    const enough = this.coarse < radius ? Math.PI / Math.acos(1 - this.coarse / radius) : 0;
    return Math.min(corners, Math.max(Math.ceil(enough), FEWEST));
  }

  /** A round bar along a spatial line. */
  tube(points: number[][], radius: number, most = 8, caps = true, flexible: number[] = []): void {
    const line = flexible.length ? points : withoutDoubles(points), bend = (k: number) => (flexible.length ? this.at(flexible[k]) : this);
    const corners = this.round(radius, most);
    if (line.length < 2) return void (line.length && caps && this.ball(line[0], radius));
    const closed = line.length > 3 && near(line[0], line[line.length - 1]);
    let across: Vector3 | null = null;
    const rings = line.map((p, k) => {
      const before = line[k > 0 ? k - 1 : closed ? line.length - 2 : 0], after = line[k + 1 < line.length ? k + 1 : closed ? 1 : k];
      const way = new Vector3(after[0] - before[0], after[1] - before[1], after[2] - before[2]).normalize();
      across = perpendicular(way, across);
      const other = way.clone().cross(across);
      return around(corners).map(([c, s]) => {
        const n = across!.clone().multiplyScalar(c).addScaledVector(other, s).toArray();
        return bend(k).corner(p.map((x, j) => x + radius * n[j]), n);
      });
    });
    for (let k = 0; k + 1 < rings.length; k++)
      for (let i = 0; i < corners; i++) {
        const j = (i + 1) % corners;
        this.triangle(rings[k][i], rings[k][j], rings[k + 1][i]);
        this.triangle(rings[k + 1][i], rings[k][j], rings[k + 1][j]);
      }
    if (caps && !closed) for (const k of [0, line.length - 1]) bend(k).ball(line[k], radius, corners);
  }

  /** A cylinder or, with two radii, a cone from a to b, with flat ends. */
  cone(a: number[], b: number[], low: number, high: number, most = 14): void {
    const corners = this.round(Math.max(low, high), most);
    const way = new Vector3(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    const length = way.length();
    if (length === 0) return;
    way.normalize();
    const x = perpendicular(way, null), y = way.clone().cross(x), slope = (low - high) / length;
    const ring = (p: number[], r: number, n: (u: Vector3) => number[]) =>
      around(corners).map(([c, s]) => {
        const u = x.clone().multiplyScalar(c).addScaledVector(y, s);
        return this.corner([p[0] + r * u.x, p[1] + r * u.y, p[2] + r * u.z], n(u));
      });
    const side = (u: Vector3) => u.clone().addScaledVector(way, slope).normalize().toArray();
    const bottom = ring(a, low, side), top = ring(b, high, side);
    for (let k = 0; k < corners; k++) {
      const j = (k + 1) % corners;
      this.triangle(bottom[k], bottom[j], top[k]);
      this.triangle(top[k], bottom[j], top[j]);
    }
    for (const [p, r, sign] of [[a, low, -1], [b, high, 1]] as [number[], number, number][]) {
      if (r === 0) continue;
      const n = way.clone().multiplyScalar(sign).toArray(), middle = this.corner(p, n), rim = ring(p, r, () => n);
      for (let k = 0; k < corners; k++) this.triangle(middle, rim[(k + (sign > 0 ? 0 : 1)) % corners], rim[(k + (sign > 0 ? 1 : 0)) % corners]);
    }
  }

  ball(center: number[], radius: number, most = 12): void {
    const corners = this.round(radius, most);
    const rows = Math.max(4, corners >> 1), rings: number[][] = [];
    for (let r = 0; r <= rows; r++) {
      const tilt = (Math.PI * r) / rows;
      rings.push(around(corners).map(([c, s]) => {
        const n = [Math.sin(tilt) * c, Math.sin(tilt) * s, Math.cos(tilt)];
        return this.corner(center.map((x, k) => x + radius * n[k]), n);
      }));
    }
    for (let r = 0; r < rows; r++)
      for (let k = 0; k < corners; k++) {
        const j = (k + 1) % corners;
        this.triangle(rings[r][k], rings[r + 1][k], rings[r][j]);
        this.triangle(rings[r][j], rings[r + 1][k], rings[r + 1][j]);
      }
  }

}

export function dashes(points: number[][], long: number, gap: number): number[][][] {
  const found: number[][][] = [];
  for (let k = 0; k + 1 < points.length; k++) {
    const a = points[k], b = points[k + 1], length = Math.hypot(...b.map((x, j) => x - a[j]));
    const at = (s: number) => a.map((x, j) => x + (b[j] - x) * Math.min(s / length, 1));
    for (let s = 0; s < length; s += long + gap) found.push([at(s), at(s + long)]);
  }
  return found;
}

export function around(corners: number): [number, number][] {
  return Array.from({ length: corners }, (_, k) => [Math.cos((2 * Math.PI * k) / corners), Math.sin((2 * Math.PI * k) / corners)]);
}

function near(a: number[], b: number[]): boolean { return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) < 1e-9; }

function withoutDoubles(points: number[][]): number[][] { return points.filter((p, k) => k === 0 || !near(p, points[k - 1])); }

/** Half the way across a line at one of its corners, longer where it bends; at most twice. */
function miter(line: number[][], k: number, closed: boolean): [number, number] {
  const last = line.length - 1;
  const before = k > 0 ? k - 1 : closed ? last - 1 : -1, after = k < last ? k + 1 : closed ? 1 : -1;
  const into = before >= 0 ? normal2(line[before], line[k]) : normal2(line[k], line[after]);
  const out = after >= 0 ? normal2(line[k], line[after]) : into;
  const x = into[0] + out[0], y = into[1] + out[1], size = Math.max((x * x + y * y) / 2, 0.5);
  return [x / size, y / size];
}

function normal2(a: number[], b: number[]): [number, number] {
  const x = b[0] - a[0], y = b[1] - a[1], size = Math.hypot(x, y) || 1;
  return [-y / size, x / size];
}

export function perpendicular(way: Vector3, hint: Vector3 | null): Vector3 {
  const guess = hint ?? (Math.abs(way.x) < 0.6 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0));
  const found = guess.clone().addScaledVector(way, -guess.dot(way));
  return found.lengthSq() > 1e-12 ? found.normalize() : perpendicular(way, null);
}

/** The normal of a polygon (Newell), and its corners in the plane across it, counterclockwise. */
export function flattened(points: number[][]): { normal: number[]; flat: Vector2[] } {
  const n = new Vector3();
  points.forEach((a, k) => {
    const b = points[(k + 1) % points.length];
    n.x += (a[1] - b[1]) * (a[2] + b[2]);
    n.y += (a[2] - b[2]) * (a[0] + b[0]);
    n.z += (a[0] - b[0]) * (a[1] + b[1]);
  });
  if (n.lengthSq() === 0) n.z = 1;
  n.normalize();
  const x = perpendicular(n, null), y = n.clone().cross(x);
  const flat = points.map((p) => new Vector2(x.x * p[0] + x.y * p[1] + x.z * p[2], y.x * p[0] + y.y * p[1] + y.z * p[2]));
  return { normal: n.toArray(), flat };
}
