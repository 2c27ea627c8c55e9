// The triangles of a document: shapes in the frames of their bodies, and shapes stretched between points.

import { type Document, type Loaded, type RodInfo, type ShapeInfo, shapePoints } from "./document";
import { drawFlat, type Pens } from "./kinds";
import { CAST, drawCylinder, drawDamper, drawRound, drawSolid, drawSpring } from "./machinery";
import type { Clip } from "./motion";
import { inWorld, ROW } from "./motion";
import type { Rows } from "./rows";
import { Solid } from "./solid";

export const HEAD = 1.1; // length of the head of an arrow, in units
const COARSE = 4e-4; // of round shapes, relative to the mechanism
const COILS = 10;
const GAP = "#d6006c";

/** The size of arrows: that of symbols, unless the links are small compared to the whole. */
export function boldness(doc: Document): number { return doc.dimensions === 2 ? doc.unit : Math.max(doc.unit, 0.017 * doc.size); }

export function arrowColor(kind: string): string { return kind === "reaction" ? "#a11d33" : kind === "driver" ? "#e69f00" : "#00708f"; }

/** The triangles of a page, and the height of its floor. */
export function build(loaded: Loaded, rows: Rows, clip: Clip): Pens {
  const { doc, bytes } = loaded, flat = doc.dimensions === 2, points = doc.geometries.map((slice) => shapePoints(bytes, slice));
  const floors = flat ? [] : levels(doc, points), level = floors.length ? Math.min(...floors) : flat ? 0 : doc.floor;
  const coarse = COARSE * doc.size, pens: Pens = { opaque: new Solid(coarse), clear: new Solid(coarse), shell: new Solid(coarse), arrows: new Solid(), palette: doc.palette, unit: doc.unit, bold: boldness(doc), level };
  doc.shapes.forEach((shape, k) => {
    const row = shape.pivot >= 0 ? rows.layout.pivots + shape.pivot : rows.rowOf(shape.body, shape.interface);
    const who: [number, number] = [row, shape.element], colors: [string, string] = shape.paint ? [shape.paint, shape.paint] : colorsOf(doc, shape.body);
    if (flat) drawFlat(pens, shape.kind, points[shape.points], colors, who, (0.4 * k) / doc.shapes.length);
    else if (!(floors.length && lies(shape, points[shape.points]) !== null)) drawSolid(pens, shape.kind, points[shape.points], colors, who);
  });
  doc.rods.forEach((rod, k) => drawRod(pens, flat, rod, rows.nominal[k], rows.layout.rods + k, rows.layout.barrels + k));
  for (let row = rows.layout.strands; row < rows.layout.gaps; row++) bar(pens, pens.opaque, flat, doc.palette.ink, 1, 0.14, 2.9, [row, -1]);
  doc.findings.forEach((finding, k) => {
    if (finding.gap) bar(pens, pens.arrows, flat, GAP, 1, 0.25, 7, [rows.layout.gaps + k, finding.elements[0] ?? -1]);
  });
  clip.arrows.forEach((arrow, k) => {
    const color = arrowColor(arrow.kind), row = rows.layout.arrows + 2 * k;
    bar(pens, pens.arrows, flat, color, 1, (0.17 * pens.bold) / pens.unit, 6.5, [row, arrow.element]);
    head(pens, flat, color, [row + 1, arrow.element]);
  });
  clip.turns.forEach((turn, k) => ring(pens, flat, arrowColor(turn.kind), [rows.layout.turns + k, turn.element]));
  return pens;
}

/** The heights of level planes and roads of the ground: they are the floor. */
function levels(doc: Document, points: number[][][][]): number[] {
  return doc.shapes.flatMap((shape) => lies(shape, points[shape.points]) ?? []);
}

function lies(shape: ShapeInfo, pieces: number[][][]): number | null {
  if (shape.body !== 0 || !["road", "sheet"].includes(shape.kind)) return null;
  const heights = pieces.flat().map((p) => p[2]), low = Math.min(...heights);
  return Math.max(...heights) - low < 1e-6 * (1 + Math.abs(low)) ? low : null;
}

/** The paths of the traced points of a clip, in the world, with the true deformation. */
export function buildTraces(doc: Document, clip: Clip, rows: Rows): Solid {
  const made = new Solid(), bends = doc.traces.some((point) => point.at.interface), table = bends ? rows.table : new Float32Array(ROW * doc.bodies.length);
  const paths: number[][][] = doc.traces.map(() => []);
  for (let k = 0; k < clip.frames; k++) {
    clip.poseAt(clip.times[k], table);
    if (bends) {
      rows.deform(clip.modalAt(clip.times[k]), 1, 0);
      rows.follow(null);
    }
    doc.traces.forEach((point, j) => paths[j].push(bends ? rows.end(point.at) : inWorld(table, point.at.body, point.at.point)));
  }
  paths.forEach((path, k) => {
    made.of(0, -1, doc.palette.curves[(k + 1) % doc.palette.curves.length]);
    if (doc.dimensions === 2) made.stroke(path, 0.1 * doc.unit, 0.05 * 4.5 * doc.unit, false);
    else made.tube(path, 0.06 * doc.unit, 4, false);
  });
  return made;
}

export function colorsOf(doc: Document, body: number): [string, string] {
  return doc.bodies[body].colors;
}

