// The running page: current clip, time and selection, and one loop that draws after changes.

import { boldness, build, buildTraces, HEAD } from "./build";
import type { Loaded } from "./document";
import { type Arrow, Clip, clips, inWorld } from "./motion";
import { drawScale } from "./legend";
import { niceStep, Overlay } from "./overlay";
import { Panel } from "./panel";
import { Picture } from "./picture";
import { Plots } from "./plots";
import { layoutOf, Rows } from "./rows";
import { skinsOf } from "./skins";
import { scalesOf, showSkins } from "./skin_stage";
import { poseTexture, Stage } from "./stage";

const SHORTEST = 2, LONGEST = 12; // s, default duration of a clip
const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const FAR = { 2: 12, 3: 6 }; // in sizes of the mechanism: beyond this distance the camera follows it
const REST = 300; // ms after the last change: a finer picture is drawn
const CROWD = 16; // number of names shown by default
export const ARROW = 0.25; // default length of the largest arrow, relative to the mechanism,
export const TURN = 0.09; // and radius of the largest round arrow

export interface Chosen { row: number; element: number; body: number }

export class App {
  readonly stage: Stage;
  readonly overlay: Overlay;
  readonly plots: Plots;
  readonly panel: Panel;
  readonly picture: Picture;
  clips: Clip[];
  readonly speeds = SPEEDS;
  clip!: Clip;
  rows!: Rows;
  time = 0;
  playing = false;
  looping = true;
  speed = 1;
  chosen: Chosen | null = null;
  trouble: { text: string; at: [number, number, number] } | null = null;
  following = false; // whether the camera follows a body
  live = ""; // connection of a live page
  held = false; // whether poses come from dragging or a run in progress instead of the clip
  matched: number | null = null; // the time at which the computed motion passes through the poses of a hand
  drawn = 0; // frames so far
  first = 0; // ms from opening the page to the first of them
  readonly listeners: (() => void)[] = [];
  private tracked: [number, number, number] | null = null;
  private strands: ArrayLike<number> | null = null;
  private bent: ArrayLike<number> | null = null; // modal coordinates of poses that are held
  private ghost: { clip: Clip; rows: Rows; texture: ReturnType<typeof poseTexture> } | null = null;
  private boxes: Map<number, number[][]>[] = [];
  private texture!: ReturnType<typeof poseTexture>;
  private dirty = true;
  private restless = false; // whether the picture on the stage is a draft
  private changed = 0; // ms: when it was drawn
  private turned = true;
  private last = 0;
  private hovered: number | null = null;
  private forces = { shown: true, factor: 1 };
  scale = 1; // magnification of deformation
  scales = [1]; // those that are offered
  stressed = true; // whether stress is shown by colors

  constructor(public loaded: Loaded) {
    const { doc } = loaded, at = (id: string) => document.getElementById(id)!;
    this.stage = new Stage(at("glass") as HTMLCanvasElement, doc);
    this.overlay = new Overlay(at("under") as HTMLCanvasElement, at("over") as HTMLCanvasElement, doc, this.stage);
    this.plots = new Plots(at("plots"), at("chooser"), doc, { click: (t, curve, reach) => this.picture.click(t, curve, reach) || this.settle(t), hover: (t) => this.hover(t) });
    this.clips = clips(loaded);
    this.panel = new Panel(this);
    this.picture = new Picture(this);
    at("app").classList.toggle("bare", !this.clips.some((c) => c.curves.length) && !doc.findings.length);
    at("curves").style.display = at("plots").style.display = this.clips.some((c) => c.curves.length) ? "" : "none";
    this.overlay.names = doc.names.length <= CROWD;
    this.useClip(0);
    this.fit();
    if (Math.max(...doc.high.map((x, k) => x - doc.low[k])) > FAR[doc.dimensions] * doc.size) this.follow(true);
    this.stage.controls.addEventListener("change", () => this.turn());
    new ResizeObserver(() => this.resize()).observe(at("view"));
    new ResizeObserver(() => this.plots.resize()).observe(at("plots"));
    requestAnimationFrame((t) => this.loop(t));
  }

  get doc() { return this.loaded.doc; }
  get hasStress(): boolean { return this.clip.info.stress !== null; }
  get hasForces(): boolean { return this.clip.arrows.length + this.clip.turns.length > 0; }

