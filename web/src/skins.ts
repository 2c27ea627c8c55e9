// Flexible bodies: the vertex shader computes deformation and stress from modes, which are a texture, and modal coordinates,
// which are a few numbers a frame.
//
//   y = x + s psi eta + (1 - s) (d + theta x x)        sigma = sum_k sigma_k eta_k, of which von Mises stress is shown
//
// The rigid motion d, theta fits the joints of the body: only the deformation relative to them is magnified by s.

import { Color, DataTexture, FloatType, NearestFilter, RGBAFormat, Vector3, Vector4 } from "three";
import { type Document, type Loaded, read, shapePoints, type SkinInfo } from "./document";
import { facets } from "./facets";
import { inWorld, ROW } from "./motion";
import { Solid } from "./solid";

const WIDE = 2046; // texels of a row: a multiple of three
const SAMPLES = 60; // points looked at to see how far a skin reaches
const LAYER = 3.2, LINE = 0.1, BARE = 0.3; // of a planar skin; widths of its rims, and of lines without a skin, in units

type Place = [number, number, number];
interface Seat { place: number[]; translation: number[]; rotation: number[] }

/** One flexible body. */
export class Skin {
  readonly points: number[][];
  readonly eta: Float64Array;
  readonly uniforms: Record<string, { value: unknown }>;
  readonly defines: Record<string, number>;
  private readonly shapes: Float64Array; // psi: point by point, three components of n modes each
  private readonly fitted = [0, 0, 0, 0, 0, 0]; // d and theta
  scale = 1;

  constructor(readonly info: SkinInfo, bytes: Uint8Array, ramp: string[]) {
    const n = info.modes;
    this.eta = new Float64Array(n);
    this.points = info.points ? shapePoints(bytes, info.points).flat() : [];
    this.shapes = info.shapes ? read(bytes, info.shapes) : new Float64Array(0);
    const stress = info.stress ? read(bytes, info.stress) : null;
    this.defines = { FLEX: n, TEXELS: stress ? 3 : 1, WIDE, STOPS: ramp.length };
    this.uniforms = {
      shapes: { value: this.texture(stress) }, etas: { value: Array.from({ length: Math.ceil(n / 4) }, () => new Vector4()) }, scale: { value: 1 }, limit: { value: 0 },
      shift: { value: new Vector3() }, twist: { value: new Vector3() }, ramp: { value: ramp.map((hex) => new Vector3(...new Color(hex).convertLinearToSRGB().toArray())) },
    };
  }

  get stressed(): boolean { return this.info.stress !== null; }

  /** Three texels for each point and mode, or one without stress: displacement, normal stresses, shear stresses. */
  private texture(stress: Float64Array | null): DataTexture {
    const n = this.info.modes, count = this.points.length, texels = stress ? 3 : 1, high = Math.max(Math.ceil((count * n * texels) / WIDE), 1);
    const data = new Float32Array(4 * WIDE * high);
    for (let p = 0; p < count; p++)
      for (let k = 0; k < n; k++) {
        const at = 4 * texels * (p * n + k);
        for (let c = 0; c < 3; c++) data[at + c] = this.shapes[(3 * p + c) * n + k];
        if (stress) for (let c = 0; c < 6; c++) data[at + 4 + c + (c > 2 ? 1 : 0)] = stress[(6 * p + c) * n + k];
      }
    const made = new DataTexture(data, WIDE, high, RGBAFormat, FloatType);
    made.magFilter = made.minFilter = NearestFilter;
    made.needsUpdate = true;
    return made;
  }

  /** Take the modal coordinates of all bodies. */
  set(modal: ArrayLike<number>, scale: number, limit: number): void {
    const { first, modes: n, fit } = this.info, etas = this.uniforms.etas.value as Vector4[];
    this.scale = scale;
    for (let k = 0; k < n; k++) {
      this.eta[k] = modal[first + k];
      etas[k >> 2].setComponent(k & 3, this.eta[k]);
    }
    for (let c = 0; c < 6; c++) {
      this.fitted[c] = 0;
      for (let k = 0; k < n; k++) this.fitted[c] += fit[c * n + k] * this.eta[k];
    }
    const [dx, dy, dz, tx, ty, tz] = this.fitted;
    this.uniforms.scale.value = scale;
    this.uniforms.limit.value = this.stressed ? limit : 0;
    (this.uniforms.shift.value as Vector3).set(dx, dy, dz).multiplyScalar(1 - scale);
    (this.uniforms.twist.value as Vector3).set(tx, ty, tz).multiplyScalar(1 - scale);
  }

  /** A point in the axes of the body. */
  place(point: number): Place { return this.bent(this.points[point], this.shapes.subarray(3 * point * this.info.modes)); }

  /** How far the deformation moves a point, relative to the joints. */
  strain(point: number): number {
    const [x, y, z] = this.points[point], [dx, dy, dz, tx, ty, tz] = this.fitted, u = this.moved(this.shapes.subarray(3 * point * this.info.modes));
    return Math.hypot(u[0] - dx - ty * z + tz * y, u[1] - dy - tz * x + tx * z, u[2] - dz - tx * y + ty * x);
  }

