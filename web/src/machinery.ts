// The appearance of each kind of shape in space: machine elements as solids. The kinds and their points come from Python
// (`drawing.py`), the same as in its pictures; wheels, hinges and springs get their thickness here.

import { Vector3 } from "three";
import { box, facets, lathe, prism } from "./facets";
import { type Draw, opened, type Pens, type Pieces } from "./kinds";
import { around, dashes, flattened, GROUND, perpendicular } from "./solid";

export const STEEL = "#b3bac4", DARK = "#41464f", RUBBER = "#26282c", CAST = "#8d95a1", GLASS = "#2c3a4a";
const SUPPORT = "#9aa2ae";
const LIGHTENED = 2.6; // units: wheels of a larger radius have holes
const HOLES = 5;
const COILS = 7;

/** Adds a spatial shape. */
export function drawSolid(pens: Pens, kind: string, pieces: Pieces, colors: [string, string], who: [number, number]): void {
  (SOLID[kind] ?? wire(0.1))(pens, pieces, colors[0], colors[1], who, 0);
}

const wire = (radius: number, pick: (pens: Pens, edge: string) => string = (_, e) => e): Draw => (pens, pieces, _fill, edge, who) => {
  for (const piece of pieces) pens.opaque.of(...who, pick(pens, edge)).tube(piece, radius * pens.unit, 6, false);
};
const beam: Draw = ({ opaque, unit }, pieces, fill, _edge, who) => {
  for (const piece of pieces) opaque.of(...who, fill).tube(piece, 0.3 * unit, 12);
};
/** A plate; lines after the first are holes. */
const plate = (thickness: number): Draw => ({ opaque, unit }, [rim, ...holes], fill, _edge, who) => {
  prism(opaque.of(...who, fill), opened(rim), thickness * unit, holes.map(opened));
};
const faces: Draw = ({ opaque }, pieces, fill, _edge, who) => facets(opaque.of(...who, fill), pieces.map(opened));
const shell: Draw = ({ shell: pen }, pieces, fill, _edge, who) => facets(pen.of(...who, fill), pieces.map(opened));
const glass: Draw = ({ shell: pen }, pieces, _fill, _edge, who) => facets(pen.of(...who, GLASS), pieces.map(opened));
const sheet: Draw = ({ clear }, pieces, fill, _edge, who) => {
  for (const piece of pieces) clear.of(...who, fill, 0.35).polygon(opened(piece));
};
const road: Draw = ({ opaque }, pieces, _fill, _edge, who) => {
  for (const piece of pieces) opaque.of(...who, "#d9dce2").polygon(piece, 0, GROUND);
};

/** A wheel or a gear: a rim, a web with holes, a hub. Its turning shows. */
const wheel: Draw = ({ opaque, unit }, pieces, fill, edge, who) => {
  for (const piece of pieces) {
    const rim = opened(piece), { center, radius, normal } = roundness(rim), thick = Math.min(0.9 * unit, 0.35 * radius);
    if (rim.length < 12 || radius < LIGHTENED * unit) {
      prism(opaque.of(...who, fill), rim, thick);
      continue;
    }
    const inner = ring(center, normal, 0.8 * radius, 36), hub = Math.min(0.22 * radius, 1.4 * unit), middle = 0.5 * (0.8 * radius + hub);
    const [x, y] = frame(normal), hole = Math.min(0.36 * (0.8 * radius - hub), (0.75 * Math.PI * middle) / HOLES);
    const holes = Array.from({ length: HOLES }, (_, k) => ring(along(center, x, middle * Math.cos((2 * Math.PI * k) / HOLES), y, middle * Math.sin((2 * Math.PI * k) / HOLES)), normal, hole, 16));
    prism(opaque.of(...who, fill), rim, thick, [inner]);
    prism(opaque, inner, 0.4 * thick, holes);
    const end = along(center, normal, 0.75 * thick), start = along(center, normal, -0.75 * thick);
    opaque.of(...who, edge).cone(start, end, hub, hub, 20);
  }
};

