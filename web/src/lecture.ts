// Lecture pictures: polygons of velocities and accelerations in the panel, instant centers on the stage.

import type { App } from "./app";
import { brief } from "./cut";
import type { Drawing } from "./diagram";
import type { LectureInfo, PoleInfo, PolygonInfo } from "./document";

const NEGLIGIBLE = 1e-6; // of the largest: not drawn

/** The index of the computed frame nearest to a time. */
export function nearestOf(frames: number[], times: Float64Array, time: number): number {
  let best = 0;
  frames.forEach((frame, k) => { if (Math.abs(times[frame] - time) < Math.abs(times[frames[best]] - time)) best = k; });
  return best;
}

export function instantAt(app: App, lecture: LectureInfo): LectureInfo["instants"][number] {
  const { instant } = app.picture;
  if (app.held && instant?.time === app.shownTime) return instant;
  return lecture.instants[nearestOf(lecture.frames, app.clip.times, app.shownTime)];
}

/** From the pole o to every corner, and the parts between corners. */
export function polygonDrawing({ corners, sides, unit }: PolygonInfo): Drawing {
  const largest = Math.max(...corners.map((c) => Math.hypot(...c.value)), ...sides.map((s) => Math.hypot(...s.vector)), 1e-300);
  const seen = corners.filter((c) => Math.hypot(...c.value) > NEGLIGIBLE * largest);
  return {
    lines: seen.map((corner) => ({ points: [[0, 0], corner.value], color: "#9aa1ad", fill: "none", width: 1 })),
    vectors: sides.filter((s) => Math.hypot(...s.vector) > NEGLIGIBLE * largest).map((side) => ({
      from: side.start, to: side.start.map((x, k) => x + side.vector[k]), color: side.color, at: "middle", dashed: side.kind === "tangential",
      label: side.kind === "Coriolis" ? `Coriolis ${brief(Math.hypot(...side.vector))} ${unit}` : "",
    })),
    turns: [],
    dots: [{ at: [0, 0], label: "o" }, ...seen.map((corner) => ({ at: corner.value, label: corner.name.toLowerCase() }))],
  };
}

export function polygonTable({ corners, sides, unit }: PolygonInfo): string[][] {
  const lines = corners.map((c) => [c.name, brief(Math.hypot(...c.value)), "of the point"]);
  return [["", `[${unit}]`, ""], ...lines, ...sides.map((s) => [s.name, brief(Math.hypot(...s.vector)), `${s.kind}, ${s.words}`])];
}

/** Marks of all poles near enough, with the lines of Kennedy; distant ones are listed as text. */
export function drawPoles(pen: CanvasRenderingContext2D, app: App, poles: PoleInfo[]): void {
  const { stage, doc } = app, { clientWidth: width, clientHeight: height } = stage.canvas, listed: string[] = [];
  const taken: [number, number][] = [];
  pen.lineWidth = 1;
  pen.strokeStyle = "#9aa1ad";
  pen.setLineDash([6, 4]);
  for (const [a, b, c] of new Map(poles.flatMap((p) => p.lines).map((l) => [l.map((x) => x.toPrecision(6)).join(), l])).values()) {
    const far = 20 * Math.max(doc.size, stage.span()), foot = [-c * a, -c * b];
    const [p, q] = [-far, far].map((s) => stage.project([foot[0] - s * b, foot[1] + s * a, 0]));
    pen.beginPath();
    pen.moveTo(p[0], p[1]);
    pen.lineTo(q[0], q[1]);
    pen.stroke();
  }
  pen.setLineDash([]);
  pen.font = "bold 12px system-ui, sans-serif";
  for (const pole of poles) {
    const name = pole.bodies.map((b) => b + 1).join(doc.bodies.length > 9 ? "," : ""), [x, y] = pole.point ? stage.project(pole.point) : [-1, -1];
    if (x < 0 || y < 0 || x > width || y > height) { listed.push(`P${name} ${pole.where}`); continue; }
    const color = pole.how === "joint" ? doc.palette.ink : doc.palette.accent, same = taken.filter((t) => Math.hypot(t[0] - x, t[1] - y) < 10).length;
    taken.push([x, y]);
    pen.fillStyle = color;
    pen.beginPath();
    pen.arc(x, y, 4.5, 0, 7);
    pen.fill();
    halo(pen, `P${name}`, x + 8 + 30 * same, y + 17, color);
  }
  pen.font = "11px system-ui, sans-serif";
  const lines = [doc.bodies.map((b, k) => `${k + 1} ${b.name}`).join(", "), ...listed.slice(0, 6), ...(listed.length > 6 ? [`and ${listed.length - 6} more beyond the picture`] : [])];
  lines.forEach((line, k) => halo(pen, line, 56, height - 30 - 15 * (lines.length - 1 - k), doc.palette.ink));
}

/** Text with a halo, readable over lines. */
function halo(pen: CanvasRenderingContext2D, text: string, x: number, y: number, color: string): void {
  pen.textAlign = "left";
  pen.lineWidth = 3;
  pen.strokeStyle = "rgba(255,255,255,0.85)";
  pen.strokeText(text, x, y);
  pen.fillStyle = color;
  pen.fillText(text, x, y);
}
