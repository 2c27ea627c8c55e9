// Free-body diagrams: the loads on a body at a frame, their sums, and the diagram.

import type { App } from "./app";
import { type ActingInfo, read, shapePoints, shown } from "./document";
import type { Drawing } from "./diagram";
import { inWorld } from "./motion";
import { number } from "./panel";

export interface Acting { name: string; kind: string; color: string; point: number[]; force: number[]; torque: number[] }
export interface Cut { body: number; time: number; acting: Acting[]; force: number[]; torque: number[]; center: number[]; left: number }

const LONGEST = 0.55, ALONE = 0.95; // the longest arrow, in terms of the body; where all act in one point
const NEGLIGIBLE = 1e-9; // of the largest: not drawn
const HIDDEN = ["hatch", "axis", "arrow", "point", "rail", "road"]; // shapes that are not part of a link

const tables = new WeakMap<ActingInfo, Float64Array>();

/** The loads on a body at a stored frame of a clip, in double precision from float32 numbers. */
export function actingAt(app: App, body: number, kept: number): Acting[] {
  const n = app.doc.dimensions, turns = n === 2 ? 1 : 3, wide = 2 * n + turns;
  return app.clip.info.cuts!.bodies[body].map((info) => {
    if (!tables.has(info)) tables.set(info, read(app.loaded.bytes, info.values));
    const row = Array.from(tables.get(info)!.subarray(kept * wide, (kept + 1) * wide));
    return { name: info.name, kind: info.kind, color: info.color, point: row.slice(0, n), force: row.slice(n, 2 * n), torque: row.slice(2 * n) };
  });
}

/** The sums, torques about the mass center, and their residual relative to the largest load. */
export function summed(body: number, time: number, acting: Acting[], length: number): Cut {
  const first = acting.find((a) => a.kind === "inertia" || a.kind === "weight") ?? acting[0], center = first?.point ?? [0, 0];
  const about = acting.map((a) => moment(a.point.map((x, k) => x - center[k]), a.force).map((m, k) => m + a.torque[k]));
  const total = (rows: number[][]) => rows.reduce((sum, row) => row.map((x, k) => x + (sum[k] ?? 0)), [] as number[]);
  const force = total(acting.map((a) => a.force)), torque = total(about);
  const largest = Math.max(...acting.map((a) => Math.hypot(...a.force)), ...about.map((m) => Math.hypot(...m) / length), 1e-300);
  return { body, time, acting, force, torque, center, left: Math.max(Math.hypot(...force), Math.hypot(...torque) / length) / largest };
}

/** The link with its forces at their points; those that push toward the mass center end at their points. */
export function cutDrawing(app: App, cut: Cut): Drawing {
  const flat = flatten(app), lines = outline(app, cut.body), places = [...lines.flat(), ...cut.acting.map((a) => a.point)].map(flat);
  const size = Math.max(...[0, 1].map((k) => Math.max(...places.map((p) => p[k])) - Math.min(...places.map((p) => p[k])))) || app.doc.unit;
  const points = cut.acting.map((a) => flat(a.point)), spread = Math.max(...points.map((p) => Math.hypot(p[0] - points[0][0], p[1] - points[0][1])), 0);
  const largest = Math.max(...cut.acting.map((a) => Math.hypot(...a.force)), 0), turning = Math.max(...cut.acting.map((a) => Math.hypot(...a.torque)), 0);
  const [fill, edge] = app.doc.bodies[cut.body].colors;
  const drawing: Drawing = { lines: lines.map((points) => ({ points: points.map(flat), ...(points.length > 2 ? { color: `${edge}66`, fill: `${fill}44`, width: 1.2 } : { color: `${fill}77`, fill: "none", width: 9 }) })), vectors: [], turns: [], dots: [] };
  for (const acting of cut.acting) {
    const strength = Math.hypot(...acting.force), dashed = acting.kind === "inertia";
    if (strength > NEGLIGIBLE * largest) {
      const pushes = acting.force.reduce((sum, f, k) => sum + f * (cut.center[k] - acting.point[k]), 0) > 0, scale = ((spread < 0.3 * size ? ALONE : LONGEST) * size) / largest;
      const far = acting.point.map((x, k) => x + (pushes ? -scale : scale) * acting.force[k]), ends = [acting.point, far].map(flat);
      drawing.vectors.push({ from: ends[pushes ? 1 : 0], to: ends[pushes ? 0 : 1], color: acting.color, at: pushes ? "tail" : "tip", dashed, label: `${acting.name} ${shown(app.doc, strength, "N", brief)}` });
    }
    const twist = Math.hypot(...acting.torque);
    if (twist <= NEGLIGIBLE * Math.max(turning, largest * size)) continue;
    if (acting.torque.length === 1) drawing.turns.push({ at: flat(acting.point), value: acting.torque[0], color: acting.color, label: `${acting.name} ${shown(app.doc, acting.torque[0], "N m", brief)}` });
    else {
      const tip = acting.point.map((x, k) => x + ((0.4 * size) / turning) * acting.torque[k]);
      drawing.vectors.push({ from: flat(acting.point), to: flat(tip), color: acting.color, at: "tip", dashed: true, double: true, label: `${acting.name} ${shown(app.doc, twist, "N m", brief)}` });
    }
  }
  for (const point of new Map(cut.acting.map((a) => [flat(a.point).map((x) => x.toPrecision(6)).join(), flat(a.point)])).values()) drawing.dots.push({ at: point, label: "" });
  return drawing;
}

