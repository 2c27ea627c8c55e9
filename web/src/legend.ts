// The scale of colors of the stress, with its unit and range, and the peak of the motion.

import type { Document, StressInfo } from "./document";

const WIDTH = 210, HEIGHT = 11, TICKS = 4;

/** Draws the scale in the upper right corner of a canvas. */
export function drawScale(pen: CanvasRenderingContext2D, info: StressInfo, doc: Document, wide: number): void {
  const left = wide - WIDTH - 26, top = 28, gradient = pen.createLinearGradient(left, 0, left + WIDTH, 0), most = info.limit / info.size;
  const ramp = doc.palette.stress;
  ramp.forEach((color, k) => gradient.addColorStop(k / (ramp.length - 1), color));
  pen.fillStyle = gradient;
  pen.fillRect(left, top, WIDTH, HEIGHT);
  text(pen, `von Mises stress [${info.unit}]`, left, top - 8, "left", "bold 11px system-ui, sans-serif");
  for (let k = 0; k <= TICKS; k++) {
    const x = left + (WIDTH * k) / TICKS;
    pen.fillStyle = "#6b7280";
    pen.fillRect(x - 0.5, top + HEIGHT, 1, 4);
    text(pen, Number(((most * k) / TICKS).toPrecision(3)).toString(), x, top + HEIGHT + 15, "center");
  }
  if (!Number.isFinite(info.time)) return; // of another motion
  const [factor, unit] = doc.units.m, place = info.point.map((x) => Number((factor * x).toPrecision(3))).join(", ");
  text(pen, `peak ${Number(most.toPrecision(4))} ${info.unit}, t = ${Number(info.time.toPrecision(5))} s`, left, top + HEIGHT + 32, "left");
  text(pen, `'${info.body}' at (${place}) ${unit}`, left, top + HEIGHT + 46, "left");
}

function text(pen: CanvasRenderingContext2D, words: string, x: number, y: number, align: CanvasTextAlign, font = "11px system-ui, sans-serif"): void {
  pen.font = font;
  pen.textAlign = align;
  pen.lineWidth = 3;
  pen.strokeStyle = "rgba(255,255,255,0.85)";
  pen.strokeText(words, x, y);
  pen.fillStyle = "#2b2f36";
  pen.fillText(words, x, y);
}
