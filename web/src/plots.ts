// Curves over time, linked to the mechanism: moving over a plot moves the mechanism, a click stops there.

import uPlot from "uplot";
import type { Document } from "./document";
import type { Clip, Curve } from "./motion";

const MOST = 4; // default number of panels
const LEGEND = 26; // px: one line of names below a plot
const REACH = 6; // pixels within which a click finds the largest value

interface Shown { plot: uPlot; curves: Curve[]; marks: HTMLElement[] }

/** `reach` is the time tolerance of a click. */
export interface Times { click(time: number, curve: Curve, reach: number): void; hover(time: number | null): void }

/** One panel per unit of the selected curves. */
export class Plots {
  private panels: Shown[] = [];
  private chosen: Set<string>;
  private clip!: Clip;
  private ghost: Clip | null = null;
  private now = 0;

  constructor(private readonly root: HTMLElement, private readonly chooser: HTMLElement, private readonly doc: Document, private readonly times: Times) {
    this.chosen = new Set(doc.show);
  }

  use(clip: Clip, ghost: Clip | null): void {
    [this.clip, this.ghost] = [clip, ghost];
    this.list();
    this.draw();
  }

  /** Set the cursor of all panels to a time. */
  follow(time: number): void {
    this.now = time;
    for (const panel of this.panels) this.cursor(panel);
  }

  resize(): void {
    const [width, height] = this.size();
    for (const { plot } of this.panels) plot.setSize({ width, height });
    this.follow(this.now);
  }

  choose(names: string[]): void {
    this.chosen = new Set(names);
    this.list();
    this.draw();
  }

  get shown(): string[] { return this.clip.curves.map((c) => c.name).filter((name) => this.chosen.has(name)); }

  private size(): [number, number] {
    const count = Math.max(this.panels.length || this.groups().length, 1);
    const legend = Math.max(LEGEND, ...this.panels.map(({ plot }) => plot.root.querySelector<HTMLElement>(".u-legend")?.offsetHeight ?? 0));
    return [this.root.clientWidth, Math.max(Math.floor(this.root.clientHeight / Math.min(count, MOST)) - legend, 110)];
  }

  private groups(): [string, Curve[]][] {
    const found = new Map<string, Curve[]>();
    for (const curve of this.clip.curves)
      if (this.chosen.has(curve.name)) found.set(curve.unit, [...(found.get(curve.unit) ?? []), curve]);
    return [...found];
  }

  private list(): void {
    this.chooser.replaceChildren();
    for (const curve of this.clip.curves) {
      const line = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox";
      box.checked = this.chosen.has(curve.name);
      box.onchange = () => {
        if (box.checked) this.chosen.add(curve.name);
        else this.chosen.delete(curve.name);
        this.draw();
      };
      line.dataset.name = curve.name;
      line.append(box, ` ${curve.name}${curve.unit ? ` [${curve.unit}]` : ""}`);
      this.chooser.append(line);
    }
  }

  private draw(): void {
    for (const { plot } of this.panels) plot.destroy();
    this.root.replaceChildren();
    this.panels = [];
    const groups = this.groups();
    if (!groups.length) {
      const empty = document.createElement("p");
      empty.className = "quiet";
      empty.textContent = this.clip.curves.length ? "Choose curves above." : "This page has no curves.";
      this.root.append(empty);
      return;
    }
    const [width, height] = this.size();
    groups.forEach(([unit, curves], k) => {
      const plot = this.panel(unit, curves, width, height, k === groups.length - 1);
      const marks = [plot.over.appendChild(element("now")), ...curves.map(() => plot.over.appendChild(element("dot")))];
      marks.forEach((mark, j) => (mark.style.background = j ? this.doc.palette.curves[(j - 1) % this.doc.palette.curves.length] : this.doc.palette.accent));
      this.panels.push({ plot, curves, marks });
    });
    this.resize(); // legends of many curves take several lines
  }