/** Rows of a table: names, forces, torques, the sums last. */
export function cutTable(app: App, cut: Cut): string[][] {
  const axes = [..."xyz"].slice(0, app.doc.dimensions), about = cut.acting.some((a) => a.kind === "inertia" || a.kind === "weight") ? "" : ` about ${cut.acting[0]?.name ?? ""}`;
  const { N: [force, newton], "N m": [torque, meter] } = app.doc.units;
  const heads = axes.length === 2 ? [`fx [${newton}]`, `fy [${newton}]`, `torque [${meter}]`] : [`fx [${newton}]`, "fy", "fz", `tx [${meter}]`, "ty", "tz"];
  const noise = [Math.max(...cut.acting.map((a) => Math.hypot(...a.force)), 0), Math.max(...cut.acting.map((a) => Math.hypot(...a.torque)), 0)].map((x) => 1e-9 * x);
  const format = (x: number) => (axes.length === 2 ? number(x, "") : brief(x));
  const tidy = (values: number[], least: number, factor: number) => values.map((x) => (Math.abs(x) <= least ? "0" : format(factor * x)));
  const nothing = 1e-12 * Math.max(noise[0] * app.doc.size, noise[1]); // far below the residual of an unbalanced sum
  const lines = cut.acting.map((a) => [a.name, ...tidy(a.force, noise[0], force), ...tidy(a.torque, noise[1], torque)]);
  return [["", ...heads], ...lines, [`sum${about}`, ...cut.force.concat(cut.torque).map((x, k) => (Math.abs(x) <= nothing ? "0" : ((k < axes.length ? force : torque) * x).toExponential(1)))]];
}

/** A global point on paper: unchanged in the plane, in the view of the camera in space. */
function flatten(app: App): (p: number[]) => number[] {
  if (app.doc.dimensions === 2) return (p) => [p[0], p[1]];
  const [right, up] = app.stage.paper();
  return (p) => [right, up].map((axis) => axis.reduce((sum, x, k) => sum + x * p[k], 0));
}

/** The lines of a body in global coordinates. */
function outline(app: App, body: number): number[][][] {
  const n = app.doc.dimensions;
  return app.doc.shapes.filter((s) => s.body === body && !HIDDEN.includes(s.kind)).flatMap((shape) =>
    shapePoints(app.loaded.bytes, app.doc.geometries[shape.points]).map((piece) => piece.map((p) => inWorld(app.rows.table, body, p).slice(0, n))));
}

function moment(arm: number[], force: number[]): number[] {
  if (arm.length === 2) return [arm[0] * force[1] - arm[1] * force[0]];
  return [arm[1] * force[2] - arm[2] * force[1], arm[2] * force[0] - arm[0] * force[2], arm[0] * force[1] - arm[1] * force[0]];
}

export function brief(value: number): string {
  const size = Math.abs(value);
  if (!size) return "0";
  return size >= 1e5 || size < 1e-2 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}
