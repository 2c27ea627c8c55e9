// The panel below the curves: a free-body diagram opened by a click on a curve, or a polygon; it follows the mechanism.

import { type App, ARROW, TURN } from "./app";
import { arrowColor } from "./build";
import { type Acting, actingAt, brief, type Cut, cutDrawing, cutTable, summed } from "./cut";
import { drawDiagram } from "./diagram";
import { type LectureInfo, shown } from "./document";
import { drawPoles, instantAt, nearestOf, polygonDrawing, polygonTable } from "./lecture";
import type { Arrow, Curve } from "./motion";

const READ = 8, LEAST = 13; // number of labeled forces, and of torques; smallest radius in pixels

export type Kind = "cut" | "velocity" | "acceleration";

export class Picture {
  kind: Kind | null = null;
  poles = false;
  cut: Cut | null = null;
  ask: ((body: number, time: number) => void) | null = null; // from Python, in a live page
  askInstant: ((time: number) => void) | null = null;
  instant: ({ time: number } & LectureInfo["instants"][number]) | null = null;
  private body = 1;
  private choices: number[] = [];
  private drawn = ""; // content of the panel
  private readonly box = document.getElementById("picture")!;
  private readonly svg = document.getElementById("diagram") as unknown as SVGSVGElement;
  private readonly select = document.getElementById("link") as HTMLSelectElement;

  constructor(private readonly app: App) {
    this.select.onchange = () => this.openCut(Number(this.select.value), this.choices);
    document.getElementById("close")!.onclick = () => this.show(null);
    const toggle = (id: string, act: () => void) => (document.getElementById(id)!.onclick = act);
    for (const kind of ["velocity", "acceleration"] as const) toggle(kind, () => this.show(this.kind === kind ? null : kind));
    toggle("poles", () => { this.poles = !this.poles; app.change(); app.tell(); });
    toggle("cut", () => (this.kind === "cut" ? this.show(null) : this.openCut(Math.max(app.chosen?.body ?? 1, 0), app.doc.bodies.map((_, k) => k))));
    app.listeners.push(() => this.press());
  }

  /** Precomputed frames; the mechanism steps through them while the panel is shown. */
  snapped(time: number): number {
    const { clip } = this.app, lecture = clip.info.lecture;
    if (!lecture || !(this.poles || this.kind === "velocity" || this.kind === "acceleration")) return time;
    return clip.times[lecture.frames[nearestOf(lecture.frames, clip.times, time)]];
  }

  /** A click on a force curve: go to the largest value near the cursor and show the free-body diagram. */
  click(time: number, curve: Curve, reach: number): boolean {
    const { app } = this, { clip, doc } = app, cuts = clip.info.cuts, element = curve.name.slice(0, curve.name.lastIndexOf("."));
    if (!cuts || ![app.doc.units.N[1], app.doc.units["N m"][1]].includes(curve.unit)) return false;
    const named = doc.elements.find((e) => e.name === element)?.bodies ?? [];
    const bodies = cuts.frames.length ? cuts.bodies.flatMap((acting, k) => (acting.some((a) => a.name === element) ? [k] : [])) : named;
    if (!bodies.length) return false;
    const frames = cuts.frames.length ? cuts.frames : Array.from(clip.times.keys());
    const near = frames.filter((k) => Math.abs(clip.times[k] - time) <= reach), size = (k: number) => Math.abs(curve.values[k]);
    const frame = near.length ? near.reduce((a, b) => (size(b) > size(a) ? b : a)) : frames[nearestOf(frames, clip.times, time)];
    this.app.settle(clip.times[frame]);
    this.openCut(bodies.find((b) => b === this.body && this.kind === "cut") ?? bodies.find((b) => b > 0) ?? bodies[0], bodies);
    return true;
  }

  openCut(body: number, choices: number[]): void {
    [this.body, this.choices] = [body, choices];
    this.select.replaceChildren(...choices.map((k) => new Option(this.app.doc.bodies[k].name, String(k), false, k === body)));
    this.show("cut");
  }

  show(kind: Kind | null): void {
    const opens = (kind === null) !== (this.kind === null);
    this.kind = kind;
    this.drawn = "";
    this.box.style.display = kind ? "flex" : "none";
    this.select.style.display = kind === "cut" ? "" : "none";
    document.getElementById("app")!.classList.toggle("open", kind !== null);
    if (opens) this.app.resize();
    this.app.change();
    this.app.tell();
  }

  /** Clear the data of another clip. */
  renew(): void {
    const { cuts, lecture } = this.app.clip.info;
    if (!lecture) this.poles = false;
    if ((this.kind === "cut" && !cuts) || (this.kind && this.kind !== "cut" && !lecture)) this.show(null);
    this.drawn = "";
  }

  /** Update the panel to the current time. */
  follow(turned: boolean): void {
    if (!this.kind) return;
    if (this.app.astray) return this.lost();
    const { app } = this, { clip } = app, eye = turned && app.doc.dimensions === 3 && this.kind === "cut";
    const frames = this.kind === "cut" ? clip.info.cuts!.frames : clip.info.lecture!.frames;
    const exact = this.kind !== "cut" && this.instant?.time === app.shownTime; // computed by Python for this position
    if (app.held && this.kind !== "cut" && this.askInstant && !exact) this.askInstant(app.shownTime);
    const kept = frames.length && !exact && !(this.kind === "cut" && this.ask && !app.playing) ? nearestOf(frames, clip.times, app.shownTime) : -1;
    const time = kept < 0 ? app.shownTime : clip.times[frames[kept]];
    const now = `${this.kind} ${this.body} ${time}`;
    if (now === this.drawn && !eye) return;
    if (this.kind !== "cut") {
      const polygon = instantAt(app, clip.info.lecture!)[this.kind];
      this.put(`${this.kind} polygon, t = ${Number(time.toPrecision(6))} s`, polygonTable(polygon), polygon.missing.length ? `without ${polygon.missing.join(", ")}: this picture supports pins, guides, slots, rods, gears and wheels` : "");
      drawDiagram(this.svg, polygonDrawing(polygon));
    } else if (kept >= 0) this.take(this.body, time, actingAt(app, this.body, kept));
    else if (now === this.drawn && this.cut) drawDiagram(this.svg, cutDrawing(app, this.cut));
    else if (this.ask) this.ask(this.body, time);
    else this.explain(`There are more forces than a file stores. A live page shows them, or Python: run.free_body("${app.doc.bodies[this.body].name}", at=${Number(time.toPrecision(8))})`);
    this.drawn = now;
  }

