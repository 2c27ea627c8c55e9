// Curves of the motion beside the drawing: one panel per unit, variants in gray, a cursor at the time shown.

import uPlot from "uplot";
import { make } from "./make";
import type { Motion, State } from "./types";

export class Plots {
  private plots: uPlot[] = [];
  private key = "";
  private variants: { times: number[]; curves: Motion["curves"] }[] = [];
  private state: State | null = null;

  constructor(private readonly box: HTMLElement, private readonly seek: (frame: number) => void, private readonly simulate: (duration: number) => void) {
    new ResizeObserver(() => this.resize()).observe(box);
  }

  get count(): number { return this.variants.length; }

  /** Keep the curves as they are, in gray, to compare with later ones. */
  pin(): void {
    const motion = this.state?.motion;
    if (motion) this.variants.push({ times: motion.times, curves: motion.curves });
    this.key = "";
    if (this.state) this.take(this.state);
  }

  unpin(): void { this.variants = []; this.key = ""; if (this.state) this.take(this.state); }

  take(state: State): void {
    this.state = state;
    const motion = state.motion, curves = motion?.curves ?? [];
    const key = JSON.stringify([state.free, state.status.undriven, curves.map((c) => [c.name, c.unit]), this.variants.length, this.variants.map((v) => v.times.length), motion?.times.length]);
    if (key !== this.key || !motion) this.build(state);
    else this.fill(motion);
    this.key = key;
  }

  private groups(motion: Motion): { unit: string; curves: Motion["curves"] }[] {
    const units = [...new Set(motion.curves.map((c) => c.unit))];
    return units.map((unit) => ({ unit, curves: motion.curves.filter((c) => c.unit === unit) }));
  }

  /** Values of a variant at other times. */
  private at(variant: { times: number[] }, values: number[], times: number[]): number[] {
    const span = variant.times[variant.times.length - 1] || 1, end = times[times.length - 1] || 1;
    return times.map((t) => {
      const wanted = (t / end) * span;
      let k = variant.times.findIndex((x) => x >= wanted - 1e-12);
      k = k < 0 ? variant.times.length - 1 : k;
      if (!k) return values[0];
      const share = (wanted - variant.times[k - 1]) / (variant.times[k] - variant.times[k - 1] || 1);
      return values[k - 1] + share * (values[k] - values[k - 1]);
    });
  }

  private rows(motion: Motion, curves: Motion["curves"]): number[][] {
    const old = this.variants.flatMap((v) => curves.map((c) => v.curves.find((o) => o.name === c.name)).map((o) => (o ? this.at(v, o.values, motion.times) : motion.times.map(() => NaN))));
    return [motion.times, ...old, ...curves.map((c) => c.values)];
  }

  private build(state: State): void {
    for (const plot of this.plots) plot.destroy();
    this.plots = [];
    this.box.replaceChildren();
    const { motion, palette } = state;
    if ((state.status.undriven ?? 0) > 0) this.box.append(this.freeMotion(state));
    else if (!motion) this.box.append(make("p", { class: "quiet" }, "There is no motion to plot yet."));
    if (!motion) return;
    for (const { unit, curves } of this.groups(motion)) {
      const grays = this.variants.flatMap(() => curves.map((c) => ({ label: `${c.name} before`, stroke: "#b8bec9", width: 1.2, points: { show: false } })));
      const series = curves.map((c) => ({ label: c.name, stroke: palette.curves[motion.curves.indexOf(c) % palette.curves.length], width: 1.8, points: { show: false }, value: (_: uPlot, v: number | null) => (v === null ? "" : String(Number(v.toPrecision(5)))) }));
      const plot = new uPlot({
        width: Math.max(this.box.clientWidth - 8, 120), height: 190, pxAlign: 0, scales: { x: { time: false } }, legend: { live: true }, cursor: { drag: { x: false, y: false } },
        axes: [{ size: 32, grid: { stroke: "#eef0f3" } }, { size: 58, label: unit || "1", labelSize: 16, grid: { stroke: "#eef0f3" } }],
        series: [{ label: "t [s]" }, ...grays, ...series],
        hooks: { draw: [(u) => this.cursor(u)] },
      }, this.rows(motion, curves) as uPlot.AlignedData, this.box);
      plot.over.addEventListener("pointerdown", (e) => this.click(plot, e));
      plot.over.addEventListener("pointermove", (e) => { if (e.buttons) this.click(plot, e); });
      plot.over.addEventListener("mouseleave", () => setTimeout(() => this.tell(plot), 0));
      this.plots.push(plot);
      this.tell(plot);
    }
  }

  /** The duration of the free motion of a mechanism that no motor drives, and whether it is shown. */
  private freeMotion(state: State): HTMLElement {
    const { duration, shown } = state.free, field = make("input", { type: "number", min: "0", step: "any", value: String(duration), "aria-label": "duration of the free motion" });
    const start = () => { if (Number(field.value) > 0) this.simulate(Number(field.value)); };
    field.addEventListener("keydown", (e) => { if (e.key === "Enter") start(); });
    const buttons = [make("button", { id: "simulate", onclick: start }, "Simulate"), ...(shown ? [make("button", { id: "hide-simulation", onclick: () => this.simulate(0) }, "Hide")] : [])];
    return make("p", { class: "free-motion", title: "under gravity, springs and motors; computed again after every change" }, "Free motion for ", field, " s ", ...buttons);
  }

  private fill(motion: Motion): void {
    this.groups(motion).forEach(({ curves }, k) => this.plots[k]?.setData(this.rows(motion, curves) as uPlot.AlignedData));
    for (const plot of this.plots) this.tell(plot);
  }

  /** The values under the cursor; without one, those at the time shown. */
  private tell(plot: uPlot): void {
    const times = Array.from(plot.data[0]), { time } = this;
    if (time === null || !times.length || (plot.cursor.left ?? -1) >= 0) return;
    plot.setLegend({ idx: times.reduce((best, t, k) => (Math.abs(t - time) < Math.abs(times[best] - time) ? k : best), 0) });
  }

  private click(plot: uPlot, e: PointerEvent): void {
    const time = plot.posToVal(e.clientX - plot.over.getBoundingClientRect().left, "x"), times = this.state!.motion!.times;
    this.seek(times.reduce((best, t, k) => (Math.abs(t - time) < Math.abs(times[best] - time) ? k : best), 0));
  }

  private time: number | null = null;

  follow(time: number | null): void {
    if (time === this.time) return;
    this.time = time;
    for (const plot of this.plots) {
      plot.redraw(false, false);
      this.tell(plot);
    }
  }

  private cursor(plot: uPlot): void {
    if (this.time === null) return;
    const x = plot.valToPos(this.time, "x", true), { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = "#c8102e";
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  resize(): void { for (const plot of this.plots) plot.setSize({ width: Math.max(this.box.clientWidth - 8, 120), height: 190 }); }
}