/** A spring's windings, an actuator's cylinder with its piston rod, each with a row of its own, or a plain rod, along x. */
function drawRod(pens: Pens, flat: boolean, { kind, element, barrel = 0 }: RodInfo, length: number, row: number, barrels: number): void {
  const { palette, unit } = pens, color = kind === "rod" ? palette.ink : palette.accent, lines = flat && stretched(kind, length, 0.7 * unit), who: [number, number] = [row, element], outer: [number, number] = [barrels, element];
  if (!flat) {
    if (kind.startsWith("spring")) drawSpring(pens, length, who);
    if (kind.endsWith("damper")) drawDamper(pens, length, who);
    if (kind === "rod") drawRound(pens, length, 0.2, CAST, who);
    if (kind === "actuator") drawCylinder(pens, length, barrel, color, who, outer);
  } else if (lines) for (const line of lines) pens.opaque.of(...who, palette.ground).stroke(line, 0.11 * unit, 0.05 * 3.2 * unit);
  else {
    bar(pens, pens.opaque, true, color, length, kind === "rod" ? 0.18 : 0.26, 2.8, who);
    if (kind !== "rod") drawBarrel(pens, barrel, color, outer);
  }
}

/** The cylinder of an actuator in the plane, with its head. */
function drawBarrel(pens: Pens, length: number, color: string, who: [number, number]): void {
  bar(pens, pens.opaque, true, pens.palette.ink, length, 0.74, 2.85, who);
  const pen = pens.opaque.of(...who, color), half = 0.3 * pens.unit, head = length - 0.45 * pens.unit, z = 0.05 * 2.9 * pens.unit;
  for (const [from, to] of [[0.08 * pens.unit, head], [head + 0.1 * pens.unit, length - 0.08 * pens.unit]])
    if (to > from) pen.polygon([[from, -half, 0], [to, -half, 0], [to, half, 0], [from, half, 0]], z);
}

function bar(pens: Pens, solid: Solid, flat: boolean, color: string, length: number, width: number, layer: number, who: [number, number]): void {
  const { unit } = pens, z = 0.05 * layer * unit, half = 0.5 * width * unit;
  const pen = solid.of(...who, color);
  if (flat) pen.polygon([[0, -half, 0], [length, -half, 0], [length, half, 0], [0, half, 0]], z);
  else pen.cone([0, 0, 0], [length, 0, 0], half, half, 8);
}

/** The head of an arrow: its row stretches one meter to the length of the head. */
function head(pens: Pens, flat: boolean, color: string, who: [number, number]): void {
  const { unit } = pens, half = 0.38 * pens.bold, pen = pens.arrows.of(...who, color);
  if (flat) pen.polygon([[0, -half, 0], [1, 0, 0], [0, half, 0]], 0.05 * 6.5 * unit);
  else pen.cone([0, 0, 0], [1, 0, 0], half, 0, 12);
}

/** Three quarters of a circle of radius 1 with a head, left about z in the plane, about x in space: its row makes it larger. */
function ring(pens: Pens, flat: boolean, color: string, who: [number, number]): void {
  const pen = pens.arrows.of(...who, color), end = 3.9, z = 0.05 * 6.6 * pens.unit;
  const at = (angle: number, radius: number) => [radius * Math.cos(angle), radius * Math.sin(angle)];
  const parts = flat ? 28 : 20, arc = Array.from({ length: parts + 1 }, (_, k) => at(-0.6 + ((end + 0.6) * k) / parts, 1));
  if (flat) {
    pen.stroke(arc.map(([x, y]) => [x, y, 0]), 0.1, z, false);
    pen.polygon([[...at(end, 0.8), 0], [...at(end, 1.2), 0], [...at(end + 0.42, 1.02), 0]], z);
  } else {
    pen.tube(arc.map(([x, y]) => [0, x, y]), 0.05, 5, false);
    pen.cone([0, ...at(end, 1)], [0, ...at(end + 0.42, 1.02)], 0.18, 0, 10);
  }
}

function zigzag(length: number, half: number): number[][] {
  const inner = Array.from({ length: COILS }, (_, k) => [length * (0.2 + (0.6 * (k + 0.5)) / COILS), k % 2 ? -half : half, 0]);
  return [[0, 0, 0], [0.2 * length, 0, 0], ...inner, [0.8 * length, 0, 0], [length, 0, 0]];
}

/** The piston of a damper in its cylinder. */
function dashpot(length: number, half: number): number[][][] {
  const lines = [[[0, 0], [0.4, 0]], [[0.65, 1], [0.4, 1], [0.4, -1], [0.65, -1]], [[0.52, 0.75], [0.52, -0.75]], [[0.52, 0], [1, 0]]];
  return lines.map((line) => line.map(([share, side]) => [share * length, side * half, 0]));
}

/** The lines of a spring, of a damper, or of both side by side, as in `lines.py`; null of other rods. */
function stretched(kind: string, length: number, half: number): number[][][] | null {
  if (kind === "spring") return [zigzag(length, half)];
  if (kind === "damper") return dashpot(length, half);
  if (kind !== "spring-damper") return null;
  const end = 0.1 * length, inner = length - 2 * end, apart = 1.1 * half;
  const beside = (line: number[][], side: number) => line.map(([x, y]) => [end + x, side + y, 0]);
  const bars = [[[0, 0, 0], [end, 0, 0]], [[end, -apart, 0], [end, apart, 0]], [[length - end, -apart, 0], [length - end, apart, 0]], [[length - end, 0, 0], [length, 0, 0]]];
  return [...bars, beside(zigzag(inner, 0.75 * half), apart), ...dashpot(inner, 0.75 * half).map((line) => beside(line, -apart))];
}
