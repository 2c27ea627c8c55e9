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
  private readonly modal: Float64Array | null;
  private readonly poses: Float64Array;
  private readonly channels: number;

  constructor(readonly doc: Document, readonly info: ClipInfo, bytes: Uint8Array) {
    this.times = read(bytes, info.times);
    this.poses = read(bytes, info.poses);
    this.channels = info.poses.columns;
    this.strands = info.strands ? read(bytes, info.strands) : null;
    this.modal = info.modal ? read(bytes, info.modal) : null;
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

  /** The time at which the motion passes through given poses, the one nearest to `now` if it does so repeatedly; null if
   *  it does not: farther away than a tenth of the way between two frames, as frames are connected by straight lines. */
  timeOf(poses: ArrayLike<number>, now: number): number | null {
    if (this.frames < 2) return null;
    const away = Array.from({ length: this.frames }, (_, k) => this.apart(poses, k, k, 0)), least = Math.min(...away);
    let best = -1;
    for (let k = 0; k < this.frames; k++) {
      if (Math.sqrt(away[k]) <= Math.sqrt(least) + 0.6 * this.step(k) && (best < 0 || Math.abs(this.times[k] - now) < Math.abs(this.times[best] - now))) best = k;
    }
    best = best < 0 ? away.indexOf(least) : best;
    while (best > 0 && away[best - 1] < away[best]) best -= 1;
    while (best < this.frames - 1 && away[best + 1] < away[best]) best += 1;
    let time: number | null = null, gap = Infinity;
    for (const k of [best - 1, best]) {
      if (k < 0 || k + 1 >= this.frames) continue;
      const [a, b, c] = [0, 0.5, 1].map((s) => this.apart(poses, k, k + 1, s)), bend = 2 * (a + c - 2 * b);
      const share = bend > 0 ? Math.min(Math.max(0.5 + (a - c) / (2 * bend), 0), 1) : a < c ? 0 : 1;
      const rest = this.apart(poses, k, k + 1, share);
      if (rest < gap && Math.sqrt(rest) <= 0.1 * this.step(k) + 1e-6 * this.doc.size) [gap, time] = [rest, this.times[k] + share * (this.times[k + 1] - this.times[k])];
    }
    return time;
  }

  /** The way from a frame to the next one. */
  private step(frame: number): number {
    this.steps ??= Float64Array.from({ length: this.frames }, (_, k) => Math.sqrt(this.apart(this.poses.subarray(k * this.channels, (k + 1) * this.channels), Math.min(k + 1, this.frames - 1), Math.min(k + 1, this.frames - 1), 0)));
    return this.steps[frame];
  }

  private steps: Float64Array | null = null;

  /** The squared distance of poses from the motion between two frames; angles count times the size of the mechanism. */
  private apart(poses: ArrayLike<number>, a: number, b: number, share: number): number {
    const wide = this.doc.dimensions === 2 ? 3 : 7, mixed = new Float64Array(wide), { size } = this.doc;
    let sum = 0;
    for (let body = 1; body < this.doc.bodies.length; body++) {
      const at = mix(this.stored(body, a), this.stored(body, b), share, mixed), from = wide * (body - 1);
      const axes = wide === 3 ? 2 : 3;
      for (let k = 0; k < axes; k++) sum += (at[k] - poses[from + k]) ** 2;
      if (wide === 3) {
        const turn = at[2] - poses[from + 2];
        sum += (size * (turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI)))) ** 2;
      } else {
        let dot = 0, one = 0, other = 0;
        for (let k = 3; k < 7; k++) [dot, one, other] = [dot + at[k] * poses[from + k], one + at[k] ** 2, other + poses[from + k] ** 2];
        sum += 8 * size ** 2 * Math.max(1 - Math.abs(dot) / Math.sqrt(one * other || 1), 0);
      }
    }
    return sum;
  }

  /** The points of all ropes at a time, nearest frame. */
  strandsAt(time: number): Float64Array | null {
    if (!this.strands) return null;
    const wide = this.info.strands!.columns, k = this.nearest(time);
    return this.strands.subarray(k * wide, (k + 1) * wide);
  }

  /** The modal coordinates of all flexible bodies at a time. */
  modalAt(time: number): Float64Array {
    const wide = this.info.modal?.columns ?? 0, found = new Float64Array(wide), [k, share] = this.place(time);
    for (let j = 0; j < wide; j++) {
      const here = this.modal![k * wide + j];
      found[j] = share > 0 ? here + share * (this.modal![(k + 1) * wide + j] - here) : here;
    }
    return found;
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
