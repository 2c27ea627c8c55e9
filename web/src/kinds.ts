// The appearance of each kind of shape: flat strokes and areas in the plane, bars and solids in space.
// The kinds and their points come from Python (`drawing.py`), the same as in its pictures.

import type { Palette } from "./document";
import { dashes, Solid } from "./solid";

export interface Pens { opaque: Solid; clear: Solid; threads: Solid; fine: boolean; palette: Palette; unit: number }
type Pieces = number[][][];
type Draw = (pens: Pens, pieces: Pieces, fill: string, edge: string, who: [number, number], z: number) => void;

const LINK = 0.6, LINE = 0.1; // widths in terms of the size of symbols

/** Adds a planar shape; shapes of higher layers are drawn on top. */
export function drawFlat(pens: Pens, kind: string, pieces: Pieces, colors: [string, string], who: [number, number], order: number): void {
  const [layer, draw] = FLAT[kind] ?? [2.7, outline];
  draw(pens, pieces, colors[0], colors[1], who, 0.05 * pens.unit * (layer + order));
}

/** Adds a spatial shape. */
export function drawSolid(pens: Pens, kind: string, pieces: Pieces, colors: [string, string], who: [number, number]): void {
  (SOLID[kind] ?? wire(LINE))(pens, pieces, colors[0], colors[1], who, 0);
}

const ABOVE = 0.002; // what lies on its own edge is this much higher, in units

const area: Draw = ({ opaque, unit }, pieces, fill, edge, who, z) => {
  for (const piece of pieces) {
    opaque.of(...who, fill).polygon(piece, z);
    opaque.of(...who, edge).stroke(closed(piece), LINE * unit, z + ABOVE * unit);
    const center = roundAbout(piece);
    if (center) opaque.stroke([center, piece[0]], LINE * unit, z + ABOVE * unit);
  }
};

/** The center of a circle, which gets a spoke to make its rotation visible; null for other shapes. */
function roundAbout(piece: number[][]): number[] | null {
  const points = opened(piece), center = [0, 1, 2].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
  const radii = points.map((p) => Math.hypot(p[0] - center[0], p[1] - center[1])), most = Math.max(...radii);
  return points.length >= 12 && Math.min(...radii) > 0.99 * most ? center : null;
}
const disk: Draw = ({ opaque, clear, unit }, pieces, fill, edge, who, z) => {
  for (const piece of pieces) {
    clear.of(...who, fill, 0.7).polygon(piece, z);
    opaque.of(...who, edge).stroke(closed(piece), LINE * unit, z + ABOVE * unit);
  }
};
const bar: Draw = ({ opaque, unit }, pieces, fill, edge, who, z) => {
  for (const piece of pieces) {
    opaque.of(...who, edge).stroke(piece, (LINK + 2 * LINE) * unit, z);
    opaque.of(...who, fill).stroke(piece, LINK * unit, z + ABOVE * unit);
  }
};
const plate: Draw = ({ opaque, unit }, pieces, fill, edge, who, z) => {
  for (const piece of pieces) {
    const line = closed(piece), sides = line.slice(1).map((p, k) => [line[k], p]); // each for itself: corners are round
    opaque.of(...who, edge);
    for (const side of sides) opaque.stroke(side, (LINK + 2 * LINE) * unit, z);
    opaque.of(...who, fill);
    for (const side of sides) opaque.stroke(side, LINK * unit, z + ABOVE * unit);
    opaque.polygon(piece, z + ABOVE * unit);
  }
};
const outline: Draw = ({ opaque, unit }, pieces, _fill, edge, who, z) => {
  for (const piece of pieces) opaque.of(...who, edge).stroke(piece, 1.3 * LINE * unit, z);
};
const ring: Draw = ({ opaque, unit }, pieces, fill, edge, who, z) => {
  for (const piece of pieces) {
    opaque.of(...who, fill).stroke(piece, LINK * unit, z);
    opaque.of(...who, edge).stroke(piece, LINE * unit, z + ABOVE * unit);
  }
};
const channel: Draw = ({ opaque, palette, unit }, pieces, _fill, edge, who, z) => {
  for (const piece of pieces) {
    opaque.of(...who, edge).stroke(piece, 0.62 * unit, z);
    opaque.of(...who, palette.paper).stroke(piece, 0.46 * unit, z + ABOVE * unit);
  }
};
const support: Draw = ({ opaque, palette, unit }, pieces, _fill, _edge, who, z) => {
  for (const piece of pieces) {
    opaque.of(...who, "#eef0f3").polygon(piece, z);
    opaque.of(...who, palette.ground).stroke(closed(piece), LINE * unit, z + ABOVE * unit);
  }
};
const thin = (width: number, pick: (p: Palette, edge: string) => string): Draw => ({ opaque, palette, unit }, pieces, _fill, edge, who, z) => {
  for (const piece of pieces) opaque.of(...who, pick(palette, edge)).stroke(piece, width * unit, z, width > 0.09);
};
const dot = (radius: number, pick: (p: Palette) => string): Draw => ({ opaque, palette, unit }, pieces, _fill, _edge, who, z) => {
  for (const [place] of pieces) {
    opaque.of(...who, palette.ink).disk(place, (radius + LINE) * unit, z, 24);
    opaque.of(...who, pick(palette)).disk(place, radius * unit, z + ABOVE * unit, 24);
  }
};

