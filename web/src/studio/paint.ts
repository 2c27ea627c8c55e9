// How shapes look: the same kinds as in all pictures (drawing.py), as flat strokes and areas on a canvas.

import type { Palette, Picture, Rod, Vec } from "./types";

type Paint = { fill?: string; edge?: string; width?: number; line?: string; dot?: number; closed?: boolean; alpha?: number; channel?: boolean };
const LINK = 0.6, LINE = 0.1;

// layer, and how it is painted; "fill" and "edge" are the colors of the body
const KINDS: Record<string, [number, Paint]> = {
  road: [0.5, { fill: "fill", edge: "edge", closed: true }], ring: [1, { line: "fill", width: LINK }], sheet: [1, { fill: "fill", edge: "edge", closed: true, alpha: 0.7 }],
  hatch: [1.4, { line: "ground", width: 0.06 }], rail: [1.5, { line: "ground", width: LINE }], support: [1.6, { fill: "#eef0f3", edge: "ground", closed: true }],
  area: [2, { fill: "fill", edge: "edge", closed: true }], rack: [2, { fill: "fill", edge: "edge", closed: true }], disk: [2, { fill: "fill", edge: "edge", closed: true, alpha: 0.7 }],
  panel: [2, { fill: "fill", edge: "edge", closed: true, alpha: 0.7 }], matter: [2.2, { fill: "fill", edge: "edge", closed: true, alpha: 0.85 }],
  spoke: [2.5, { line: "edge", width: LINE }], axis: [2.6, { line: "ink", width: 0.06 }], outline: [2.7, { line: "edge", width: 0.13 }],
  bar: [3, { line: "fill", edge: "edge", width: LINK }], spine: [3, { line: "fill", edge: "edge", width: LINK }], plate: [3, { fill: "fill", line: "fill", edge: "edge", width: LINK, closed: true }],
  channel: [3.5, { line: "#ffffff", edge: "edge", width: 0.46, channel: true }], face: [3.5, { line: "edge", width: 0.3 }], box: [4, { fill: "fill", edge: "edge", closed: true }],
  arm: [5, { line: "edge", width: 0.3 }], barrel: [5, { line: "ink", width: 0.5 }], pin: [5, { dot: 0.2, fill: "#ffffff" }], weld: [5, { dot: 0.16, fill: "ink" }],
  arrow: [5.5, { line: "accent", width: 0.12 }], point: [6, { dot: 0.12, fill: "accent" }],
};
const OTHER: [number, Paint] = [2.7, { line: "edge", width: 0.13 }];
const WINDINGS = 10;

export interface View { scale: number; x: number; y: number } // pixels per meter, and the pixel of the origin
export const toPixel = (view: View, p: Vec): Vec => [view.x + view.scale * p[0], view.y - view.scale * p[1]];
export const toWorld = (view: View, p: Vec): Vec => [(p[0] - view.x) / view.scale, (view.y - p[1]) / view.scale];

/** A point of a body in the global frame. */
export function placed(pose: ArrayLike<number>, p: Vec): Vec {
  const c = Math.cos(pose[2]), s = Math.sin(pose[2]);
  return [pose[0] + c * p[0] - s * p[1], pose[1] + s * p[0] + c * p[1]];
}

/** A global point in the frame of a body. */
export function inside(pose: ArrayLike<number>, p: Vec): Vec {
  const c = Math.cos(pose[2]), s = Math.sin(pose[2]), dx = p[0] - pose[0], dy = p[1] - pose[1];
  return [c * dx + s * dy, -s * dx + c * dy];
}

export interface Look { picture: Picture; palette: Palette; poses: number[][]; strands: Vec[][]; marked: Set<string>; faint?: boolean }

export function layerOf(kind: string): number { return (KINDS[kind] ?? OTHER)[0]; }

/** Draw a mechanism. */
export function paint(pen: CanvasRenderingContext2D, view: View, look: Look): void {
  const { picture, palette, poses } = look, unit = Math.max(picture.unit * view.scale, 5);
  const order = picture.shapes.map((shape, k) => ({ shape, rank: layerOf(shape.kind) + 1e-4 * shape.body + 1e-7 * k })).sort((a, b) => a.rank - b.rank);
  pen.lineCap = pen.lineJoin = "round";
  pen.globalAlpha = look.faint ? 0.3 : 1;
  const rods = () => { for (const rod of picture.rods) paintRod(pen, view, look, rod, placed(poses[rod.a.body], rod.a.point), placed(poses[rod.b.body], rod.b.point), unit, look.marked.has(rod.element)); };
  let done = false;
  for (const { shape } of order) {
    if (!done && layerOf(shape.kind) >= 4.8) { rods(); done = true; }
    if (!poses[shape.body]) continue;
    const [fill, edge] = picture.colors[shape.body];
    const marked = look.marked.has(shape.element || picture.bodies[shape.body]);
    paintShape(pen, view, shape.points.map((piece) => piece.map((p) => toPixel(view, placed(poses[shape.body], p)))), (KINDS[shape.kind] ?? OTHER)[1], { fill, edge, ink: palette.ink, ground: palette.ground, accent: palette.accent }, unit, marked, look.faint);
  }
  if (!done) rods();
  pen.lineWidth = Math.max(0.12 * unit, 1.5);
  pen.strokeStyle = palette.ink;
  for (const strand of look.strands) { trace(pen, strand.map((p) => toPixel(view, p))); pen.stroke(); }
  pen.globalAlpha = 1;
}