  /** Show another clip, from its beginning. */
  useClip(number: number): void {
    const { doc } = this;
    this.clip = this.clips[number];
    const before = this.rows?.shifts;
    this.rows = new Rows(doc, layoutOf(doc, this.clip.arrows.length, this.clip.turns.length), skinsOf(this.loaded));
    before?.forEach((shift, k) => (this.rows.shifts[k] = shift));
    this.placeAt(this.clip, this.rows, this.clip.begin);
    this.rows.measure();
    this.texture = poseTexture(this.rows.table);
    const made = build(this.loaded, this.rows, this.clip);
    this.stage.level = made.level;
    this.stage.show("opaque", made.opaque, this.texture);
    this.stage.show("shell", made.shell, this.texture, { shell: true });
    this.stage.show("clear", made.clear, this.texture, { clear: true });
    this.stage.show("arrows", made.arrows, this.texture, { shadow: false });
    showSkins(this.stage, this.rows, this.loaded, this.texture, "");
    this.scales = scalesOf(this.clip, this.rows);
    this.boxes = [made.opaque, made.shell].map((solid) => solid.boxes());
    this.stage.show("traces", buildTraces(doc, this.clip, this.rows), this.texture, { pick: false, shadow: false });
    if (doc.ghost !== null) this.makeGhost(this.clips[doc.ghost]);
    const natural = this.clip.span / Math.min(Math.max(this.clip.span, SHORTEST), LONGEST) || 1;
    this.speed = SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / natural)) < Math.abs(Math.log(best / natural)) ? s : best), 1);
    this.plots.use(this.clip, this.ghost?.clip ?? null);
    this.picture.renew();
    this.panel.note(this.clip.info.note);
    this.seek(this.clip.begin);
    this.tell();
  }

  /** Show a new result of the same bodies and joints: camera, time and selected curves stay. */
  renew(loaded: Loaded): void {
    const time = this.time;
    this.loaded = loaded;
    this.stage.doc = this.overlay.doc = loaded.doc;
    this.clips = clips(loaded);
    this.rows.shifts.forEach((shift) => shift.fill(0));
    for (const group of ["ghost", "ghost shell", ...this.stage.groups("ghost skin")]) this.stage.remove(group);
    this.ghost = null;
    this.useClip(0);
    this.settle(time);
  }

  private makeGhost(clip: Clip): void {
    const doc = { ...this.doc, ...this.doc.ghostScene, findings: [] }, rows = new Rows(doc, layoutOf(doc, 0, 0), skinsOf({ ...this.loaded, doc }));
    this.placeAt(clip, rows, clip.begin);
    rows.measure();
    const texture = poseTexture(rows.table), still = Object.assign(Object.create(Object.getPrototypeOf(clip)), clip, { arrows: [], turns: [] }) as Clip;
    const made = build({ ...this.loaded, doc }, rows, still);
    this.stage.show("ghost", made.opaque, texture, { ghost: true, pick: false });
    this.stage.show("ghost shell", made.shell, texture, { ghost: true, pick: false });
    showSkins(this.stage, rows, { ...this.loaded, doc }, texture, "ghost ");
    this.ghost = { clip, rows, texture };
  }

  /** Bodies and their deformation at a time, and all that follows them. */
  private placeAt(clip: Clip, rows: Rows, time: number): void {
    clip.poseAt(time, rows.table);
    rows.deform(clip.modalAt(time), this.scale, this.stressed ? clip.info.stress?.limit ?? 0 : 0);
    rows.follow(clip.strandsAt(time));
  }

  /** Magnify the deformation of flexible bodies. */
  deform(scale: number): void {
    this.scale = scale;
    this.change();
    this.tell();
  }

  showStress(on: boolean): void {
    this.stressed = on;
    this.change();
    this.tell();
  }

  // --- time --------------------------------------------------------------------------------------------------------

  play(on = !this.playing): void {
    this.playing = on && this.clip.frames > 1;
    if (this.playing && this.time >= this.clip.end) this.time = this.clip.begin;
    this.hovered = null;
    this.release();
    this.tell();
  }

  /** Go to a time; the mechanism follows. */
  seek(time: number): void {
    this.time = Math.min(Math.max(time, this.clip.begin), this.clip.end);
    this.release();
    this.change();
  }

  /** Go to a time and stop there. */
  settle(time: number): void {
    this.playing = false;
    this.hovered = null;
    this.seek(time);
    this.tell();
  }

  step(frames: number): void {
    const k = Math.min(Math.max(this.clip.nearest(this.time) + frames, 0), this.clip.frames - 1);
    this.settle(this.clip.times[k]);
  }

  /** The cursor over a plot moves the mechanism; when it leaves, the mechanism goes back. */
  private hover(time: number | null): void {
    if (this.playing) return;
    this.hovered = time === null ? null : Math.min(Math.max(time, this.clip.begin), this.clip.end);
    this.release();
    this.change();
  }

  get shownTime(): number { return this.held && this.matched !== null ? this.matched : this.picture.snapped(this.hovered ?? this.time); }

  /** Whether a hand has left the computed motion: velocities, forces and curves are not known there. */
  get astray(): boolean { return this.held && this.matched === null; }

  // --- what else changes ---------------------------------------------------------------------------------------------

  /** Poses from dragging or from a run in progress. */
  hold(poses: ArrayLike<number>, strands: ArrayLike<number> | null, modal: ArrayLike<number> | null = null): void {
    const wide = this.doc.dimensions === 2 ? 3 : 7;
    for (let b = 1; b < this.doc.bodies.length; b++) {
      const pose = Array.from({ length: wide }, (_, k) => poses[wide * (b - 1) + k]);
      this.rows.setBody(b, pose);
    }
    this.held = true;
    this.strands = strands;
    this.bent = modal;
    this.matched = this.clip.timeOf(poses, this.time);
    this.hovered = null;
    if (this.matched !== null) this.time = this.matched;
    this.change();
    this.tell();
  }

  release(): void {
    this.held = false;
    this.matched = null;
    this.trouble = null;
    this.strands = this.bent = null;
    this.panel.say("");
  }

  choose(found: { row: number; element: number } | null): void {
    const row = found ? this.rows.bodyOf(found.row) : -1;
    this.chosen = found && { ...found, row, body: row < this.doc.bodies.length ? row : -1 };
    this.stage.mark(row, []);
    this.change();
    this.tell();
  }

  mark(elements: number[]): void {
    this.chosen = null;
    this.stage.mark(-1, elements);
    this.change();
    this.tell();
  }

  showForces(shown: boolean, factor: number): void {
    this.forces = { shown, factor };
    this.change();
  }

  /** The camera follows the selected body, or the first one. */
  follow(on: boolean): void {
    this.following = on && this.doc.bodies.length > 1;
    this.tracked = this.following ? this.leader() : null;
    this.fit();
    this.turn();
    this.tell();
  }

  /** Fill the picture with the whole motion, or with the mechanism where the camera follows it. */
  fit(): void {
    const times = this.following ? [this.shownTime] : sampled(this.clip.begin, this.clip.end), { low, high } = this.doc;
    if (this.doc.dimensions === 2) this.stage.frame(this.following ? [this.leader(), ...this.content(times)] : [low, high, ...this.tips(times), ...this.bends(times)], false);
    else this.stage.frame([...this.content(times), ...this.tips(times)], !this.following);
    this.stage.fit(this.tracked);
    this.turn();
  }

  /** Corners of everything drawn, at some times, in global axes; not of the ground's planes. */
  private content(times: number[]): number[][] {
    const found: number[][] = [], { rows } = this, kept = rows.table.slice();
    for (const time of times) {
      this.place(time);
      for (const skin of rows.skins) found.push(...skin.sampled(rows.table));
      for (const boxes of this.boxes) for (const [row, corners] of boxes) if (row > 0 || !this.following) for (const corner of corners) found.push(inWorld(rows.table, row, corner));
    }
    rows.table.set(kept);
    return found.length ? found : [this.doc.low, this.doc.high];
  }

  /** Points of the flexible bodies at some times. */
  private bends(times: number[]): number[][] {
    const { rows } = this, kept = rows.table.slice();
    const found = rows.skins.length ? times.flatMap((time) => (this.place(time), rows.skins.flatMap((skin) => skin.sampled(rows.table)))) : [];
    rows.table.set(kept);
    return found;
  }

  /** The tips of the arrows of forces at some times. */
  private tips(times: number[]): number[][] {
    const { clip, rows } = this, scale = this.arrowScale(clip.arrows, ARROW), kept = rows.table.slice();
    const found = times.flatMap((time) => {
      clip.poseAt(time, rows.table);
      return clip.arrows.map((arrow) => {
        const force = clip.arrowAt(arrow, time);
        return rows.tail(clip, arrow, time).map((x, k) => x + scale * force[k]);
      });
    });
    rows.table.set(kept);
    return this.held || !this.forces.shown ? [] : found;
  }

  private leader(): [number, number, number] {
    return inWorld(this.rows.table, this.chosen && this.chosen.body > 0 ? this.chosen.body : 1, [0, 0, 0]);
  }

  change(): void { this.dirty = true; }

  turn(): void { this.dirty = this.turned = true; }

  tell(): void { for (const listener of this.listeners) listener(); }

  resize(): void {
    this.stage.resize();
    this.plots.resize();
    this.turn();
  }

  // --- drawing -------------------------------------------------------------------------------------------------------

  private loop(now: number): void {
    requestAnimationFrame((t) => this.loop(t));
    const passed = Math.min(Math.max(now - this.last, 0), 250) / 1e3; // the first time stamp may be before the start of the page
    this.last = now;
    if (this.playing) this.advance(passed * this.speed);
    if (this.dirty) this.draw();
    else if (this.restless && now - this.changed > REST) this.drawNow();
  }

  private advance(by: number): void {
    const { begin, end, span } = this.clip;
    let next = this.time + by;
    if (next > end) {
      if (this.looping) next = begin + ((next - begin) % (span || 1));
      else [next, this.playing] = [end, false];
    }
    this.time = next;
    this.change();
    this.tell();
  }

  /** Draw a still picture. */
  drawNow(): void { this.draw(true); }

  /** Everything where it is at a time, or where a hand holds it. */
  private place(time: number): void {
    if (!this.held) return this.placeAt(this.clip, this.rows, time);
    if (this.bent) this.rows.deform(this.bent, this.scale, this.stressed ? this.clip.info.stress?.limit ?? 0 : 0);
    this.rows.follow(this.strands);
  }

  /** What is written over the stage. */
  private words(): ((pen: CanvasRenderingContext2D) => void) | null {
    const more = this.picture.overStage(this.forces.shown), stress = this.clip.info.stress, { canvas } = this.stage;
    if (!stress || !this.stressed) return more;
    return (pen) => {
      more?.(pen);
      drawScale(pen, stress, this.doc, canvas.clientWidth);
    };
  }

  private draw(still = false): void {
    const { rows, clip } = this, time = this.shownTime;
    this.place(time);
    if (this.following) {
      const now = this.leader(), before = this.tracked ?? now;
      this.stage.shift(now.map((x, k) => x - before[k]));
      [this.tracked, this.turned] = [now, true];
    }
    const scale = this.arrowScale(clip.arrows, ARROW), head = HEAD * boldness(this.doc);
    rows.point(clip, time, scale, (arrow) => this.arrowShown(arrow), head);
    rows.twist(clip, time, this.arrowScale(clip.turns, TURN), (arrow) => this.arrowShown(arrow));
    this.texture.needsUpdate = true;
    if (this.ghost) {
      this.placeAt(this.ghost.clip, this.ghost.rows, time);
      this.ghost.texture.needsUpdate = true;
    }
    this.overlay.numbered = !this.following;
    if (this.turned) this.overlay.drawAxes();
    this.stage.render(this.following ? this.tracked : null, still);
    this.overlay.drawWords(rows, this.arrowWord(scale), this.trouble, this.words());
    this.plots.follow(this.astray ? NaN : time);
    this.panel.follow();
    this.picture.follow(this.turned);
    this.dirty = this.turned = false;
    this.first ||= performance.now();
    this.drawn += Number(!still);
    this.restless = !still && this.stage.hasDraft;
    this.changed = performance.now();
  }

  private arrowShown(arrow: Arrow): boolean {
    return this.forces.shown && !this.astray && arrow.largest > 0;
  }

  /** Meters per newton, or per newton meter: the length of the largest arrow is `share` of the mechanism. */
  arrowScale(arrows: Arrow[], share: number): number {
    const largest = Math.max(...arrows.map((a) => a.largest), 0);
    return largest > 0 ? (this.forces.factor * share * this.doc.size) / largest : 0;
  }

  /** The force of an arrow of about a hundred pixels. */
  private arrowWord(scale: number): { text: string; pixels: number } | null {
    if (!scale || !this.forces.shown || this.astray) return null;
    const a = this.stage.controls.target.toArray(), across = this.stage.unproject(...(this.stage.project(a).slice(0, 2) as [number, number]), a);
    const right = this.stage.unproject(this.stage.project(a)[0] + 100, this.stage.project(a)[1], a);
    const [factor, unit] = this.doc.units.N, meters = Math.hypot(...right.map((x, k) => x - across[k])), force = niceStep((0.5 * meters * factor) / scale) / factor;
    return { text: `${Number((factor * force).toPrecision(1))} ${unit}`, pixels: (100 * force * scale) / meters };
  }
}

function sampled(begin: number, end: number): number[] { return Array.from({ length: 9 }, (_, k) => begin + ((end - begin) * k) / 8); }
