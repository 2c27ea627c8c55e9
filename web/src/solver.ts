// A page that solves: the kernels of the model as WebAssembly, with its tables as their memory.
//
//   text -> gzip -> [length of JSON, 4 bytes][JSON: where things are in memory][module]
//
// Parameters are written into memory, `solve` repeats the analysis, `drag` closes the joints of a dragged mechanism.

import type { App } from "./app";
import { type ClipInfo, type CurveInfo, fromText, type Loaded, type Slice } from "./document";
import type { Line } from "./line";
import { inBody } from "./motion";
import { ParameterPanel } from "./solver_panel";
import { type JointPoint, reshaped } from "./solver_shapes";

export interface ParameterInfo { name: string; value: number; low: number; high: number; unit: string; factor: number } // values are in SI; times `factor` they are in `unit`
type Table = [number, number]; // address, columns
interface Description {
  why: string; // the reason why the analysis is not repeated; only the hand is described then
  analysis: string; desks: Record<string, number>; hand: number; values: number; times: number; frames: number[]; q: Table; turns: Table; winding: number[]; modal: number[];
  curves: [string[], number, number][]; reactions: [string[], number, number] | null; pushing: [number, number, [string, number, number][]] | null; control: Record<string, number>; held: Record<string, number>; point: number; target: number; handQ: Table; handTurns: number;
  factors: Record<string, number>; // of curves: the units in which they are shown
  parameters: ParameterInfo[]; points: JointPoint[];
}
interface Kernels {
  memory: WebAssembly.Memory; drag(hand: number): number; close(hand: number): number;
  solve(desk: number): number; // the whole analysis; simulations begin, advance step by step, and are read
  begin(desk: number): number; advance(desk: number): number; read(desk: number): number;
}

const PLAIN = 0, HELD = 2, UNDERWAY = 3; // results; anything else needs Python
const STEPS = 10; // of a simulation between two looks at the clock
const FIRST = 100, SLICE = 40, OFTEN = 350; // ms: until the first picture, of work between two pictures, between two pictures of a motion that grows
const OPEN = 2; // result of `drag`: joints do not close

/** The solver of a page; null if the page does not solve. */
export async function solverOf(app: App): Promise<Solver | null> {
  const packed = document.getElementById("solver")?.textContent?.trim();
  if (!packed) return null;
  const stream = new Blob([fromText(packed) as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  const all = new Uint8Array(await new Response(stream).arrayBuffer()), size = new DataView(all.buffer).getUint32(0, true);
  const info = JSON.parse(new TextDecoder().decode(all.subarray(4, 4 + size))) as Description;
  const module = await WebAssembly.compile(all.subarray(4 + size));
  const { exports } = await WebAssembly.instantiate(module, { env: mathematics(module) });
  return new Solver(app, info, exports as unknown as Kernels);
}

/** What kernels call: functions of Math, by their names. */
export function mathematics(module: WebAssembly.Module): Record<string, (...numbers: number[]) => number> {
  const other: Record<string, (a: number, b: number) => number> = { fmod: (a, b) => a % b, fabs: (a) => Math.abs(a), rint: roundEven };
  return Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => {
    const known = other[name] ?? (Math as unknown as Record<string, (...numbers: number[]) => number>)[name];
    if (!known) throw new Error(`this page needs a function '${name}' that browsers do not have`);
    return [name, known];
  }));
}

function roundEven(a: number): number {
  const near = Math.round(a);
  return Math.abs(near - a) === 0.5 && near % 2 ? near - 1 : near;
}

export class Solver implements Pick<Line, "drag" | "drop" | "reseat"> {
  solutions = 0;
  answers = 0;
  slowest = 0; // ms for one answer to a hand
  lastMs = 0;
  readonly parameters: ParameterInfo[];
  private readonly first: Loaded;
  private readonly panel: ParameterPanel;
  private solved = false; // whether memory holds the motion with the present numbers
  private readable = 0; // output times of the motion shown that are in memory
  private paused: (() => void) | null = null; // goes on when a hand lets go
  private running = 0; // of the simulation that is under way
  private begunAt = 0;
  private begun = false;