  /** The polygons of a position that a hand has found on the motion, from Python. */
  takeInstant(time: number, instant: LectureInfo["instants"][number]): void {
    this.instant = { time, ...instant };
    this.app.change();
  }

  /** Off the computed motion there is nothing to show. */
  private lost(): void {
    if (this.drawn === "lost") return;
    this.drawn = "lost";
    this.cut = null;
    this.svg.replaceChildren();
    this.put(this.kind === "cut" ? "free body:" : `${this.kind} polygon`, [], "The mechanism was dragged off the computed motion: speeds and forces are not known here. Reset shows the motion again.");
  }

  /** The numbers of a free body, from the file or from Python. */
  take(body: number, time: number, acting: Acting[]): void {
    const { app } = this;
    if (this.kind !== "cut" || body !== this.body) return;
    this.cut = summed(body, time, acting, app.doc.size);
    const { left } = this.cut, balance = left < 1e-6 ? "in balance" : "NOT IN BALANCE";
    this.put(`free body, t = ${Number(time.toPrecision(6))} s:`, cutTable(app, this.cut), `${balance}: ${left.toExponential(1)} of the largest force remains`);
    drawDiagram(this.svg, cutDrawing(app, this.cut));
  }

  explain(text: string): void {
    this.cut = null;
    this.svg.replaceChildren();
    this.put("free body:", [], text);
  }

  /** Text over the stage: poles, and numbers of forces and torques. */
  overStage(forces: boolean): ((pen: CanvasRenderingContext2D) => void) | null {
    const { app } = this, { lecture } = app.clip.info, poles = this.poles && lecture && !app.astray;
    const named = forces && !app.astray && app.hasForces;
    if (!poles && !named) return null;
    return (pen) => {
      if (named) this.nameForces(pen);
      if (poles) drawPoles(pen, app, instantAt(app, lecture).poles);
    };
  }

  /** The numbers of the largest forces and torques, as far as there is room. */
  private nameForces(pen: CanvasRenderingContext2D): void {
    const { app } = this, { clip, stage } = app, time = app.shownTime, { labels } = app.overlay;
    const named = (arrows: Arrow[], share: number, unit: string, tip: (arrow: Arrow, vector: number[], scale: number) => number[] | null) => {
      const scale = app.arrowScale(arrows, share);
      for (const arrow of [...arrows].sort((a, b) => b.largest - a.largest).slice(0, READ)) {
        const vector = clip.arrowAt(arrow, time), at = tip(arrow, vector, scale), size = Math.hypot(...vector);
        if (at) labels.write(pen, `${unit} ${arrow.name} ${arrow.at.body}`, shown(app.doc, arrow.wide === 1 ? vector[2] : size, unit, brief), at[0], at[1], arrow.kind === "driver" ? "#8f5f00" : arrowColor(arrow.kind), "11px system-ui, sans-serif");
      }
    };
    const [right, up] = stage.paper();
    named(clip.turns, TURN, "N m", (turn, torque, scale) => {
      const radius = scale * Math.hypot(...torque), [x, y, z] = app.rows.tail(clip, turn, time), out = 0.75 * radius;
      const here = stage.project([x, y, z]), rim = stage.project([x + radius * right[0], y + radius * right[1], z + radius * right[2]]);
      if (Math.hypot(rim[0] - here[0], rim[1] - here[1]) < LEAST) return null;
      return stage.project([x + out * (right[0] + up[0]), y + out * (right[1] + up[1]), z + out * ((right[2] ?? 0) + (up[2] ?? 0))]);
    });
    named(clip.arrows, ARROW, "N", (arrow, force, scale) => {
      const from = app.rows.tail(clip, arrow, time), a = stage.project(from), b = stage.project(from.map((x, k) => x + scale * force[k]));
      return Math.hypot(b[0] - a[0], b[1] - a[1]) < 2 * LEAST ? null : b;
    });
  }

  private put(title: string, rows: string[][], sentence: string): void {
    document.getElementById("picture-title")!.textContent = title;
    document.getElementById("sentence")!.textContent = sentence;
    const table = document.createElement("table");
    for (const row of rows) {
      const line = table.insertRow();
      for (const cell of row) line.insertCell().textContent = cell;
    }
    document.getElementById("numbers")!.replaceChildren(table);
    document.getElementById("numbers")!.classList.toggle("wide", (rows[0]?.length ?? 0) > 5);
    this.box.dataset.kind = this.kind ?? "";
  }

  private press(): void {
    const { cuts, lecture } = this.app.clip.info;
    for (const [id, on, there] of [["cut", this.kind === "cut", cuts], ["velocity", this.kind === "velocity", lecture], ["acceleration", this.kind === "acceleration", lecture], ["poles", this.poles, lecture]] as const) {
      const button = document.getElementById(id)!;
      button.style.display = there ? "" : "none";
      button.setAttribute("aria-pressed", String(on));
    }
  }
}
