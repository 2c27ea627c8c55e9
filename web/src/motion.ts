// A clip of motion: poses of all bodies at every frame, and between frames.

import { ArrowInfo, ClipInfo, Document, Loaded, read } from "./document";

const BLOW = 6; // largest length, relative to a typical arrow
export const ROW = 12; // numbers of a pose: three rows of the matrix [A | r]

export interface Arrow extends ArrowInfo { vectors: Float64Array; wide: number; places: Float64Array | null; largest: number }
export interface Curve { name: string; unit: string; values: Float64Array }

export class Clip {
  readonly times: Float64Array;
  readonly curves: Curve[];
  readonly arrows: Arrow[]; // forces
  readonly turns: Arrow[]; // torques
  readonly strands: Float64Array | null;
  private readonly poses: Float64Array;
  private readonly channels: number;

  constructor(readonly doc: Document, readonly info: ClipInfo, bytes: Uint8Array) {
    this.times = read(bytes, info.times);
    this.poses = read(bytes, info.poses);
    this.channels = info.poses.columns;
    this.strands = info.strands ? read(bytes, info.strands) : null;
    this.curves = info.curves.map((c) => ({ name: c.name, unit: c.unit, values: read(bytes, c.values) }));
    const all = info.arrows.map((a) => {
      const vectors = read(bytes, a.values), wide = a.values.columns;
      return { ...a, vectors, wide, places: a.path && read(bytes, a.path), largest: longest(vectors, wide) };
    });
    this.arrows = all.filter((a) => a.unit === "N");
    this.turns = all.filter((a) => a.unit !== "N");
  }

  get frames(): number { return this.times.length; }
  get begin(): number { return this.times[0]; }
  get end(): number { return this.times[this.times.length - 1]; }
  get span(): number { return this.end - this.begin; }

  /** The frame before a time, and the fraction of the interval to the next, 0 to 1. */
  place(time: number): [number, number] {
    const t = this.times, last = t.length - 1;
    if (last === 0 || time <= t[0]) return [0, 0];
    if (time >= t[last]) return [last, 0];
    let low = 0, high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= time) low = middle;
      else high = middle;
    }
    return [low, (time - t[low]) / (t[high] - t[low] || 1)];
  }

  nearest(time: number): number {
    const [k, share] = this.place(time);
    return share > 0.5 ? k + 1 : k;
  }

  /** The stored pose of a body: x, y, angle in the plane; x, y, z and Euler parameters in space. Ground is body 0. */
  stored(body: number, frame: number): Float64Array {
    const wide = this.doc.dimensions === 2 ? 3 : 7;
    if (body === 0) return Float64Array.from(wide === 3 ? [0, 0, 0] : [0, 0, 0, 1, 0, 0, 0]);
    const at = frame * this.channels + wide * (body - 1);
    return this.poses.subarray(at, at + wide);
  }

  /** Poses of all bodies at a time, as rows of matrices. */
  poseAt(time: number, into: Float32Array): void {
    const [k, share] = this.place(time);
    setPose(into, 0, this.stored(0, 0));
    const count = this.doc.bodies.length, wide = this.doc.dimensions === 2 ? 3 : 7, mixed = new Float64Array(wide);
    for (let b = 1; b < count; b++) {
      const here = this.stored(b, k);
      setPose(into, b, share > 0 ? mix(here, this.stored(b, k + 1), share, mixed) : here);
    }
  }

  /** The points of all ropes at a time, nearest frame. */
  strandsAt(time: number): Float64Array | null {
    if (!this.strands) return null;
    const wide = this.info.strands!.columns, k = this.nearest(time);
    return this.strands.subarray(k * wide, (k + 1) * wide);
  }

  /** The force or torque of an arrow; torques of the plane point out of it. */
  arrowAt(arrow: Arrow, time: number): [number, number, number] {
    const found = this.between(arrow.vectors, arrow.wide, time);
    return arrow.wide === 1 ? [0, 0, found[0]] : found;
  }

  /** The start of an arrow on a path. */
  pathAt(arrow: Arrow, time: number): [number, number, number] { return this.between(arrow.places!, this.doc.dimensions, time); }

  private between(table: Float64Array, wide: number, time: number): [number, number, number] {
    const [k, share] = this.place(time), found: [number, number, number] = [0, 0, 0];
    for (let j = 0; j < wide; j++) {
      const here = table[k * wide + j];
      found[j] = share > 0 ? here + share * (table[(k + 1) * wide + j] - here) : here;
    }
    return found;
  }
}

/** The length of a typical long arrow, to keep one impact from making all others too short. */
function longest(vectors: Float64Array, wide: number): number {
  const sizes = new Float64Array(vectors.length / wide);
  for (let k = 0; k < vectors.length; k++) sizes[Math.floor(k / wide)] += vectors[k] ** 2;
  sizes.sort();
  return Math.max(Math.sqrt(sizes[Math.floor(0.95 * (sizes.length - 1))]), Math.sqrt(sizes[sizes.length - 1]) / BLOW);
}

export function clips(loaded: Loaded): Clip[] { return loaded.doc.clips.map((info) => new Clip(loaded.doc, info, loaded.bytes)); }

/** Between two poses; angles and rotations take the short way. */
function mix(a: Float64Array, b: Float64Array, share: number, out: Float64Array): Float64Array {
  if (a.length === 3) {
    const turn = b[2] - a[2];
    out[0] = a[0] + share * (b[0] - a[0]);
    out[1] = a[1] + share * (b[1] - a[1]);
    out[2] = a[2] + share * (turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI)));
    return out;
  }
  let dot = 0;
  for (let k = 3; k < 7; k++) dot += a[k] * b[k];
  const sign = dot < 0 ? -1 : 1;
  for (let k = 0; k < 7; k++) out[k] = a[k] + share * ((k < 3 ? 1 : sign) * b[k] - a[k]);
  return out;
}

/** Writes the matrix of a stored pose into row `row` of a table. */
export function setPose(table: Float32Array, row: number, pose: ArrayLike<number>): void {
  const at = ROW * row;
  if (pose.length === 3) {
    const c = Math.cos(pose[2]), s = Math.sin(pose[2]);
    table.set([c, -s, 0, pose[0], s, c, 0, pose[1], 0, 0, 1, 0], at);
    return;
  }
  const size = Math.hypot(pose[3], pose[4], pose[5], pose[6]) || 1;
  const w = pose[3] / size, x = pose[4] / size, y = pose[5] / size, z = pose[6] / size;
  table.set([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), pose[0],
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), pose[1],
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), pose[2]], at);
}

/** The global position of a point of a body. */
export function inWorld(table: Float32Array, body: number, p: ArrayLike<number>): [number, number, number] {
  const m = ROW * body, x = p[0] ?? 0, y = p[1] ?? 0, z = p[2] ?? 0;
  return [0, 4, 8].map((r) => table[m + r] * x + table[m + r + 1] * y + table[m + r + 2] * z + table[m + r + 3]) as [number, number, number];
}

/** A global point in the frame of a body. */
export function inBody(table: Float32Array, body: number, p: ArrayLike<number>): [number, number, number] {
  const m = ROW * body, d = [p[0] - table[m + 3], p[1] - table[m + 7], (p[2] ?? 0) - table[m + 11]];
  return [0, 1, 2].map((c) => table[m + c] * d[0] + table[m + 4 + c] * d[1] + table[m + 8 + c] * d[2]) as [number, number, number];
}
