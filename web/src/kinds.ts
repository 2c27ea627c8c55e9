// The appearance of each kind of shape in the plane: strokes and areas. Those of space are in `machinery.ts`.
// The kinds and their points come from Python (`drawing.py`), the same as in its pictures.

import type { Palette } from "./document";
import type { Solid } from "./solid";

// `shell` can be seen through; `arrows` have no shadows; `bold` is the size of arrows, `level` the height of the floor
export interface Pens { opaque: Solid; clear: Solid; shell: Solid; arrows: Solid; palette: Palette; unit: number; bold: number; level: number }
export type Pieces = number[][][];
export type Draw = (pens: Pens, pieces: Pieces, fill: string, edge: string, who: [number, number], z: number) => void;

const LINK = 0.6, LINE = 0.1; // widths in terms of the size of symbols

/** Adds a planar shape; shapes of higher layers are drawn on top. */
export function drawFlat(pens: Pens, kind: string, pieces: Pieces, colors: [string, string], who: [number, number], order: number): void {
  const [layer, draw] = FLAT[kind] ?? [2.7, outline];
  draw(pens, pieces, colors[0], colors[1], who, 0.05 * pens.unit * (layer + order));
}

const ABOVE = 0.002; // what lies on its own edge is this much higher, in units

const area: Draw = ({ opaque, clear, unit }, pieces, fill, edge, who, z) => {
  for (const piece of pieces) {
    clear.of(...who, fill, 0.78).polygon(piece, z);
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
  tire: [2, disk], sphere: [2, disk], axis: [2.6, thin(0.06, (p) => p.ink)], outline: [2.7, outline], bar: [3, bar], spine: [3, bar], plate: [3, plate], channel: [3.5, channel],
  face: [3.5, thin(0.3, (_, e) => e)], box: [4, area], arm: [5, thin(0.3, (_, e) => e)], barrel: [5, thin(0.5, (p) => p.ink)],
  pin: [5, dot(0.2, (p) => p.paper)], weld: [5, dot(0.16, (p) => p.ink)], arrow: [5.5, thin(0.12, (p) => p.accent)], point: [6, dot(0.12, (p) => p.accent)],
};

export function closed(piece: number[][]): number[][] { return touching(piece) ? piece : [...piece, piece[0]]; }
export function opened(piece: number[][]): number[][] { return touching(piece) ? piece.slice(0, -1) : piece; }
function touching(piece: number[][]): boolean { return piece.length > 1 && Math.hypot(...piece[0].map((x, k) => x - piece[piece.length - 1][k])) < 1e-9; }
