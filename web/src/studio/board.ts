// The drawing board: the mechanism on a grid, what is under the cursor, snapping.

import { inside, paint, placed, toPixel, toWorld, type View } from "./paint";
import type { Click, Load, Motion, Point, State, Vec } from "./types";

const NEAR = 13, TOUCH = 24; // px within which a point is hit, with a mouse and with a finger
const GRID = 9; // px of the finest grid

export interface Hit { point?: Point; element?: string; body?: string }

export class Board {
  readonly view: View = { scale: 1500, x: 300, y: 400 };
  state: State | null = null;
  poses: number[][] = [[0, 0, 0]];
  strands: Vec[][] = [];
  frame = -1; // of the motion; -1: as drawn
  held = false; // whether a hand has moved the mechanism
  selected = new Set<string>();
  hovered: Hit = {};
  cursor: Vec | null = null; // in meters, snapped
  snapped = ""; // to what
  rubber: { line: Vec[]; closed?: boolean; round?: number } | null = null; // what is being drawn
  box: [Vec, Vec] | null = null; // a rectangle that selects
  variants: { line: Vec[] }[] = [];
  names = true;
  trouble: Vec | null = null;
  drawn = 0;
  private pen: CanvasRenderingContext2D;
  private dirty = true;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.pen = canvas.getContext("2d")!;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    const loop = () => { requestAnimationFrame(loop); if (this.dirty) this.draw(); };
    requestAnimationFrame(loop);
  }

  change(): void { this.dirty = true; }

  // --- what is shown ---------------------------------------------------------------------------------------------------

  take(state: State): void {
    this.state = state.picture || !this.state ? state : { ...state, picture: this.state.picture, points: this.state.points, motion: this.state.motion };
    if (!this.held || !state.preview) this.rest();
    this.change();
  }

  /** As drawn, or at the frame of the motion that is shown. */
  rest(): void {
    this.held = false;
    this.trouble = null;
    this.show(this.frame);
  }

  show(frame: number): void {
    const motion = this.state?.motion, picture = this.state?.picture;
    this.frame = motion && frame >= 0 ? Math.min(frame, motion.times.length - 1) : -1;
    if (!picture) return;
    if (motion && this.frame >= 0) {
      const row = motion.poses[this.frame];
      this.poses = [[0, 0, 0], ...Array.from({ length: row.length / 3 }, (_, b) => row.slice(3 * b, 3 * b + 3))];
      this.strands = motion.strands[this.frame] ?? [];
    } else [this.poses, this.strands] = [picture.poses, picture.strands ?? []];
    this.held = false;
    this.change();
  }

  hold(poses: number[][], strands: Vec[][]): void {
    [this.poses, this.strands, this.held] = [poses, strands, true];
    this.matched = this.state?.motion ? timeOf(this.state.motion, poses) : null;
    this.change();
  }

  /** The time that is shown; null where a hand has left the computed motion. */
  get time(): number | null {
    const motion = this.state?.motion;
    if (!motion) return null;
    return this.held ? this.matched : motion.times[Math.max(this.frame, 0)];
  }

  private matched: number | null = null;

  /** Whether the board shows the drawing itself, which can be changed, and not another position of it. */
  get still(): boolean { return this.frame <= 0 && !this.held; }

  body(name: string): number { return this.state?.picture?.bodies.indexOf(name) ?? -1; }

  /** Where a point of the drawing is at the position that is shown. */
  where(point: Point): Vec {
    const picture = this.state!.picture, moving = point.bodies.find((b) => b !== "ground");
    const k = moving ? this.body(moving) : -1;
    if (!picture || k < 0 || this.still || !picture.poses[k] || !this.poses[k]) return point.at;
    return placed(this.poses[k], inside(picture.poses[k], point.at));
  }

  // --- the view ----------------------------------------------------------------------------------------------------------

  resize(): void {
    const box = this.canvas.parentElement!.getBoundingClientRect(), ratio = devicePixelRatio || 1;
    this.canvas.width = Math.max(box.width * ratio, 1);
    this.canvas.height = Math.max(box.height * ratio, 1);
    this.change();
  }

  get size(): Vec { const ratio = devicePixelRatio || 1; return [this.canvas.width / ratio, this.canvas.height / ratio]; }

  zoom(at: Vec, factor: number): void {
    const fixed = toWorld(this.view, at);
    this.view.scale = Math.min(Math.max(this.view.scale * factor, 1e-2), 1e8);
    const now = toPixel(this.view, fixed);
    this.pan(at[0] - now[0], at[1] - now[1]);
  }

  pan(dx: number, dy: number): void { this.view.x += dx; this.view.y += dy; this.change(); }

  /** Show everything, the whole motion included. */
  fit(): void {
    const places: Vec[] = [], state = this.state, [wide, high] = this.size;
    for (const point of state?.points ?? []) places.push(point.at);
    for (const trace of state?.motion?.traces ?? []) places.push(...trace.line);
    for (const shape of state?.picture?.shapes ?? []) {
      const picture = state!.picture!;
      if (shape.kind !== "rail" && shape.kind !== "hatch") for (const piece of shape.points) for (const p of piece) places.push(placed(picture.poses[shape.body], p));
    }
    if (!places.length) { Object.assign(this.view, { scale: 1500, x: 0.35 * wide, y: 0.6 * high }); return this.change(); }
    const low = [Math.min(...places.map((p) => p[0])), Math.min(...places.map((p) => p[1]))], top = [Math.max(...places.map((p) => p[0])), Math.max(...places.map((p) => p[1]))];
    const room = [Math.max(top[0] - low[0], 1e-3), Math.max(top[1] - low[1], 1e-3)];
    this.view.scale = Math.min((wide - 140) / room[0], (high - 150) / room[1]);
    this.view.x = wide / 2 - (this.view.scale * (low[0] + top[0])) / 2;
    this.view.y = high / 2 + 10 + (this.view.scale * (low[1] + top[1])) / 2;
    this.change();
  }

  /** The grid to which points snap, in meters: 1, 2 or 5 times a power of ten in the unit of the file. */
  get step(): number {
    const factor = this.state?.factors.length ?? 1e-3, least = GRID / this.view.scale / factor;
    const power = 10 ** Math.floor(Math.log10(least)), step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= least)!;
    return step * factor;
  }

  // --- what is there -----------------------------------------------------------------------------------------------------

  hit(pixel: Vec, finger = false): Hit {
    const near = finger ? TOUCH : NEAR, point = this.nearest(pixel, near);
    if (point) return { point, body: point.bodies.find((b) => b !== "ground") ?? "ground" };
    const picture = this.state?.picture;
    if (!picture) return {};
    let best: Hit = {}, rank = -1;
    for (const rod of picture.rods) {
      const a = toPixel(this.view, placed(this.poses[rod.a.body], rod.a.point)), b = toPixel(this.view, placed(this.poses[rod.b.body], rod.b.point));
      if (away(pixel, a, b) < 9) [best, rank] = [{ element: rod.element }, 5];
    }
    for (const shape of picture.shapes) {
      if (!this.poses[shape.body]) continue;
      const closed = ["area", "disk", "matter", "box", "plate", "panel", "rack", "support"].includes(shape.kind);
      const reach = Math.max(["bar", "spine", "plate", "channel"].includes(shape.kind) ? 0.4 * picture.unit * this.view.scale : 3, 6);
      const order = (shape.element ? 4 : 2) + 0.01 * shape.body;
      if (order < rank) continue;
      for (const piece of shape.points) {
        const line = piece.map((p) => toPixel(this.view, placed(this.poses[shape.body], p)));
        if ((closed && within(pixel, line)) || line.some((p, k) => k > 0 && away(pixel, line[k - 1], p) < reach) || (line.length === 1 && Math.hypot(line[0][0] - pixel[0], line[0][1] - pixel[1]) < 9))
          [best, rank] = [{ element: shape.element || undefined, body: shape.body ? picture.bodies[shape.body] : undefined }, order];
      }
    }
    for (const load of picture.loads) {
      const [a, b] = this.loadTip(load);
      if (away(pixel, a, load.turn ? a : b) < 8) best = { element: load.element };
    }
    return best;
  }

  nearest(pixel: Vec, near = NEAR): Point | undefined {
    let best: Point | undefined, far = near;
    for (const point of this.state?.points ?? []) {
      const [x, y] = toPixel(this.view, this.where(point)), gap = Math.hypot(x - pixel[0], y - pixel[1]);
      if (gap < far) [best, far] = [point, gap];
    }
    return best;
  }

  /** Where a click is meant to be: on a point, on a body, on the grid; with a start, in steps of 15 degrees from it. */
  snap(pixel: Vec, options: { from?: Vec; free?: boolean; angles?: boolean; finger?: boolean } = {}): Click {
    const hit = this.hit(pixel, options.finger);
    if (hit.point && !options.free) {
      this.snapped = hit.point.name;
      return { at: this.where(hit.point), point: hit.point.id };
    }
    let at = toWorld(this.view, pixel);
    this.snapped = "";
    if (!options.free) {
      const step = this.step;
      at = [Math.round(at[0] / step) * step, Math.round(at[1] / step) * step];
      if (options.from) {
        const [x, y] = [at[0] - options.from[0], at[1] - options.from[1]], far = Math.hypot(x, y), turn = Math.atan2(y, x), steps = Math.round(turn / (Math.PI / 12)) * (Math.PI / 12);
        if (options.angles && far > 0) { at = [options.from[0] + far * Math.cos(steps), options.from[1] + far * Math.sin(steps)]; this.snapped = `${Math.round((steps * 180) / Math.PI)}°`; }
      }
    }
    return hit.body ? { at, body: hit.body } : { at };
  }

  // --- drawing -----------------------------------------------------------------------------------------------------------

  private draw(): void {
    const { pen } = this, ratio = devicePixelRatio || 1, [wide, high] = this.size;
    this.dirty = false;
    this.drawn += 1;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = "#fcfcfd";
    pen.fillRect(0, 0, wide, high);
    this.drawGrid(wide, high);
    const state = this.state;
    if (!state) return;
    for (const variant of this.variants) this.line(variant.line, "#b8bec9", 1.5);
    state.motion?.traces.forEach((one, k) => this.line(one.line, state.palette.curves[(k + 3) % state.palette.curves.length], 2));
    if (state.picture) paint(pen, this.view, { picture: state.picture, palette: state.palette, poses: this.poses, strands: this.strands, marked: this.selected });
    for (const load of state.picture?.loads ?? []) this.drawLoad(load);
    this.drawPoints();
    if (this.rubber) this.drawRubber();
    if (this.box) {
      const [a, b] = this.box;
      pen.strokeStyle = "#2f6399";
      pen.fillStyle = "rgba(47, 99, 153, 0.08)";
      pen.lineWidth = 1;
      pen.fillRect(a[0], a[1], b[0] - a[0], b[1] - a[1]);
      pen.strokeRect(a[0], a[1], b[0] - a[0], b[1] - a[1]);
    }
    if (this.trouble) this.ring(toPixel(this.view, this.trouble), 14, "#d6006c", 3);
  }

  private line(line: Vec[], color: string, width: number): void {
    const { pen } = this;
    pen.beginPath();
    line.forEach((p, k) => { const [x, y] = toPixel(this.view, p); k ? pen.lineTo(x, y) : pen.moveTo(x, y); });
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.stroke();
  }

  private drawGrid(wide: number, high: number): void {
    const { pen, view } = this, factor = this.state?.factors.length ?? 1e-3, unit = this.state?.units.length ?? "mm";
    for (const [many, color] of [[2, "#f1f3f6"], [10, "#e3e7ed"]] as [number, string][]) {
      const step = this.step * many;
      if (step * view.scale < 7) continue;
      pen.strokeStyle = color;
      pen.lineWidth = 1;
      pen.beginPath();
      for (let k = Math.ceil(-view.x / view.scale / step); k * step * view.scale + view.x < wide; k++) { const x = Math.round(view.x + k * step * view.scale) + 0.5; pen.moveTo(x, 0); pen.lineTo(x, high); }
      for (let k = Math.ceil((view.y - high) / view.scale / step); view.y - k * step * view.scale > 0; k++) { const y = Math.round(view.y - k * step * view.scale) + 0.5; pen.moveTo(0, y); pen.lineTo(wide, y); }
      pen.stroke();
    }
    pen.strokeStyle = "#cdd3dc";
    pen.beginPath();
    pen.moveTo(Math.round(view.x) + 0.5, 0); pen.lineTo(Math.round(view.x) + 0.5, high);
    pen.moveTo(0, Math.round(view.y) + 0.5); pen.lineTo(wide, Math.round(view.y) + 0.5);
    pen.stroke();
    const step = this.step * 10;
    pen.fillStyle = "#8a93a1";
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "center";
    for (let k = Math.ceil((40 - view.x) / view.scale / step); k * step * view.scale + view.x < wide - 20; k++) pen.fillText(tidy((k * step) / factor), view.x + k * step * view.scale, high - 6);
    pen.textAlign = "left";
    for (let k = Math.ceil((view.y - high + 30) / view.scale / step); view.y - k * step * view.scale > 46; k++) pen.fillText(tidy((k * step) / factor), 4, view.y - k * step * view.scale + 4);
    pen.fillText(unit, 4, high - 6);
  }

  private drawPoints(): void {
    const { pen } = this, state = this.state!;
    pen.font = "600 12px system-ui, sans-serif";
    pen.textAlign = "left";
    for (const point of state.points) {
      const [x, y] = toPixel(this.view, this.where(point)), chosen = this.selected.has(point.id), over = this.hovered.point?.id === point.id;
      if (!point.joints.length && !point.traces.length) {
        pen.beginPath();
        pen.arc(x, y, 3.5, 0, 7);
        pen.fillStyle = "#ffffff";
        pen.fill();
        pen.lineWidth = 1.5;
        pen.strokeStyle = "#8a93a1";
        pen.stroke();
      }
      if (chosen || over) this.ring([x, y], 9, chosen ? "#ea8c00" : "#2f6399", 2.5);
      if (this.names && point.name) {
        pen.lineWidth = 3;
        pen.strokeStyle = "rgba(255, 255, 255, 0.9)";
        pen.strokeText(point.name, x + 9, y - 9);
        pen.fillStyle = "#2b2f36";
        pen.fillText(point.name, x + 9, y - 9);
      }
    }
  }

  private ring(at: Vec, radius: number, color: string, width: number): void {
    const { pen } = this;
    pen.beginPath();
    pen.arc(at[0], at[1], radius, 0, 7);
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.stroke();
  }

  private drawRubber(): void {
    const { pen } = this, { line, closed, round } = this.rubber!, unit = this.state?.units.length ?? "mm", factor = this.state?.factors.length ?? 1e-3;
    const pixels = line.map((p) => toPixel(this.view, p));
    pen.setLineDash([6, 4]);
    pen.strokeStyle = "#2f6399";
    pen.lineWidth = 2;
    pen.beginPath();
    if (round !== undefined) pen.arc(pixels[0][0], pixels[0][1], round * this.view.scale, 0, 7);
    pixels.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    if (closed) pen.closePath();
    pen.stroke();
    pen.setLineDash([]);
    if (line.length > 1) {
      const [a, b] = line.slice(-2), [x, y] = pixels[pixels.length - 1];
      const turn = (Math.atan2(b[1] - a[1], b[0] - a[0]) * 180) / Math.PI;
      const text = `${tidy(Math.hypot(b[0] - a[0], b[1] - a[1]) / factor)} ${unit}, ${tidy(turn)}°`;
      pen.font = "12px system-ui, sans-serif";
      const wide = pen.measureText(text).width + 12, [width, height] = this.size;
      const left = x + 14 + wide < width ? x + 14 : x - 14 - wide, top = y + 34 < height ? y + 12 : y - 32;
      pen.fillStyle = "rgba(43, 47, 54, 0.9)";
      pen.beginPath();
      pen.roundRect(left, top, wide, 20, 4);
      pen.fill();
      pen.fillStyle = "#ffffff";
      pen.textAlign = "left";
      pen.fillText(text, left + 6, top + 14);
    }
    if (this.snapped) this.ring(pixels[pixels.length - 1], 9, "#3d8b47", 2);
  }

  private loadTip(load: Load): [Vec, Vec] {
    const pose = this.poses[load.at.body] ?? [0, 0, 0], tip = toPixel(this.view, placed(pose, load.at.point)), far = 56;
    const way = load.frame === "body" ? placed([0, 0, pose[2]], load.way) : load.way;
    return [[tip[0] - far * way[0], tip[1] + far * way[1]], tip];
  }

  private drawLoad(load: Load): void {
    const [a, b] = this.loadTip(load), { pen } = this;
    pen.strokeStyle = pen.fillStyle = this.selected.has(load.element) ? "#ea8c00" : "#3d7d43";
    pen.lineWidth = 3;
    pen.font = "12px system-ui, sans-serif";
    if (load.turn) {
      const sign = load.turn > 0 ? -1 : 1, end: Vec = [b[0] + 20 * Math.cos(2.6), b[1] + sign * 20 * Math.sin(2.6)];
      pen.beginPath();
      pen.arc(b[0], b[1], 20, sign * -0.6, sign * 2.6, sign < 0);
      pen.stroke();
      this.head(end, Math.atan2(sign * Math.cos(2.6), -Math.sin(2.6)));
      pen.fillText(load.element, b[0] + 24, b[1] - 14);
      return;
    }
    const turn = Math.atan2(b[1] - a[1], b[0] - a[0]), tip: Vec = [b[0] - 8 * Math.cos(turn), b[1] - 8 * Math.sin(turn)];
    pen.beginPath();
    pen.moveTo(...a);
    pen.lineTo(tip[0] - 6 * Math.cos(turn), tip[1] - 6 * Math.sin(turn));
    pen.stroke();
    this.head(tip, turn);
    pen.fillText(load.element, a[0] + 6, a[1] - 4);
  }

  private head(tip: Vec, turn: number): void {
    const { pen } = this;
    pen.beginPath();
    pen.moveTo(...tip);
    for (const side of [0.4, -0.4]) pen.lineTo(tip[0] - 13 * Math.cos(turn + side), tip[1] - 13 * Math.sin(turn + side));
    pen.fill();
  }
}