  /** Points all over the skin, or its interfaces, in global axes. */
  sampled(table: Float32Array): Place[] {
    const step = Math.max(1, Math.floor(this.points.length / SAMPLES)), found: Place[] = [];
    for (let k = 0; k < this.points.length; k += step) found.push(inWorld(table, this.info.body, this.place(k)));
    return found;
  }

  largest(): number {
    let most = 0;
    const step = Math.max(1, Math.floor(this.points.length / SAMPLES));
    for (let k = 0; k < this.points.length; k += step) most = Math.max(most, this.strain(k));
    return most;
  }

  /** Writes the pose of an interface into a row: undeformed points of the body move with it. */
  setFrame(table: Float32Array, row: number, seat: Seat): void {
    const s = this.scale, [x, y, z] = seat.place, at = this.bent(seat.place, seat.translation), turned = this.moved(seat.rotation);
    const A = rotation(turned.map((t, k) => s * t + (1 - s) * this.fitted[3 + k])), m = ROW * this.info.body, to = ROW * row;
    const r = [0, 1, 2].map((k) => at[k] - A[3 * k] * x - A[3 * k + 1] * y - A[3 * k + 2] * z);
    for (let i = 0; i < 3; i++) {
      const b = [0, 1, 2].map((k) => table[m + 4 * i + k]);
      for (let j = 0; j < 3; j++) table[to + 4 * i + j] = b[0] * A[j] + b[1] * A[3 + j] + b[2] * A[6 + j];
      table[to + 4 * i + 3] = b[0] * r[0] + b[1] * r[1] + b[2] * r[2] + table[m + 4 * i + 3];
    }
  }

  /** The triangles of the body, and the lines along its rims. */
  build(doc: Document, bytes: Uint8Array, color: [string, string]): { skin: Solid; rims: Solid } {
    const { info, points } = this, flat = doc.dimensions === 2, skin = new Solid(), rims = new Solid(), lift = 0.05 * LAYER * doc.unit;
    const corners = info.triangles ? read(bytes, info.triangles) : new Float64Array(0);
    skin.of(info.body, -1, color[0]);
    if (flat) {
      const first = points.map(([x, y], k) => skin.at(k).corner([x, y, lift], [0, 0, 1]));
      for (let t = 0; t < corners.length; t += 3) skin.triangle(first[corners[t]], first[corners[t + 1]], first[corners[t + 2]]);
    } else if (corners.length) {
      const faces = Array.from({ length: corners.length / 3 }, (_, t) => [corners[3 * t], corners[3 * t + 1], corners[3 * t + 2]]);
      facets(skin, faces.map((face) => face.map((k) => points[k])), faces);
    }
    rims.of(info.body, -1, color[1]);
    for (const line of pieces(info.lines)) {
      const places = line.map((k) => points[k]);
      if (flat) rims.stroke(places, (corners.length ? LINE : BARE) * doc.unit, lift + 0.002 * doc.unit, true, line);
      else rims.tube(places, BARE * doc.unit, 12, true, line);
    }
    return { skin, rims };
  }

  private moved(modes: ArrayLike<number>): Place {
    const n = this.info.modes, u: Place = [0, 0, 0];
    for (let c = 0; c < 3; c++) for (let k = 0; k < n; k++) u[c] += modes[c * n + k] * this.eta[k];
    return u;
  }

  private bent([x, y, z]: number[], modes: ArrayLike<number>): Place {
    const s = this.scale, u = this.moved(modes), [dx, dy, dz, tx, ty, tz] = this.fitted;
    return [x + s * u[0] + (1 - s) * (dx + ty * z - tz * y), y + s * u[1] + (1 - s) * (dy + tz * x - tx * z), z + s * u[2] + (1 - s) * (dz + tx * y - ty * x)];
  }
}

export function skinsOf(loaded: Loaded): Skin[] { return loaded.doc.skins.map((info) => new Skin(info, loaded.bytes, loaded.doc.palette.stress)); }

/** The interfaces of all flexible bodies, in the order of their rows. */
export function seatsOf(doc: Document): { skin: number; name: string; seat: Seat }[] {
  return doc.skins.flatMap((info, skin) => Object.entries(info.interfaces).map(([name, seat]) => ({ skin, name, seat })));
}

function pieces(lines: number[]): number[][] {
  const found: number[][] = [[]];
  for (const k of lines) {
    if (k < 0) found.push([]);
    else found[found.length - 1].push(k);
  }
  return found.filter((line) => line.length > 1);
}

/** The rotation matrix of a rotation vector, row after row. */
function rotation([x, y, z]: number[]): number[] {
  const angle = Math.hypot(x, y, z), a = angle > 1e-8 ? Math.sin(angle) / angle : 1, b = angle > 1e-4 ? (1 - Math.cos(angle)) / angle ** 2 : 0.5;
  return [1 - b * (y * y + z * z), b * x * y - a * z, b * x * z + a * y, b * x * y + a * z, 1 - b * (x * x + z * z), b * y * z - a * x, b * x * z - a * y, b * y * z + a * x, 1 - b * (x * x + y * y)];
}
