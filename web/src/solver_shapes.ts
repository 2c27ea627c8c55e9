// Shapes of a mechanism whose joints have moved on their bodies.
//
// Symbols of joints and drivers go with their own point. The outline of a body goes with all points of the body, near ones
// most: bars become longer, pins stay round.

import { type Document, type End, GAP, type Loaded, type Slice } from "./document";
import type { ParameterInfo } from "./solver";

/** A point of a joint on a body, and the parameters that its coordinates are, -1 for none. */
export interface JointPoint { element: string; body: number; at: number[]; parameters: number[] }
interface Moved { at: number[]; by: number[] }

const NEAR = 4; // exponent of the distance in the weights of points

export function reshaped(loaded: Loaded, points: JointPoint[], values: number[], parameters: ParameterInfo[]): Loaded {
  const { doc, bytes } = loaded, bodies = new Map<number, Moved[]>();
  for (const { body, at, parameters: own } of points) {
    const by = at.map((_, axis) => (own[axis] < 0 ? 0 : values[own[axis]] - parameters[own[axis]].value));
    bodies.set(body, [...(bodies.get(body) ?? []), { at, by }]);
  }
  for (const [body, moved] of bodies) if (moved.every(({ by }) => by.every((x) => x === 0))) bodies.delete(body);
  if (!bodies.size) return loaded;
  const end = ({ body, point }: End): End => ({ body, point: bodies.has(body) ? shifted(point, bodies.get(body)!) : point });
  const at = <T extends { at: End }>(listed: T[]): T[] => listed.map((one) => ({ ...one, at: end(one.at) }));
  const geometries = [...doc.geometries], added: Int16Array[] = [];
  let size = bytes.length;
  const shapes = doc.shapes.map((shape) => {
    const moved = bodies.get(shape.body);
    if (!moved) return shape;
    const [slice, whole] = drawn(bytes, doc.geometries[shape.points], moved, shape.element >= 0, size);
    added.push(whole);
    size += whole.byteLength;
    geometries.push(slice);
    return { ...shape, points: geometries.length - 1 };
  });
  const all = new Uint8Array(size);
  all.set(bytes);
  let place = bytes.length;
  for (const whole of added) {
    all.set(new Uint8Array(whole.buffer), place);
    place += whole.byteLength;
  }
  const changed: Document = {
    ...doc, geometries, shapes, rods: doc.rods.map((rod) => ({ ...rod, a: end(rod.a), b: end(rod.b) })), names: at(doc.names), traces: at(doc.traces), pivots: at(doc.pivots),
    pins: at(doc.pins), clips: doc.clips.map((clip) => ({ ...clip, arrows: at(clip.arrows) })),
  };
  return { doc: changed, bytes: all };
}

/** The points of a shape that has moved; a symbol moves as a whole. */
function drawn(bytes: Uint8Array, slice: Slice, moved: Moved[], symbol: boolean, at: number): [Slice, Int16Array] {
  const { rows, columns } = slice, step = slice.steps![0], view = new DataView(bytes.buffer, bytes.byteOffset + slice.at, 2 * rows * columns);
  const read = (r: number) => Array.from({ length: columns }, (_, c) => view.getInt16(2 * (r * columns + c), true));
  const points = Array.from({ length: rows }, (_, r) => read(r)).map((p) => (p.includes(GAP) ? null : p.map((x) => x * step)));
  const known = points.filter((p): p is number[] => p !== null), middle = known[0]?.map((_, c) => known.reduce((sum, p) => sum + p[c], 0) / known.length);
  const whole = points.map((p) => p && (symbol ? p.map((x, c) => x + shifted(middle, nearest(middle, moved))[c] - middle[c]) : shifted(p, moved)));
  const largest = Math.max(...whole.flatMap((p) => (p ? p.map(Math.abs) : [0])), 1e-300), wide = largest / 32767;
  return [{ ...slice, at, steps: [wide] }, Int16Array.from(whole.flatMap((p) => (p ? p.map((x) => Math.round(x / wide)) : new Array<number>(columns).fill(GAP))))];
}

function nearest(point: number[], moved: Moved[]): Moved[] {
  return [moved.reduce((best, one) => (away(one.at, point) < away(best.at, point) ? one : best))];
}

/** A point that goes with points of its body. */
function shifted(point: number[], moved: Moved[]): number[] {
  const sum = point.map(() => 0);
  let total = 0;
  for (const { at, by } of moved) {
    const far = away(at, point);
    if (far < 1e-9) return point.map((x, k) => x + by[k]);
    const weight = far ** -NEAR;
    total += weight;
    by.forEach((x, k) => (sum[k] += weight * x));
  }
  return point.map((x, k) => x + sum[k] / total);
}

function away(a: number[], b: number[]): number { return Math.hypot(...a.map((x, k) => x - b[k])); }