/** A tire on a rim with spokes: the points are its tread. */
const tire: Draw = ({ opaque }, pieces, _fill, _edge, who) => {
  for (const piece of pieces) {
    const { center, radius: r, normal } = roundness(opened(piece)), half = 0.3 * r, rim = 0.66 * r, [x, y] = frame(normal);
    const tread: [number, number][] = [[-0.8 * half, rim], [-half, 0.76 * r], [-0.98 * half, 0.9 * r], [-0.82 * half, 0.975 * r], [-0.5 * half, r], [0.5 * half, r], [0.82 * half, 0.975 * r], [0.98 * half, 0.9 * r], [half, 0.76 * r], [0.8 * half, rim]];
    lathe(opaque.of(...who, RUBBER), center, normal, tread, 40);
    for (const h of [-0.25, 0.25]) lathe(opaque.of(...who, "#17181b"), center, normal, [[half * h - 0.02 * r, 1.004 * r], [half * h + 0.02 * r, 1.004 * r]], 40); // grooves
    lathe(opaque.of(...who, STEEL), center, normal, [[0.8 * half, rim], [0.72 * half, 0.93 * rim], [-0.72 * half, 0.93 * rim], [-0.8 * half, rim]], 40);
    const gaps = Array.from({ length: HOLES }, (_, k) => [[0.3, 0.26], [0.86, 0.46], [0.86, -0.46], [0.3, -0.26]].map(([far, aside]) => {
      const turn = (2 * Math.PI * (k + 0.5)) / HOLES + (0.8 * aside) / Math.max(far, 0.4) * 0.9;
      return along(center, x, far * rim * Math.cos(turn), y, far * rim * Math.sin(turn));
    }).map((p) => along(p, normal, 0.3 * half)));
    prism(opaque.of(...who, "#c8cdd5"), ring(along(center, normal, 0.3 * half), normal, 0.95 * rim, 40), 0.22 * half, gaps);
    opaque.of(...who, "#c8cdd5").cone(along(center, normal, -0.6 * half), along(center, normal, 0.62 * half), 0.2 * rim, 0.17 * rim, 16);
  }
};

/** The sleeve of a hinge, on a bolt. */
const barrel: Draw = ({ opaque, unit }, pieces, fill, _edge, who) => {
  for (const [a, b] of pieces) {
    opaque.of(...who, fill).cone(toward(a, b, 0.2), toward(b, a, 0.2), 0.52 * unit, 0.52 * unit, 20);
    opaque.of(...who, DARK).cone(toward(a, b, -0.14), toward(b, a, -0.14), 0.2 * unit, 0.2 * unit, 12);
  }
};

/** The two lugs of a hinge that hold its bolt. */
const lugs: Draw = ({ opaque, unit }, pieces, fill, _edge, who) => {
  for (const [a, b] of pieces) for (const [from, to] of [[a, b], [b, a]]) {
    opaque.of(...who, fill).cone(from, toward(from, to, 0.18), 0.56 * unit, 0.56 * unit, 20);
    opaque.of(...who, DARK).cone(toward(from, to, -0.09), from, 0.3 * unit, 0.3 * unit, 6);
  }
};

/** A post on the floor, or a bracket where the floor is near, below a support: its tip is the first point. */
const support: Draw = ({ opaque, unit, level }, pieces, _fill, _edge, who) => {
  for (const [tip, left, right] of pieces) {
    const foot = left.map((x, k) => 0.5 * (x + right[k])), floor = [tip[0], tip[1], level];
    const hanging = foot[2] > tip[2], side = hanging ? -1 : 1, low = !hanging && tip[2] - level > 1.2 * unit ? floor : foot;
    const pen = opaque.of(...who, SUPPORT);
    pen.cone(low, [tip[0], tip[1], tip[2] - side * 0.35 * unit], 0.62 * unit, 0.36 * unit, 18);
    pen.cone(low, [low[0], low[1], low[2] + side * 0.22 * unit], 1.15 * unit, 1.15 * unit, 24);
  }
};

/** A rail of rectangular section below a slider. */
const guide: Draw = ({ opaque, unit }, pieces, _fill, _edge, who) => {
  for (const piece of pieces) {
    const [a, b] = [piece[0], piece[piece.length - 1]], way = new Vector3(...b).sub(new Vector3(...a)), length = way.length();
    if (!length) continue;
    way.divideScalar(length);
    const up = Math.abs(way.z) > 0.95 ? perpendicular(way, new Vector3(0, 1, 0)) : perpendicular(way, new Vector3(0, 0, 1)), aside = way.clone().cross(up);
    const center = a.map((x, k) => 0.5 * (x + b[k]));
    box(opaque.of(...who, SUPPORT), center, [way, aside, up], [0.5 * length, 0.42 * unit, 0.42 * unit]);
  }
};

const axis: Draw = ({ arrows, palette, unit }, pieces, _fill, _edge, who) => {
  for (const piece of pieces)
    for (const dash of dashes(piece, 0.7 * unit, 0.35 * unit)) arrows.of(...who, palette.ink).tube(dash, 0.04 * unit, 4, false);
};
const ball = (radius: number, pick: (pens: Pens) => string): Draw => (pens, pieces, _fill, _edge, who) => {
  for (const [place] of pieces) pens.opaque.of(...who, pick(pens)).ball(place, radius * pens.unit, 18);
};
const sphere: Draw = ({ opaque, unit }, pieces, fill, edge, who) => {
  const { center, radius } = roundness(opened(pieces[0]));
  opaque.of(...who, fill).ball(center, radius, 32);
  for (const piece of pieces) opaque.of(...who, edge).tube(piece, 0.06 * unit, 5, false);
};
const cube: Draw = ({ opaque, unit }, pieces, _fill, _edge, who) => {
  for (const [place] of pieces) box(opaque.of(...who, DARK), place, [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)], [0.28 * unit, 0.28 * unit, 0.28 * unit]);
};
const arm: Draw = ({ opaque, unit }, pieces, fill, _edge, who) => {
  for (const piece of pieces) {
    opaque.of(...who, STEEL).tube(piece, 0.2 * unit, 10);
    for (const [from, to] of [piece, [...piece].reverse()]) opaque.of(...who, fill).cone(from, toward(from, to, 0.16), 0.4 * unit, 0.4 * unit, 16);
  }
};
const nothing: Draw = () => {};