  constructor(private readonly app: App, private readonly info: Description, private readonly kernels: Kernels) {
    this.first = app.loaded;
    this.parameters = info.parameters ?? [];
    this.panel = new ParameterPanel(this.parameters, (values) => this.change(values));
    app.live = this.parameters.length ? "drag bodies; change numbers on the right" : "drag bodies";
    app.panel.note(app.clip.info.note);
    if (info.why) return;
    this.paused = () => this.solve(null);
    setTimeout(() => { if (!this.solutions && !this.begun) this.solve(null); }, 200); // the first solution takes longer: do it before it is wanted
  }

  /** The values of parameters at present. */
  get values(): number[] { return Array.from(this.numbers(this.info.values, this.parameters.length)); }

  /** Repeat the analysis with other values. */
  change(values: number[]): void {
    this.numbers(this.info.values, values.length).set(values);
    this.solutions += 1;
    this.solve((status, reached) => this.show(status, reached));
  }

  /** Solve with the numbers in memory; simulations in slices, between which the page draws and listens. */
  private solve(then: ((status: number, reached: number) => void) | null): void {
    const run = ++this.running;
    this.solved = false;
    this.readable = 0;
    this.paused = () => this.solve(then);
    this.begunAt = performance.now();
    if (this.info.desks.solve) return this.finish(this.kernels.solve(this.info.desks.solve), then);
    let status = this.kernels.begin(this.info.desks.begin), drawn = this.begunAt;
    this.set(this.info.control.budget, STEPS);
    const go = (until: number): void => {
      if (run !== this.running) return;
      while (status === UNDERWAY && performance.now() < until) status = this.kernels.advance(this.info.desks.advance);
      if (status !== UNDERWAY) return this.finish(status, then);
      if (then) {
        const times = this.times(), end = times[times.length - 1];
        this.panel.tell(`${Math.floor((100 * this.number(this.info.control.time)) / end)} % ...`);
        if (drawn === this.begunAt || performance.now() - drawn > OFTEN) {
          this.kernels.read(this.info.desks.read);
          this.readable = this.whole(this.info.control.reached);
          then(UNDERWAY, this.readable);
          drawn = performance.now();
        }
      }
      setTimeout(() => go(performance.now() + SLICE), 0);
    };
    go(this.begunAt + (then ? FIRST : SLICE));
  }

  private finish(status: number, then: ((status: number, reached: number) => void) | null): void {
    if (this.info.desks.read && status === PLAIN) status = this.kernels.read(this.info.desks.read);
    this.solved = true;
    this.paused = null;
    this.readable = status === PLAIN || status === HELD ? this.whole(this.info.control.reached) : 0;
    then?.(status, this.readable);
  }

  private show(status: number, reached: number): void {
    const changed = this.values.some((value, k) => value !== this.parameters[k].value);
    if (reached > 1) this.app.renew(changed ? this.loaded(reached, status === UNDERWAY) : this.first);
    if (status === UNDERWAY) return;
    this.panel.tell(`solved in ${(performance.now() - this.begunAt).toPrecision(2)} ms`);
    if (status === HELD) this.app.panel.say(`the mechanism locks at t = ${this.number(this.info.control.time).toPrecision(5)} s`);
    else if (status === PLAIN) this.app.panel.say(this.pulling(reached));
    else this.app.panel.say("with these numbers the mechanism does not close, or passes a singular position; Python says why");
  }

  /** The first contact that would have to pull, as Python reports it; "" if none does. */
  private pulling(times: number): string {
    const [at, rows, contacts] = this.info.pushing ?? [0, 0, []];
    if (!rows) return "";
    const shown = this.frames().filter((frame) => frame < times);
    for (const [title, row, sign] of contacts) {
      const force = shown.map((frame) => sign * this.number(at + 8 * (rows * frame + row)) || 0), limit = -1e-6 * Math.max(...force.map(Math.abs));
      const first = force.findIndex((f) => f < limit);
      if (first >= 0) return `from t = ${Number(this.times()[first].toPrecision(6))} s on the contact of ${title} would have to pull, at worst with ${(-Math.min(...force)).toPrecision(4)} N: without a spring it lifts off`;
    }
    return "";
  }

  // --- the hand ------------------------------------------------------------------------------------------------------

