// What Python sends: see src/cardan/studio/session.py.

export type Vec = [number, number];
export interface Shape { kind: string; body: number; element: string; points: Vec[][] }
export interface End { body: number; point: Vec }
export interface Rod { kind: string; a: End; b: End; element: string; barrel: number }
export interface Load { element: string; at: End; way: Vec; frame: string; turn: number }
export interface Picture { loads: Load[]; unit: number; bodies: string[]; colors: [string, string][]; shapes: Shape[]; rods: Rod[]; names: { text: string; at: End }[]; poses: number[][]; strands?: Vec[][] }
export interface Point { id: string; name: string; at: Vec; bodies: string[]; joints: string[]; traces: string[]; places: string[]; fixed: string }
export interface Curve { name: string; unit: string; values: number[] }
export interface Motion { times: number[]; poses: number[][]; strands: Vec[][][]; traces: { name: string; line: Vec[] }[]; columns: [string, string][]; curves: Curve[] }
export interface Element { name: string; section: string; type: string; arguments: Record<string, string>; units: Record<string, string>; facts: string[]; markers?: Record<string, string>; length?: string }
export interface Parameter { name: string; text: string; value: number | null; unit: string; low?: number; high?: number }
export interface Status { dof: number | null; undriven: number | null; moves: boolean; driven: boolean; empty: boolean; text: string; warnings: string[]; report: string }
export interface Palette { ink: string; ground: string; accent: string; curves: string[] }
export interface State {
  type: "state"; preview: boolean; revision: number; space: "planar" | "spatial"; name: string; title: string; path: string; saved: boolean;
  undo: string; redo: string; undoable: boolean; redoable: boolean; recovered: number; text: string; status: Status; settings: Record<string, string>;
  units: { length: string; angle: string }; factors: { length: number; angle: number }; parameters: Parameter[]; elements: Element[]; points: Point[];
  picture: Picture | null; palette: Palette; motion: Motion | null; slow: boolean; free: { duration: number; shown: boolean }; runs?: Run[];
}
export interface Run { number: number; name: string; kind: string; url: string; text: string; trouble: string; table: [string, string, number, number][]; old: boolean }
export type Argument = [string, string, unknown, boolean]; // name, kind, default, required
export interface Types { types: Record<string, { about: string; group: string; arguments: Argument[] }>; analyses: Record<string, { about: string; group: string; arguments: Argument[] }> }
export interface Click { at: Vec; point?: string; body?: string }