const FLAT: Record<string, [number, Draw]> = {
  road: [0.5, area], ring: [1, ring], sheet: [1, disk], hatch: [1.4, thin(0.06, (p) => p.ground)], rail: [1.5, thin(LINE, (p) => p.ground)],
  support: [1.6, support], area: [2, area], rack: [2, area], disk: [2, disk], panel: [2, disk], matter: [2, disk], spoke: [2.5, thin(LINE, (_, e) => e)],
  axis: [2.6, thin(0.06, (p) => p.ink)], outline: [2.7, outline], bar: [3, bar], spine: [3, bar], plate: [3, plate], channel: [3.5, channel],
  face: [3.5, thin(0.3, (_, e) => e)], box: [4, area], arm: [5, thin(0.3, (_, e) => e)], barrel: [5, thin(0.5, (p) => p.ink)],
  pin: [5, dot(0.2, (p) => p.paper)], weld: [5, dot(0.16, (p) => p.ink)], arrow: [5.5, thin(0.12, (p) => p.accent)], point: [6, dot(0.12, (p) => p.accent)],
};

// --- space ---------------------------------------------------------------------------------------------------------

const wire = (radius: number, pick: (p: Palette, edge: string) => string = (_, e) => e): Draw => ({ opaque, palette, unit }, pieces, _fill, edge, who) => {
  for (const piece of pieces) opaque.of(...who, pick(palette, edge)).tube(piece, radius * unit, 5, false);
};
const beam: Draw = ({ opaque, unit }, pieces, fill, _edge, who) => {
  for (const piece of pieces) opaque.of(...who, fill).tube(piece, 0.26 * unit, 12);
};
const clearFaces = (alpha: number, rim: number): Draw => ({ opaque, clear, threads, fine, unit }, pieces, fill, edge, who) => {
  for (const piece of pieces) {
    clear.of(...who, fill, alpha).polygon(piece);
    if (rim > 0) opaque.of(...who, edge).tube(closed(piece), rim * unit, 4, false);
    else if (fine) threads.of(...who, edge).thread(closed(piece));
  }
};
const faces: Draw = ({ opaque }, pieces, fill, _edge, who) => {
  for (const piece of pieces) opaque.of(...who, fill).polygon(piece);
};
/** Opaque, as roads of several wheels lie over each other. */
const road: Draw = ({ opaque }, pieces, _fill, _edge, who) => {
  for (const piece of pieces) opaque.of(...who, "#e9ebef").polygon(piece);
};
const wheel: Draw = ({ opaque, unit }, pieces, fill, edge, who) => {
  for (const piece of pieces) {
    opaque.of(...who, fill).prism(opened(piece), 0.35 * unit);
    opaque.of(...who, edge).tube(closed(piece), 0.1 * unit, 5, false);
  }
};
const barrel: Draw = ({ opaque, palette, unit }, pieces, _fill, _edge, who) => {
  for (const [a, b] of pieces) {
    opaque.of(...who, "#f4f5f7").cone(a, b, 0.42 * unit, 0.42 * unit);
    const rim = (from: number[], to: number[]) => from.map((x, k) => x + 0.12 * (to[k] - x));
    opaque.of(...who, palette.ink).cone(a, rim(a, b), 0.46 * unit, 0.46 * unit);
    opaque.of(...who, palette.ink).cone(b, rim(b, a), 0.46 * unit, 0.46 * unit);
  }
};
const dashed: Draw = ({ opaque, palette, unit }, pieces, _fill, _edge, who) => {
  for (const piece of pieces)
    for (const dash of dashes(piece, 0.7 * unit, 0.35 * unit)) opaque.of(...who, palette.ink).tube(dash, 0.045 * unit, 4, false);
};
const ball = (radius: number, pick: (p: Palette) => string): Draw => ({ opaque, palette, unit }, pieces, _fill, _edge, who) => {
  for (const [place] of pieces) opaque.of(...who, pick(palette)).ball(place, radius * unit, 16);
};
const cube: Draw = ({ opaque, palette, unit }, pieces, _fill, _edge, who) => {
  for (const [place] of pieces) opaque.of(...who, palette.ink).cube(place, 0.26 * unit);
};
const arm: Draw = ({ opaque, unit }, pieces, fill, edge, who) => {
  for (const piece of pieces) {
    opaque.of(...who, fill).tube(piece, 0.2 * unit, 10);
    for (const end of [piece[0], piece[piece.length - 1]]) opaque.of(...who, edge).ball(end, 0.27 * unit, 10);
  }
};

const SOLID: Record<string, Draw> = {
  bar: beam, spine: beam, plate: clearFaces(0.6, 0.08), area: wheel, panel: clearFaces(0.55, 0.08), disk: wheel, rack: faces, box: faces, mesh: faces,
  outline: wire(0.09), ring: wire(0.25, (_, e) => e), spoke: wire(0.07), channel: wire(0.2), face: wire(0.2), rail: wire(0.07, (p) => p.ground),
  hatch: wire(0.04, (p) => p.ground), support: clearFaces(0.8, 0.05), arrow: wire(0.09, (p) => p.accent), axis: dashed, barrel, arm,
  matter: clearFaces(0.6, 0), road, sheet: clearFaces(0.3, 0),
  pin: ball(0.4, (p) => p.ink), point: ball(0.24, (p) => p.accent), weld: cube,
};

function closed(piece: number[][]): number[][] { return touching(piece) ? piece : [...piece, piece[0]]; }
function opened(piece: number[][]): number[][] { return touching(piece) ? piece.slice(0, -1) : piece; }
function touching(piece: number[][]): boolean { return piece.length > 1 && Math.hypot(...piece[0].map((x, k) => x - piece[piece.length - 1][k])) < 1e-9; }