  private panel(unit: string, curves: Curve[], width: number, height: number, last: boolean): uPlot {
    const { ghost } = this;
    const colors = this.doc.palette.curves, twin = (c: Curve) => ghost?.curves.find((g) => g.name === c.name);
    const twins = ghost ? curves.filter(twin) : [];
    const axis = { stroke: this.doc.palette.ground, grid: { stroke: this.doc.palette.faint, width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif", values: (_: uPlot, at: number[]) => at.map((v) => String(Number(v.toPrecision(6)))) };
    const options: uPlot.Options = {
      width, height, pxAlign: 0,
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      legend: { live: false, markers: { width: 2 } },
      scales: { x: { time: false }, y: { range: roomy } },
      axes: [
        { ...axis, label: last ? "time [s]" : undefined, labelSize: 16, labelFont: axis.font, size: 22, gap: 2 },
        { ...axis, label: unit ? `[${unit}]` : "[-]", labelSize: 18, labelFont: axis.font, size: 54, gap: 2 },
      ],
      series: [
        { label: "time" },
        ...curves.map((c, k) => ({ label: c.name, stroke: colors[k % colors.length], width: 1.6, points: { show: c.values.length < 3 } })),
        ...twins.map((c) => ({ label: `${c.name}, ${ghost!.info.name}`, stroke: "#8b93a1", width: 1.2, dash: [5, 4], points: { show: false } })),
      ],
      hooks: { setCursor: [(plot) => this.moved(plot)] },
    };
    const data = [this.clip.times, ...curves.map((c) => c.values), ...twins.map((c) => resampled(ghost!, twin(c)!, this.clip.times))];
    const plot = new uPlot(options, data as unknown as uPlot.AlignedData, this.root);
    plot.over.addEventListener("click", ({ offsetX: x, offsetY: y }) => {
      const time = plot.posToVal(x, "x"), k = this.clip.nearest(time), away = (c: Curve) => Math.abs(plot.valToPos(c.values[k], "y") - y);
      this.times.click(time, curves.reduce((a, b) => (away(b) < away(a) ? b : a)), plot.posToVal(x + REACH, "x") - time);
    });
    plot.over.addEventListener("mouseleave", () => this.times.hover(null));
    plot.over.dataset.unit = unit;
    return plot;
  }

  private moved(plot: uPlot): void {
    const { left } = plot.cursor;
    if (left !== undefined && left !== null && left >= 0 && plot.over.matches(":hover")) this.times.hover(plot.posToVal(left, "x"));
  }

  /** A line at the current time, with a dot on each curve: elements over the plot, which need no redrawing. */
  private cursor(panel: Shown): void {
    const { plot, marks } = panel, x = plot.valToPos(this.now, "x"), [k, share] = this.clip.place(this.now);
    const inside = x >= -1 && x <= plot.over.clientWidth + 1;
    marks.forEach((mark, j) => {
      mark.style.display = inside ? "block" : "none";
      const values = j > 0 ? panel.curves[j - 1].values : null;
      const value = values ? (share > 0 ? values[k] + share * (values[k + 1] - values[k]) : values[k]) : 0;
      mark.style.transform = `translate(${x}px, ${values ? plot.valToPos(value, "y") : 0}px)`;
    });
  }
}

/** Margins above and below; a constant curve is centered. */
function roomy(_plot: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [-1, 1];
  const size = high - low, least = 1e-6 * Math.max(Math.abs(low), Math.abs(high)), pad = size > least ? 0.08 * size : Math.max(0.5 * Math.abs(high), 1);
  return [low - pad, high + pad];
}

function resampled(clip: Clip, curve: Curve, times: Float64Array): (number | null)[] {
  return Array.from(times, (t) => {
    if (t < clip.begin || t > clip.end) return null;
    const [k, share] = clip.place(t);
    return share > 0 ? curve.values[k] + share * (curve.values[k + 1] - curve.values[k]) : curve.values[k];
  });
}

function element(name: string): HTMLElement {
  const made = document.createElement("div");
  made.className = name;
  return made;
}