const SOLID: Record<string, Draw> = {
  bar: beam, spine: beam, plate: plate(0.5), panel: plate(0.35), area: wheel, disk: wheel, tire, sphere, rack: plate(0.9), box: faces, mesh: shell,
  matter: shell, coachwork: shell, glass, outline: wire(0.16), ring: wire(0.3), spoke: wire(0.09), channel: wire(0.22), face: wire(0.22),
  rail: wire(0.08, () => SUPPORT), hatch: wire(0.045, () => SUPPORT), guide, support, sole: nothing, soil: nothing,
  arrow: wire(0.1, (pens) => pens.palette.accent), axis, barrel, lugs, arm, road, sheet,
  pin: ball(0.46, () => STEEL), point: ball(0.24, (pens) => pens.palette.accent), weld: cube,
};

// --- shapes stretched between two points: along x, `length` long ----------------------------------------------------------

/** The windings of a spring between two seats. */
export function drawSpring({ opaque, unit }: Pens, length: number, who: [number, number]): void {
  const radius = Math.min(Math.max(0.14 * length, 0.6 * unit), 2.2 * unit), count = opaque.round(radius, 16) * COILS;
  const coil = Array.from({ length: count + 1 }, (_, k) => {
    const phase = (2 * Math.PI * COILS * k) / count, s = k / count, flat = Math.min(COILS * s, COILS * (1 - s), 1); // closed ends
    return [length * (0.07 + 0.86 * (s < 0.5 ? 0.02 + 0.96 * s * (0.7 + 0.3 * flat) : 0.98 - 0.96 * (1 - s) * (0.7 + 0.3 * flat))), radius * Math.cos(phase), radius * Math.sin(phase)];
  });
  opaque.of(...who, CAST).tube(coil, 0.17 * radius, 6, false);
  for (const [from, to] of [[0, 0.06], [1, 0.94]]) opaque.of(...who, DARK).cone([from * length, 0, 0], [to * length, 0, 0], 0.3 * radius, 1.15 * radius, 20);
}

/** The cylinder of a damper, and its piston rod; inside of a spring, if there is one. */
export function drawDamper({ opaque, unit }: Pens, length: number, who: [number, number]): void {
  const radius = 0.5 * Math.min(Math.max(0.14 * length, 0.6 * unit), 2.2 * unit);
  opaque.of(...who, STEEL).cone([0.4 * length, 0, 0], [0.94 * length, 0, 0], 0.35 * radius, 0.35 * radius, 12);
  opaque.of(...who, DARK).cone([0.06 * length, 0, 0], [0.56 * length, 0, 0], radius, radius, 16);
}

/** A cylinder, which keeps its length, and the piston rod that moves in and out of it. */
export function drawCylinder({ opaque, unit }: Pens, length: number, barrel: number, color: string, who: [number, number], outer: [number, number]): void {
  opaque.of(...who, STEEL).cone([0.1 * length, 0, 0], [length, 0, 0], 0.17 * unit, 0.17 * unit, 14);
  opaque.of(...outer, color).cone([0, 0, 0], [barrel, 0, 0], 0.36 * unit, 0.36 * unit, 18);
  for (const at of [barrel - 0.3 * unit, 0]) opaque.of(...outer, DARK).cone([at, 0, 0], [at + 0.3 * unit, 0, 0], 0.41 * unit, 0.41 * unit, 18);
}

export function drawRound({ opaque, unit }: Pens, length: number, radius: number, color: string, who: [number, number]): void {
  opaque.of(...who, color).cone([0, 0, 0], [length, 0, 0], radius * unit, radius * unit, 10);
}

// --- geometry --------------------------------------------------------------------------------------------------------------

function roundness(points: number[][]): { center: number[]; radius: number; normal: number[] } {
  const center = [0, 1, 2].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
  const radius = Math.min(...points.map((p) => Math.hypot(...p.map((x, k) => x - center[k]))));
  return { center, radius, normal: flattened(points).normal };
}

function frame(normal: number[]): [number[], number[]] {
  const way = new Vector3(...normal), x = perpendicular(way, null);
  return [x.toArray(), way.cross(x).toArray()];
}

function ring(center: number[], normal: number[], radius: number, corners: number): number[][] {
  const [x, y] = frame(normal);
  return around(corners).map(([c, s]) => along(center, x, radius * c, y, radius * s));
}

function along(p: number[], x: number[], by: number, y: number[] = x, and = 0): number[] { return p.map((c, k) => c + by * x[k] + and * y[k]); }

function toward(from: number[], to: number[], share: number): number[] { return from.map((x, k) => x + share * (to[k] - x)); }