/** The time at which a motion passes through poses; null if it does not, to a tenth of the way between two frames. */
function timeOf(motion: Motion, poses: number[][]): number | null {
  const flat = poses.slice(1).flat(), size = Math.max(...motion.poses.map((row) => Math.max(...row.filter((_, k) => k % 3 < 2).map(Math.abs))), 1e-9);
  const gap = (a: number[], b: number[]) => a.reduce((sum, x, k) => { const d = x - b[k]; return sum + (k % 3 < 2 ? d ** 2 : (size * (d - 2 * Math.PI * Math.round(d / (2 * Math.PI)))) ** 2); }, 0);
  const away = motion.poses.map((row) => gap(row, flat)), best = away.indexOf(Math.min(...away));
  let time: number | null = null, least = Infinity;
  for (const k of [best - 1, best]) {
    if (k < 0 || k + 1 >= motion.poses.length) continue;
    const a = motion.poses[k], b = motion.poses[k + 1], way = gap(a, b), share = way ? Math.min(Math.max(0.5 + (away[k] - away[k + 1]) / (2 * way), 0), 1) : 0;
    const mixed = a.map((x, j) => { const d = b[j] - x; return x + share * (j % 3 < 2 ? d : d - 2 * Math.PI * Math.round(d / (2 * Math.PI))); }), rest = gap(mixed, flat);
    if (rest < least && Math.sqrt(rest) <= 0.1 * Math.sqrt(way) + 1e-6 * size) [least, time] = [rest, motion.times[k] + share * (motion.times[k + 1] - motion.times[k])];
  }
  return time;
}

export function tidy(x: number): string { return String(Number(x.toPrecision(6)) + 0); }

function away(p: Vec, a: Vec, b: Vec): number {
  const dx = b[0] - a[0], dy = b[1] - a[1], size = dx * dx + dy * dy;
  const share = size ? Math.min(Math.max(((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / size, 0), 1) : 0;
  return Math.hypot(p[0] - a[0] - share * dx, p[1] - a[1] - share * dy);
}

function within(p: Vec, line: Vec[]): boolean {
  let found = false;
  for (let i = 0, j = line.length - 1; i < line.length; j = i++)
    if (line[i][1] > p[1] !== line[j][1] > p[1] && p[0] < ((line[j][0] - line[i][0]) * (p[1] - line[i][1])) / (line[j][1] - line[i][1]) + line[i][0]) found = !found;
  return found;
}