  drag(body: number, pivot: number, point: number[], target: number[]): void {
    if (pivot >= 0) return this.move(this.first.doc.pivots[pivot].name, 0, target);
    const { info, app } = this, n = app.doc.dimensions, begun = performance.now();
    if (!this.begun) this.running += 1; // hands and simulations share memory: what is under way begins again afterwards
    if (!this.begun && !app.held) this.take(app.shownTime);
    this.begun = true;
    this.set(info.held.body, body);
    this.numbers(info.point, n).set(point.slice(0, n));
    this.numbers(info.target, n).set(target.slice(0, n));
    const status = this.kernels.drag(info.hand);
    const wide = n === 2 ? 3 : 7, q = this.numbers(...info.handQ);
    app.playing = false;
    app.hold(q.subarray(wide, wide * app.doc.bodies.length), null);
    app.panel.say(status === OPEN ? "the joints do not close" : "");
    this.lastMs = performance.now() - begun;
    this.slowest = Math.max(this.slowest, this.lastMs);
    this.answers += 1;
  }

  drop(): void {
    if (this.begun) this.paused?.();
    this.begun = false;
  }

  /** Move a pin on both of its bodies. */
  reseat(pin: number, target: number[]): void { this.move(this.first.doc.pins[pin].name, -1, target); }

  /** Give the points of a joint, and all that fall together with them, other coordinates; on one body, or on all but the ground. */
  private move(element: string, body: number, target: number[]): void {
    if (this.info.why) return this.app.panel.say("pivots stay where they are in this page: the analysis is not repeated in it", false);
    const { info, app } = this, values = this.values;
    const own = info.points.filter((p) => p.element === element && (body < 0 ? p.body > 0 : p.body === body));
    const moved = info.points.filter((p) => own.some((o) => o.body === p.body && o.at.every((x, k) => Math.abs(x - p.at[k]) < 1e-9)));
    if (!own.length || own.some((p) => p.parameters.some((k) => k < 0)))
      return app.panel.say(`the points of '${element}' are not among the numbers of this page`, false);
    for (const point of moved) {
      const at = point.body === 0 ? target : inBody(app.rows.table, point.body, target);
      point.parameters.forEach((k, axis) => { if (k >= 0) values[k] = Math.min(Math.max(at[axis], this.parameters[k].low), this.parameters[k].high); });
    }
    this.panel.show(values);
    this.change(values);
  }

  /** The position of the dragged mechanism: all bodies, as stored. */
  get position(): number[] { return Array.from(this.numbers(...this.info.handQ)); }

  /** A row of the motion in memory. */
  row(frame: number): number[] {
    this.ready();
    return Array.from(this.numbers(this.info.q[0] + 8 * frame * this.info.q[1], this.info.q[1]));
  }

  /** Begin to drag at a time of the motion shown. */
  private take(time: number): void {
    const { info, app } = this;
    if (info.why) return this.takeShown();
    if (info.desks.solve) this.ready();
    const row = this.frames()[app.clip.nearest(time)], [q, wide] = info.q, [size] = [info.handQ[1]];
    if (row >= this.readable) return this.takeShown();
    this.numbers(...info.handQ).set(this.numbers(q + 8 * row * wide, size));
    info.winding.forEach((measure, k) => {
      this.numbers(info.handTurns + 8 * measure, 1)[0] = this.numbers(info.turns[0] + 8 * (row * info.turns[1] + k), 1)[0];
    });
    this.numbers(info.held.time, 1)[0] = app.clip.times[app.clip.nearest(time)];
    this.kernels.close(info.hand);
  }

  /** Begin to drag from the picture, where the motion is not in memory. */
  private takeShown(): void {
    const { info, app } = this, wide = app.doc.dimensions === 2 ? 3 : 7, frame = app.clip.nearest(app.shownTime);
    const q = this.numbers(...info.handQ);
    for (let body = 1; body < app.doc.bodies.length; body++) q.set(app.clip.stored(body, frame), wide * body);
    this.numbers(info.held.time, 1)[0] = app.clip.times[frame];
    this.kernels.close(info.hand);
  }

  private ready(): void {
    if (this.solved || this.info.why) return;
    const { desks, control } = this.info;
    if (desks.solve) return this.finish(this.kernels.solve(desks.solve), null);
    this.running += 1;
    let status = this.kernels.begin(desks.begin);
    this.set(control.budget, 1e9);
    if (status === UNDERWAY) status = this.kernels.advance(desks.advance);
    this.finish(status, null);
  }

