// The table of poses for the shaders: bodies first, then ground pivots, then shapes stretched between
// points: rods and springs, pieces of ropes, arrows. Everything that moves is a row of this table.

import type { Document, End } from "./document";
import { seatsOf, type Skin } from "./skins";
import { type Arrow, type Clip, inWorld, ROW, setPose } from "./motion";

export interface Layout { pivots: number; rods: number; barrels: number; strands: number; arrows: number; turns: number; gaps: number; seats: number; count: number }

export function layoutOf(doc: Document, arrows: number, torques: number): Layout {
  const pivots = doc.bodies.length, rods = pivots + doc.pivots.length, barrels = rods + doc.rods.length, strands = barrels + doc.rods.length;
  const pieces = doc.strands.reduce((sum, n) => sum + n - 1, 0);
  const gaps = strands + pieces, seats = gaps + doc.findings.length, first = seats + seatsOf(doc).length, turns = first + 2 * arrows;
  return { pivots, rods, barrels, strands, gaps, seats, arrows: first, turns, count: turns + torques };
}

const INSIDE = 0.97; // of the way between its ends: how long a cylinder may look
const SHORTEST = 10; // units: rods that begin shorter are drawn at this length and compressed

export class Rows {
  readonly table: Float32Array;
  readonly shifts: [number, number, number][]; // displacement of each pivot
  readonly nominal: number[]; // nominal lengths of rods
  private readonly seats: ReturnType<typeof seatsOf>;
  private readonly seatRow = new Map<string, number>();

  /** `skins` are the flexible bodies. */
  constructor(readonly doc: Document, readonly layout: Layout, readonly skins: Skin[]) {
    this.seats = seatsOf(doc);
    this.seats.forEach(({ skin, name }, k) => this.seatRow.set(`${doc.skins[skin].body} ${name}`, layout.seats + k));
    this.table = new Float32Array(ROW * Math.max(layout.count, 1));
    this.shifts = doc.pivots.map(() => [0, 0, 0]);
    this.nominal = doc.rods.map(() => 1);
  }

