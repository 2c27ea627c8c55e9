// A document is the content of a page: bodies, shapes, clips of motion with their curves, findings.
//
//   text -> gzip -> [length of JSON, 4 bytes][JSON][arrays]
//
// Arrays of motion are second differences of whole numbers, modulo 2^16 or 2^32, channel after channel, all low bytes
// before all high ones: smooth motion is then mostly zeros, which gzip packs well. `encode.py` writes it.

export interface Slice { at: number; rows: number; columns: number; kind: "i16" | "f32" | "f64"; steps?: number[]; starts?: number[] }
export interface Body { name: string; colors: [string, string]; facts: string[]; movable: boolean }
export interface ElementInfo { name: string; type: string; bodies: number[] }
export interface ShapeInfo { kind: string; body: number; element: number; pivot: number; points: number; paint?: string; interface?: string }
export interface End { body: number; point: number[]; interface?: string }
// a flexible body: points and their modes, point by point; triangles and lines by index, -1 between two lines
export interface SkinInfo {
  body: number; modes: number; first: number; points: Slice | null; shapes: Slice | null; triangles: Slice | null; lines: number[]; stress: Slice | null;
  fit: number[]; interfaces: Record<string, { place: number[]; translation: number[]; rotation: number[] }>;
}
export interface StressInfo { limit: number; size: number; unit: string; body: string; time: number; point: number[] } // Pa; Pa per unit
export interface RodInfo { kind: string; a: End; b: End; element: number; barrel?: number } // m: the length of a cylinder
export interface JointInfo { name: string; element: number; at: End }
export interface NameInfo { text: string; at: End }
export interface CurveInfo { name: string; unit: string; still: boolean; values: Slice }
// a force, or a torque, that begins at a point of a body, or moves along a global path
export interface ArrowInfo { name: string; kind: "reaction" | "driver" | "applied"; unit: "N" | "N m"; element: number; at: End; path: Slice | null; values: Slice }
export interface ActingInfo { name: string; kind: string; color: string; values: Slice } // point, force, torque
export interface CutsInfo { frames: number[]; bodies: ActingInfo[][] } // no frames: too many forces for a file
export interface PolygonInfo {
  unit: string; missing: string[]; corners: { name: string; value: number[] }[]; sides: { name: string; kind: string; color: string; start: number[]; vector: number[]; words: string }[];
}
export interface PoleInfo { bodies: number[]; point: number[] | null; where: string; how: string; lines: number[][] }
export interface LectureInfo { frames: number[]; instants: { velocity: PolygonInfo; acceleration: PolygonInfo; poles: PoleInfo[] }[] }
export interface ClipInfo {
  name: string; note: string; times: Slice; poses: Slice; strands: Slice | null; modal: Slice | null; stress: StressInfo | null; curves: CurveInfo[]; arrows: ArrowInfo[]; cyclic: boolean;
  cuts: CutsInfo | null; lecture: LectureInfo | null;
}
export interface Finding { kind: string; title: string; text: string; elements: number[]; clip: number | null; gap: { a: End; b: End; text: string } | null }
export interface Palette { ink: string; ground: string; faint: string; paper: string; accent: string; curves: string[]; stress: string[] }
export interface Document {
  version: number; title: string; subtitle: string; dimensions: 2 | 3; unit: number; low: number[]; high: number[]; size: number; floor: number; palette: Palette;
  bodies: Body[]; elements: ElementInfo[]; shapes: ShapeInfo[]; geometries: Slice[]; rods: RodInfo[]; strands: number[]; names: NameInfo[];
  traces: NameInfo[]; pivots: JointInfo[]; pins: JointInfo[]; skins: SkinInfo[]; clips: ClipInfo[]; ghost: number | null; ghostScene: Partial<Document> | null; findings: Finding[];
  notes: string[]; show: string[]; units: Record<string, [number, string]>; // of SI: factors and names of those shown
}

/** A number in SI as it is shown, with its unit. */
export function shown(doc: Document, value: number, unit: string, format: (x: number) => string): string {
  const [factor, name] = doc.units[unit];
  return `${format(factor * value)} ${name}`;
}

/** The name of a unit of SI in which numbers are shown. */
export function unitName(doc: Document, unit: string): string { return doc.units[unit][1]; }

export const GAP = -32768; // marks NaN: the end of one line of a shape and the start of the next

export interface Loaded { doc: Document; bytes: Uint8Array }

/** A document from the text of a page, or from the bytes of a message. */
export async function unpack(packed: Uint8Array): Promise<Loaded> {
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  const all = new Uint8Array(await new Response(stream).arrayBuffer());
  const size = new DataView(all.buffer).getUint32(0, true);
  const doc = JSON.parse(new TextDecoder().decode(all.subarray(4, 4 + size))) as Document;
  return { doc, bytes: all.subarray(4 + size) };
}

/** The bytes of packed text: the frame of the page, which unpacks this program, has the function. */
export function fromText(text: string): Uint8Array {
  return (window as unknown as { bytesOf: (text: string) => Uint8Array }).bytesOf(text);
}

/** The numbers of a slice, row after row. */
export function read(bytes: Uint8Array, slice: Slice): Float64Array {
  const count = slice.rows * slice.columns;
  const found = new Float64Array(count);
  if (slice.kind === "f64") {
    const view = new DataView(bytes.buffer, bytes.byteOffset + slice.at, 8 * count);
    for (let k = 0; k < count; k++) found[k] = view.getFloat64(8 * k, true);
    return found;
  }
  const wide = slice.kind === "f32" ? 4 : 2;
  const whole = summedTwice(bytes, slice.at, slice.rows, slice.columns, wide);
  const bits = slice.kind === "f32" ? new Float32Array(whole.buffer) : null;
  for (let c = 0; c < slice.columns; c++) {
    const step = slice.steps?.[c] ?? 1, start = slice.starts?.[c] ?? 0;
    for (let r = 0; r < slice.rows; r++) {
      const k = c * slice.rows + r;
      found[r * slice.columns + c] = bits ? bits[k] : start + step * whole[k];
    }
  }
  return found;
}

function summedTwice(bytes: Uint8Array, at: number, rows: number, columns: number, wide: number): Int32Array {
  const count = rows * columns, whole = new Int32Array(count), shift = wide === 2 ? 16 : 0;
  for (let k = 0; k < count; k++) {
    let value = 0;
    for (let b = 0; b < wide; b++) value |= bytes[at + b * count + k] << (8 * b);
    whole[k] = value;
  }
  for (let c = 0; c < columns; c++) {
    let slope = 0, value = 0;
    for (let k = c * rows; k < (c + 1) * rows; k++) {
      slope = (slope + whole[k]) | 0;
      value = (value + slope) | 0;
      whole[k] = (value << shift) >> shift;
    }
  }
  return whole;
}

/** The points of a shape in the frame of its body; rows of NaN separate pieces. Always three coordinates. */
export function shapePoints(bytes: Uint8Array, slice: Slice): number[][][] {
  const count = slice.rows * slice.columns, view = new DataView(bytes.buffer, bytes.byteOffset + slice.at, 2 * count);
  const pieces: number[][][] = [[]];
  for (let r = 0; r < slice.rows; r++) {
    const point = [0, 0, 0];
    let gap = false;
    for (let c = 0; c < slice.columns; c++) {
      const whole = view.getInt16(2 * (r * slice.columns + c), true);
      gap ||= whole === GAP;
      point[c] = whole * slice.steps![0];
    }
    if (gap) pieces.push([]);
    else pieces[pieces.length - 1].push(point);
  }
  return pieces.filter((piece) => piece.length > 0);
}