function trace(pen: CanvasRenderingContext2D, line: Vec[], closed = false): void {
  pen.beginPath();
  line.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  if (closed) pen.closePath();
}

function paintShape(pen: CanvasRenderingContext2D, _view: View, pieces: Vec[][], how: Paint, colors: Record<string, string>, unit: number, marked: boolean, faint = false): void {
  const color = (name: string | undefined) => (name ? colors[name] ?? name : "");
  const thin = Math.max(LINE * unit, 1), halo = "rgba(234, 140, 0, 0.9)", base = faint ? 0.3 : 1;
  for (const piece of pieces) {
    if (how.dot) {
      const [x, y] = piece[0], radius = Math.max(how.dot * unit, how.dot > 0.15 ? 3.2 : 2.6);
      pen.beginPath();
      pen.arc(x, y, radius + thin / 2, 0, 7);
      pen.fillStyle = color(how.fill);
      pen.fill();
      pen.lineWidth = thin;
      pen.strokeStyle = marked ? halo : colors.ink;
      pen.stroke();
      continue;
    }
    trace(pen, piece, how.closed);
    if (how.line && how.width) {
      const wide = Math.max(how.width * unit, 1);
      if (how.edge || marked) {
        pen.lineWidth = wide + 2 * (marked ? thin + 1.5 : thin);
        pen.strokeStyle = marked ? halo : color(how.edge);
        pen.stroke();
      }
      pen.lineWidth = wide;
      pen.strokeStyle = color(how.line);
      pen.stroke();
    }
    if (how.fill && how.closed) {
      pen.globalAlpha = (how.alpha ?? 1) * base;
      pen.fillStyle = color(how.fill);
      pen.fill();
      pen.globalAlpha = base;
      if (!how.line) {
        pen.lineWidth = marked ? thin + 2.5 : thin;
        pen.strokeStyle = marked ? halo : color(how.edge);
        pen.stroke();
      }
    }
  }
}

type Place = (share: number, side: number) => Vec;

/** Springs, dampers, rods and actuators between two points. */
function paintRod(pen: CanvasRenderingContext2D, view: View, look: Look, { kind, barrel }: Rod, a: Vec, b: Vec, unit: number, marked: boolean): void {
  const p = toPixel(view, a), q = toPixel(view, b), far = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1;
  const along = [(q[0] - p[0]) / far, (q[1] - p[1]) / far], across = [-along[1], along[0]];
  const at = (share: number, side: number): Vec => [p[0] + share * (q[0] - p[0]) + side * across[0], p[1] + share * (q[1] - p[1]) + side * across[1]];
  const stroke = (line: Vec[], width: number) => {
    trace(pen, line);
    if (marked) { pen.lineWidth = width + 4; pen.strokeStyle = "rgba(234, 140, 0, 0.8)"; pen.stroke(); }
    pen.lineWidth = width;
    pen.strokeStyle = look.palette.ink;
    pen.stroke();
  };
  const thin = Math.max(0.12 * unit, 1.4), side = 0.45 * unit;
  const spring = (at: Place) => {
    const line: Vec[] = [at(0, 0), at(0.2, 0)];
    for (let k = 0; k < WINDINGS; k++) line.push(at(0.2 + (0.6 * (k + 0.5)) / WINDINGS, k % 2 ? -side : side));
    stroke([...line, at(0.8, 0), at(1, 0)], thin);
  };
  const damper = (at: Place) => {
    stroke([at(0, 0), at(0.4, 0)], thin);
    stroke([at(0.65, side), at(0.4, side), at(0.4, -side), at(0.65, -side)], thin);
    stroke([at(0.52, 0.8 * side), at(0.52, -0.8 * side)], thin * 1.6);
    stroke([at(0.52, 0), at(1, 0)], thin);
  };
  if (kind === "spring") spring(at);
  else if (kind === "damper") damper(at);
  else if (kind === "spring-damper") {
    const beside = (to: number): Place => (share, across) => at(0.1 + 0.8 * share, to * side + 0.75 * across);
    for (const [from, to] of [[0, 0.1], [1, 0.9]]) {
      stroke([at(from, 0), at(to, 0)], thin);
      stroke([at(to, -1.1 * side), at(to, 1.1 * side)], thin);
    }
    spring(beside(1.1));
    damper(beside(-1.1));
  } else if (kind === "actuator" || kind === "barrel") {
    stroke([at(0, 0), at(1, 0)], thin);
    const mouth = Math.min(0.97, barrel / (Math.hypot(b[0] - a[0], b[1] - a[1]) || 1)); // the cylinder keeps its length
    trace(pen, [at(0, side), at(mouth, side), at(mouth, -side), at(0, -side)], true);
    pen.fillStyle = "#f4f5f7";
    pen.fill();
    pen.stroke();
  } else stroke([p, q], Math.max(0.25 * unit, 2));
}
