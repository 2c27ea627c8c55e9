// 2-D drawing: grid and numbers of the axes behind the mechanism, names and gaps in front of it.

import type { Document } from "./document";
import { Labels } from "./labels";
import type { Rows } from "./rows";
import type { Stage } from "./stage";

const FONT = "11px system-ui, sans-serif", NAME = "bold 12px system-ui, sans-serif";

export class Overlay {
  private readonly behind: CanvasRenderingContext2D;
  private readonly front: CanvasRenderingContext2D;
  private taken: [number, number][] = []; // position of numbers
  names = true;
  readonly labels = new Labels();
  numbered = true; // whether the axes of space have numbers

  constructor(under: HTMLCanvasElement, over: HTMLCanvasElement, public doc: Document, private readonly stage: Stage) {
    this.behind = under.getContext("2d")!;
    this.front = over.getContext("2d")!;
  }

  /** The grid; drawn only after the camera has moved. */
  drawAxes(): void {
    const pen = this.cleared(this.behind);
    pen.font = FONT;
    pen.lineWidth = 1;
    if (this.doc.dimensions === 2) this.plane(pen);
    else this.floor(pen);
  }

  drawWords(rows: Rows, arrowWord: { text: string; pixels: number } | null, trouble: { text: string; at: [number, number, number] } | null, more: ((pen: CanvasRenderingContext2D) => void) | null): void {
    const wordless = !(this.names && this.doc.names.length) && !arrowWord && !trouble && !more && !this.doc.findings.some((f) => f.gap);
    this.front.canvas.style.display = wordless ? "none" : ""; // one layer less to composite
    if (wordless) return;
    const pen = this.cleared(this.front);
    this.labels.clear();
    if (this.names)
      for (const name of this.doc.names) {
        const [x, y] = this.stage.project(rows.end(name.at));
        this.labels.write(pen, name.text, name.text, x, y, this.doc.palette.ink, NAME);
      }
    more?.(pen);
    for (const finding of this.doc.findings)
      if (finding.gap) {
        const a = this.stage.project(rows.end(finding.gap.a)), b = this.stage.project(rows.end(finding.gap.b));
        write(pen, finding.gap.text, 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]) + 26, "#b00050", "center", "bold 12px system-ui, sans-serif");
      }
    if (arrowWord) this.legend(pen, arrowWord.text, arrowWord.pixels);
    if (trouble) {
      const [x, y] = this.stage.project(trouble.at);
      pen.strokeStyle = "#b00050";
      pen.lineWidth = 2.5;
      pen.beginPath();
      pen.arc(x, y, 15, 0, 7);
      pen.stroke();
    }
  }

  private legend(pen: CanvasRenderingContext2D, text: string, pixels: number): void {
    const { canvas } = this.stage, right = canvas.clientWidth - 18, y = canvas.clientHeight - (this.doc.dimensions === 2 ? 40 : 18);
    pen.strokeStyle = "#a11d33";
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(right - pixels, y);
    pen.lineTo(right, y);
    pen.moveTo(right - 7, y - 4);
    pen.lineTo(right, y);
    pen.lineTo(right - 7, y + 4);
    pen.stroke();
    write(pen, text, right - pixels / 2, y - 7, "#a11d33", "center");
  }

  private plane(pen: CanvasRenderingContext2D): void {
    const { canvas } = this.stage, width = canvas.clientWidth, height = canvas.clientHeight, bottom = height - 20, left = 46;
    const [x0, y0] = this.stage.unproject(0, height, [0, 0, 0]), [x1, y1] = this.stage.unproject(width, 0, [0, 0, 0]);
    const [factor, unit] = this.doc.units.m, step = niceStep((factor * (x1 - x0)) / (width / 90)) / factor;
    pen.strokeStyle = this.doc.palette.faint;
    for (const x of multiples(x0, x1, step)) line(pen, this.stage.project([x, y0, 0])[0], 0, this.stage.project([x, y0, 0])[0], height);
    for (const y of multiples(y0, y1, step)) line(pen, 0, this.stage.project([x0, y, 0])[1], width, this.stage.project([x0, y, 0])[1]);
    pen.fillStyle = "rgba(252,252,253,0.85)";
    pen.fillRect(0, bottom, width, 20);
    pen.fillRect(0, 0, left, height);
    for (const x of multiples(x0, x1, step)) {
      const at = this.stage.project([x, y0, 0])[0];
      if (at > left + 16 && at < width - 52) write(pen, label(factor * x, factor * step), at, bottom + 14, this.doc.palette.ground, "center");
    }
    for (const y of multiples(y0, y1, step)) {
      const at = this.stage.project([x0, y, 0])[1];
      if (at > 28 && at < bottom - 8) write(pen, label(factor * y, factor * step), left - 6, at + 4, this.doc.palette.ground, "right");
    }
    write(pen, `x [${unit}]`, width - 8, bottom + 14, this.doc.palette.ground, "right");
    write(pen, `y [${unit}]`, left - 6, 16, this.doc.palette.ground, "right");
  }

  private floor(pen: CanvasRenderingContext2D): void {
    this.taken = [];
    const { low, high } = this.stage.box, size = Math.max(...high.map((x, k) => x - low[k])), [factor, unit] = this.doc.units.m, step = niceStep((factor * size) / 8) / factor;
    const from = low.map((x) => step * Math.floor(x / step + 0.4)), to = high.map((x) => step * Math.ceil(x / step - 0.4)), z = this.stage.level;
    this.stage.light.step.value = step;
    if (!this.numbered) return;
    const draw = (a: number[], b: number[]) => {
      const p = this.stage.project(a), q = this.stage.project(b);
      if (p[2] < 1 && q[2] < 1) line(pen, p[0], p[1], q[0], q[1]);
    };
    const lower = (a: number[], b: number[]) => this.stage.project(a)[1] > this.stage.project(b)[1];
    const middle = [0, 1].map((k) => 0.5 * (from[k] + to[k]));
    const nearY = lower([middle[0], from[1], z], [middle[0], to[1], z]) ? from[1] : to[1];
    const nearX = lower([from[0], middle[1], z], [to[0], middle[1], z]) ? from[0] : to[0];
    const out = 0.3 * step;
    const yOut = nearY === from[1] ? -out : out, xOut = nearX === from[0] ? -out : out;
    this.numbers(pen, multiples(from[0], to[0], step), step, (x) => [x, nearY + yOut, z], `x [${unit}]`, [middle[0], nearY + 3 * yOut, z]);
    this.numbers(pen, multiples(from[1], to[1], step), step, (y) => [nearX + xOut, y, z], `y [${unit}]`, [nearX + 3 * xOut, middle[1], z]);
    const corners = [[from[0], from[1]], [to[0], from[1]], [to[0], to[1]], [from[0], to[1]]];
    const left = corners.reduce((a, b) => (this.stage.project([...b, z])[0] < this.stage.project([...a, z])[0] ? b : a));
    pen.lineWidth = 1;
    pen.strokeStyle = "#c3c8d1";
    draw([...left, z], [...left, high[2]]);
    for (const h of multiples(Math.min(from[2], z) + 0.3 * step, high[2], step).filter((h) => h > z)) {
      const [x, y] = this.stage.project([...left, h]);
      pen.lineWidth = 1;
      pen.strokeStyle = "#c3c8d1";
      line(pen, x - 4, y, x, y);
      write(pen, label(factor * h, factor * step), x - 8, y + 4, this.doc.palette.ground, "right");
    }
    const top = this.stage.project([...left, high[2]]);
    write(pen, `z [${unit}]`, top[0], top[1] - 12, this.doc.palette.ground, "center");
  }

  private numbers(pen: CanvasRenderingContext2D, at: number[], step: number, place: (v: number) => number[], title: string, titleAt: number[]): void {
    const [factor] = this.doc.units.m;
    for (const value of at) {
      const [x, y, deep] = this.stage.project(place(value));
      if (this.taken.some((t) => Math.abs(t[0] - x) < 30 && Math.abs(t[1] - y) < 15)) continue;
      this.taken.push([x, y]);
      if (deep < 1) write(pen, label(factor * value, factor * step), x, y + 4, this.doc.palette.ground, "center");
    }
    const [x, y] = this.stage.project(titleAt);
    write(pen, title, x, y + 6, this.doc.palette.ground, "center");
  }

  private cleared(pen: CanvasRenderingContext2D): CanvasRenderingContext2D {
    const ratio = window.devicePixelRatio || 1, { clientWidth, clientHeight } = this.stage.canvas, own = pen.canvas;
    if (own.width !== Math.round(clientWidth * ratio) || own.height !== Math.round(clientHeight * ratio)) {
      own.width = Math.round(clientWidth * ratio);
      own.height = Math.round(clientHeight * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, clientWidth, clientHeight);
    return pen;
  }
}

/** 1, 2 or 5 times a power of ten, at least as large. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-12)));
  return power * ([1, 2, 5, 10].find((m) => m * power >= least * (1 - 1e-9)) ?? 10);
}

function multiples(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.min(Math.max(last - first + 1, 0), 200) }, (_, k) => (first + k) * step);
}

function label(value: number, step: number): string {
  const digits = Math.max(0, Math.min(8, -Math.floor(Math.log10(step) + 1e-9)));
  return (Math.abs(value) < 1e-9 * step ? 0 : value).toFixed(digits);
}

function line(pen: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

function write(pen: CanvasRenderingContext2D, text: string, x: number, y: number, color: string, align: CanvasTextAlign, font = FONT): void {
  pen.font = font;
  pen.textAlign = align;
  pen.lineWidth = 3;
  pen.strokeStyle = "rgba(255,255,255,0.85)";
  pen.strokeText(text, x, y);
  pen.fillStyle = color;
  pen.fillText(text, x, y);
}