  /** Take the lengths of rods from the current poses. */
  measure(): void {
    this.doc.rods.forEach((rod, k) => {
      const [a, b] = this.ends(rod.a, rod.b);
      this.nominal[k] = Math.max(Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]), SHORTEST * this.doc.unit);
    });
  }

  /** Deform the flexible bodies: the modal coordinates of all of them, magnification, and the stress of the last color. */
  deform(modal: ArrayLike<number>, scale: number, limit: number): void { for (const skin of this.skins) skin.set(modal, scale, limit); }

  /** The row of an interface of a flexible body; that of the body where it has none of that name. */
  rowOf(body: number, at: string | undefined): number { return (at && this.seatRow.get(`${body} ${at}`)) || body; }

  /** The body that a row belongs to; rows of other things stay as they are. */
  bodyOf(row: number): number { return row >= this.layout.seats && row < this.layout.arrows ? this.doc.skins[this.seats[row - this.layout.seats].skin].body : row; }

  /** Everything except the bodies, from their poses. */
  follow(strands: ArrayLike<number> | null): void {
    this.seats.forEach(({ skin, seat }, k) => this.skins[skin].setFrame(this.table, this.layout.seats + k, seat));
    this.doc.pivots.forEach((_, k) => {
      const [x, y, z] = this.shifts[k];
      this.table.set([1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z], ROW * (this.layout.pivots + k));
    });
    this.doc.rods.forEach((rod, k) => {
      const [a, b] = this.ends(rod.a, rod.b);
      this.stretch(this.layout.rods + k, a, b, this.nominal[k]);
      if (rod.barrel) this.keep(this.layout.barrels + k, a, b, rod.barrel);
    });
    let row = this.layout.strands, first = 0;
    for (const count of this.doc.strands) {
      for (let k = 0; k + 1 < count; k++) {
        if (strands) this.stretch(row, this.strandPoint(strands, first + k), this.strandPoint(strands, first + k + 1), 1);
        row += 1;
      }
      first += count;
    }
    this.doc.findings.forEach((finding, k) => {
      if (finding.gap) this.stretch(this.layout.gaps + k, ...this.ends(finding.gap.a, finding.gap.b), 1);
    });
  }

  /** Arrows of forces: `scale` m per N. */
  point(clip: Clip, time: number, scale: number, shown: (arrow: Arrow) => boolean, head: number): void {
    clip.arrows.forEach((arrow, k) => {
      const row = this.layout.arrows + 2 * k, force = clip.arrowAt(arrow, time), size = Math.hypot(...force) * scale;
      if (!shown(arrow) || size < 0.05 * head) return this.hide(row, row + 1);
      const from = this.tail(clip, arrow, time), way = force.map((x) => x * scale) as [number, number, number];
      const share = Math.max(0, 1 - head / size);
      const neck = from.map((x, j) => x + share * way[j]) as [number, number, number];
      this.stretch(row, from, neck, 1);
      const unit = way.map((x) => x / size), small = Math.min(1, size / head);
      this.stretch(row + 1, neck, neck.map((x, j) => x + small * head * unit[j]) as [number, number, number], 1, small);
    });
  }

  /** Round arrows of torques about their directions: `scale` m of radius per N m. */
  twist(clip: Clip, time: number, scale: number, shown: (arrow: Arrow) => boolean): void {
    clip.turns.forEach((turn, k) => {
      const row = this.layout.turns + k, torque = clip.arrowAt(turn, time), size = Math.hypot(...torque), s = size * scale;
      if (!shown(turn) || s < 0.1 * this.doc.unit) return this.hide(row);
      const [x, y, z] = this.tail(clip, turn, time);
      if (this.doc.dimensions === 2) return this.table.set([s, 0, 0, x, 0, Math.sign(torque[2]) * s, 0, y, 0, 0, 1, 0], ROW * row);
      const axis = torque.map((c) => c / size), side = cross(Math.abs(axis[2]) < 0.9 ? [0, 0, 1] : [0, 1, 0], axis), far = Math.hypot(...side);
      const u = side.map((c) => c / far), v = cross(axis, u);
      this.table.set([s * axis[0], s * u[0], s * v[0], x, s * axis[1], s * u[1], s * v[1], y, s * axis[2], s * u[2], s * v[2], z], ROW * row);
    });
  }

  /** The start of an arrow. */
  tail(clip: Clip, arrow: Arrow, time: number): [number, number, number] { return arrow.places ? clip.pathAt(arrow, time) : this.end(arrow.at); }

  end(end: End): [number, number, number] {
    const pivot = end.body === 0 ? this.doc.pivots.findIndex((p) => same(p.at.point, end.point)) : -1;
    return inWorld(this.table, pivot < 0 ? this.rowOf(end.body, end.interface) : this.layout.pivots + pivot, end.point);
  }

  setBody(body: number, pose: ArrayLike<number>): void { setPose(this.table, body, pose); }

  private ends(a: End, b: End): [[number, number, number], [number, number, number]] { return [this.end(a), this.end(b)]; }

  private strandPoint(flat: ArrayLike<number>, k: number): [number, number, number] {
    const n = this.doc.dimensions;
    return [flat[n * k], flat[n * k + 1], n === 3 ? flat[n * k + 2] : 0];
  }

  /** A row that stretches a shape along the x axis, `nominal` long, from a to b. */
  private stretch(row: number, a: number[], b: number[], nominal: number, wide = 1): void {
    const way = [b[0] - a[0], b[1] - a[1], b[2] - a[2]], length = Math.hypot(...way);
    if (!(length > 0)) return this.hide(row);
    const x = way.map((c) => c / length);
    const flat = this.doc.dimensions === 2, across = Math.abs(x[2]) < 0.9 ? [0, 0, 1] : [0, 1, 0];
    let y = flat ? [-x[1], x[0], 0] : cross(across, x);
    const size = Math.hypot(...y);
    y = y.map((c) => (wide * c) / size);
    const z = flat ? [0, 0, 1] : cross(x, y);
    const s = length / nominal;
    this.table.set([s * x[0], y[0], z[0], a[0], s * x[1], y[1], z[1], a[1], s * x[2], y[2], z[2], a[2]], ROW * row);
  }

  /** A row that keeps the length of a cylinder, unless its ends come closer than that. */
  private keep(row: number, a: number[], b: number[], long: number): void {
    const far = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]) || 1, share = Math.min(INSIDE, long / far);
    this.stretch(row, a, a.map((x, k) => x + share * (b[k] - x)), long);
  }

  private hide(...rows: number[]): void { for (const row of rows) this.table.fill(0, ROW * row, ROW * (row + 1)); }
}

function cross(a: number[], b: number[]): number[] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function same(a: number[], b: number[]): boolean { return a.every((x, k) => Math.abs(x - b[k]) < 1e-9); }