  // --- the result ----------------------------------------------------------------------------------------------------

  /** The document with the motion and the curves in memory, and the first motion as a ghost. */
  private loaded(reached: number, underway: boolean): Loaded {
    const { info } = this, known = underway ? info.curves.slice(0, 1) : info.curves, first = reshaped(this.first, info.points, this.values, this.parameters), rows = this.frames().filter((row) => row < reached), old = first.doc.clips[0];
    const added: Float64Array[] = [];
    let at = first.bytes.length;
    const put = (columns: number, numbers: Float64Array): Slice => {
      const slice: Slice = { at, rows: rows.length, columns, kind: "f64" };
      added.push(numbers);
      at += 8 * numbers.length;
      return slice;
    };
    const wide = (first.doc.dimensions === 2 ? 3 : 7) * (first.doc.bodies.length - 1), own = wide / (first.doc.bodies.length - 1);
    const poses = new Float64Array(rows.length * wide), times = this.app.clips[0] && this.times();
    rows.forEach((row, k) => poses.set(this.numbers(info.q[0] + 8 * (row * info.q[1] + own), wide), k * wide));
    const modal = Float64Array.from(rows.flatMap((row) => info.modal.map((k) => this.number(info.q[0] + 8 * (row * info.q[1] + k)))));
    const curves: CurveInfo[] = old.curves.flatMap((curve) => {
      const table = known.find(([names]) => names.includes(curve.name));
      if (!table) return [];
      const [names, place, columns] = table, column = names.indexOf(curve.name);
      const factor = info.factors[curve.name], values = Float64Array.from(rows, (row) => factor * this.number(place + 8 * (row * columns + column)));
      return [{ ...curve, values: put(1, values) }];
    });
    const arrows = old.arrows.flatMap((arrow) => {
      const [names, place, columns] = (underway ? null : info.reactions) ?? [[], 0, 0], k = arrow.kind === "applied" || arrow.path ? -1 : names.indexOf(arrow.name);
      if (k < 0) return [];
      const axes = arrow.unit === "N" ? [0, 1, 2].slice(0, first.doc.dimensions) : first.doc.dimensions === 2 ? [5] : [3, 4, 5];
      const vectors = rows.flatMap((row) => axes.map((axis) => this.number(place + 8 * (row * columns + 6 * k + axis))));
      return [{ ...arrow, values: put(axes.length, Float64Array.from(vectors)) }];
    });
    const clip: ClipInfo = {
      ...old, times: put(1, Float64Array.from(rows, (_, k) => times[k])), poses: put(wide, poses), modal: info.modal.length ? put(info.modal.length, modal) : null,
      stress: old.stress && { ...old.stress, time: NaN }, strands: null, curves, arrows, cuts: null, lecture: null,
    };
    const bytes = new Uint8Array(at);
    bytes.set(first.bytes);
    let place = first.bytes.length;
    for (const numbers of added) {
      bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), place);
      place += numbers.byteLength;
    }
    const { geometries, shapes, rods, names, traces, pivots, pins } = this.first.doc;
    return { doc: { ...first.doc, clips: [clip, { ...old, arrows: [], cuts: null, lecture: null }], ghost: 1, ghostScene: { geometries, shapes, rods, names, traces, pivots, pins } }, bytes };
  }

  private times(): Float64Array {
    this.known ??= this.app.clips[0].times.slice();
    return this.known;
  }
  private known: Float64Array | undefined;

  /** Rows of the motion in memory that are frames of the page. */
  private frames(): number[] { return this.info.frames.length ? this.info.frames : Array.from({ length: this.info.times }, (_, k) => k); }

  // --- memory --------------------------------------------------------------------------------------------------------

  private numbers(at: number, count: number): Float64Array { return new Float64Array(this.kernels.memory.buffer, at, count); }

  private number(at: number): number { return this.numbers(at, 1)[0]; }

  private whole(at: number): number { return new Int32Array(this.kernels.memory.buffer, at, 1)[0]; }

  private set(at: number, whole: number): void { new Int32Array(this.kernels.memory.buffer, at, 2).set([whole, 0]); }
}
