// The stage: WebGL, the camera, the floor, and what is found under the cursor.

import {
  DataTexture, DoubleSide, FloatType, Group, type Material, Mesh, NearestFilter, OrthographicCamera, PerspectiveCamera, Plane, Raycaster,
  RGBAFormat, Scene, ShaderMaterial, Vector2, Vector3, WebGLRenderer, WebGLRenderTarget,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { flexible, LEVEL, passLevel, STRESS_COLOR } from "./bending";
import type { Document } from "./document";
import { Floor } from "./floor";
import { castMaterial, Light, MARKS, POSE } from "./shader";
import type { Skin } from "./skins";
import type { Solid } from "./solid";

const OPENING = 26; // degrees: the field of view
const FILLED = 0.82; // fraction of the picture filled by the content; the rest is for names and numbers
const SMOOTH = 12; // number of bodies up to which edges are smooth without a graphics card
const LOOK = 7; // pixels across within which a click finds something
const FIRST = -9; // order of shells: what they hide is not painted
const SEEN = 0.22; // opacity of shells while the view goes through them

export interface Look { clear?: boolean; ghost?: boolean; pick?: boolean; shadow?: boolean; shell?: boolean; skin?: Skin; plain?: boolean }

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly camera: OrthographicCamera | PerspectiveCamera;
  readonly controls: OrbitControls;
  readonly software: boolean;
  readonly light: Light;
  level = 0; // of the floor, in m
  eye = { azim: -58, elev: 24 }; // degrees: as in the pictures
  box: { low: number[]; high: number[] }; // of the content
  private readonly scene = new Scene();
  private readonly picking = new Scene();
  private readonly target = new WebGLRenderTarget(LOOK, LOOK);
  private readonly casters = new Scene();
  private readonly floor: Floor | null = null;
  private readonly once = /[#&]picture/.test(location.hash); // one frame only: there is time
  private readonly antialias: boolean;
  private fine: boolean; // whether the last frame had everything
  private through = false;
  private content: number[][] = []; // points that must be in the picture
  private parts: { mesh: Mesh; group: string; look: Look }[] = [];

  constructor(readonly canvas: HTMLCanvasElement, public doc: Document) {
    this.software = /swiftshader|llvmpipe|software|basic render/i.test(rendererName(document.createElement("canvas").getContext("webgl2")));
    this.fine = !this.hasDraft;
    this.light = new Light(this.fine);
    this.box = { low: doc.low, high: doc.high };
    this.antialias = this.fine || doc.bodies.length <= SMOOTH;
    const gl = canvas.getContext("webgl2", { antialias: this.antialias, alpha: true, powerPreference: "high-performance" });
    this.renderer = new WebGLRenderer({ canvas, context: gl!, alpha: true });
    this.setDensity();
    this.renderer.setClearColor(0x000000, 0);
    const flat = doc.dimensions === 2;
    this.camera = flat ? new OrthographicCamera(-1, 1, 1, -1, -1000, 1000) : new PerspectiveCamera(OPENING, 1, 0.01, 1000);
    if (!flat) this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableRotate = !flat;
    this.controls.screenSpacePanning = true;
    this.controls.zoomToCursor = true;
    if (flat) this.controls.mouseButtons.LEFT = 2; // pans
    if (!flat) {
      const parts = new Group();
      this.floor = new Floor(parts, this.light, new Vector3());
      this.floor.refine(this.fine);
      this.scene.add(parts);
    }
    this.resize();
    this.fit();
  }

  /** Adds triangles to the stage; an earlier group of the same name is removed. */
  show(group: string, solid: Solid, poses: DataTexture, look: Look = {}): void {
    this.remove(group);
    if (solid.empty) return;
    const geometry = solid.geometry(), flat = this.doc.dimensions === 2;
    const add = (scene: Scene, material: Material) => {
      const mesh = new Mesh(geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = look.ghost ? 1 : look.clear ? 2 : look.shell ? FIRST : 0;
      scene.add(mesh);
      this.parts.push({ mesh, group, look });
    };
    add(this.scene, flat ? this.painted(poses, look) : this.light.solid(poses, look));
    if (look.pick !== false) add(this.picking, pickMaterial(poses, look.skin));
    if (this.floor && !look.ghost && !look.clear && look.shadow !== false) {
      add(this.casters, castMaterial(poses, look.skin));
      this.floor.cast(group, geometry, poses, look.skin);
    }
    this.see(this.through);
  }

  /** The groups whose names begin so. */
  groups(start: string): string[] { return [...new Set(this.parts.map((part) => part.group))].filter((group) => group.startsWith(start)); }

  remove(group: string): void {
    for (const { mesh } of this.parts.filter((part) => part.group === group)) {
      mesh.removeFromParent();
      mesh.geometry.dispose();
      (mesh.material as Material).dispose();
    }
    this.parts = this.parts.filter((part) => part.group !== group);
    this.floor?.remove(group);
  }

  /** Whether shells are seen through: the bodies of cars, housings, meshes. */
  see(through: boolean): void {
    this.through = through;
    for (const { mesh, look } of this.parts) {
      const { uniforms } = mesh.material as ShaderMaterial;
      if (!look.shell || !uniforms?.opacity) continue;
      const material = mesh.material as ShaderMaterial;
      uniforms.opacity.value = through ? SEEN : 1;
      material.transparent = through;
      material.depthWrite = !through;
      mesh.renderOrder = through ? 3 : FIRST;
    }
  }

  get seesThrough(): boolean { return this.through; }
  get hasShells(): boolean { return this.parts.some((part) => part.look.shell); }

  mark(row: number, elements: number[]): void {
    this.light.marks.chosen.value = row;
    this.light.marks.marked.value = Array.from({ length: MARKS }, (_, k) => elements[k] ?? -2);
  }

  /** Whether frames of a motion are drawn with less than a still picture: without a graphics card. */
  get hasDraft(): boolean { return this.software && !this.once; }

  /** Pixels of the picture to a pixel of the page. */
  private density(): number {
    const screen = window.devicePixelRatio;
    if (this.once) return screen;
    if (!this.fine) return 1;
    return this.software ? Math.max(screen, this.antialias ? 1 : 2) : Math.min(2 * Math.max(screen, 1), 2);
  }

  private setDensity(): void {
    this.renderer.setPixelRatio(this.density());
    this.light.width.value = Math.max(this.density() / window.devicePixelRatio, 1);
  }

  /** Whether the picture on the stage has everything: soft shadows, gloss, smooth edges. */
  get isFine(): boolean { return this.fine; }

  private refine(fine: boolean): void {
    if (fine === this.fine) return;
    this.fine = fine;
    this.light.refine(fine);
    this.floor?.refine(fine);
    this.setDensity();
  }

  /** Draw; `about` is where a mechanism is that the camera follows. A `still` picture has soft shadows and smooth edges. */
  render(about: number[] | null, still: boolean): void {
    this.refine(still || !this.hasDraft);
    if (this.floor) {
      const { low, high } = this.box, far = about !== null;
      const middle = new Vector3(...(about ?? low.map((x, k) => 0.5 * (x + high[k])))), radius = far ? 0.9 * this.doc.size : 0.6 * Math.hypot(...high.map((x, k) => x - low[k])) + this.doc.unit;
      this.floor.place(middle.x, middle.y, this.level, (far ? 7 : 3) * radius, this.renderer.domElement.height);
      this.light.aim(middle, radius);
      this.light.cast(this.renderer, this.casters);
    }
    this.renderer.render(this.scene, this.camera);
  }

  resize(): void {
    const width = Math.max(this.canvas.clientWidth, 1), height = Math.max(this.canvas.clientHeight, 1);
    this.renderer.setSize(width, height, false);
    if (this.camera instanceof PerspectiveCamera) this.camera.aspect = width / height;
    else {
      const half = 0.5 * (this.camera.top - this.camera.bottom);
      this.camera.left = (-half * width) / height;
      this.camera.right = (half * width) / height;
    }
    this.camera.updateProjectionMatrix();
  }

  /** Move the camera along. */
  shift(by: number[]): void {
    const way = new Vector3(by[0], by[1], by[2] ?? 0);
    this.camera.position.add(way);
    this.controls.target.add(way);
    this.controls.update();
  }

  /** The points that the picture must hold, for the whole motion or, while the camera follows, for an instant. */
  frame(content: number[][], floor: boolean): void {
    const ends = (pick: (...values: number[]) => number) => [0, 1, 2].map((k) => content.reduce((best, p) => pick(best, p[k] ?? 0), content[0][k] ?? 0)).slice(0, this.doc.dimensions);
    const low = ends(Math.min), high = ends(Math.max), out = 0.05 * Math.max(...high.map((x, k) => x - low[k])); // numbers of the axes
    this.box = { low, high };
    this.content = floor ? [...content, ...[[low[0] - out, low[1] - out], [high[0] + out, low[1] - out], [high[0] + out, high[1] + out]].map(([x, y]) => [x, y, this.level])] : content;
  }

  /** The camera position that shows the whole motion, or the mechanism about a point. */
  fit(about: number[] | null = null): void {
    const around = about && this.doc.dimensions === 3 ? about : null, half = 0.38 * this.doc.size;
    const low = around ? around.map((x) => x - half) : this.box.low, high = around ? around.map((x) => x + half) : this.box.high;
    const middle = new Vector3(...low.map((x, k) => 0.5 * (x + high[k])));
    const aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1);
    this.camera.zoom = 1;
    if (this.camera instanceof OrthographicCamera) {
      const half = 0.5 * Math.max(high[1] - low[1], (high[0] - low[0]) / aspect) * (about ? 1.4 : 1.12); // room for arrows
      Object.assign(this.camera, { top: half, bottom: -half, left: -half * aspect, right: half * aspect });
      this.camera.position.set(middle.x, middle.y, 10);
    } else {
      const radius = 0.5 * Math.hypot(...high.map((x, k) => x - low[k])), azim = (this.eye.azim * Math.PI) / 180, elev = (this.eye.elev * Math.PI) / 180;
      const from = new Vector3(Math.cos(elev) * Math.cos(azim), Math.cos(elev) * Math.sin(azim), Math.sin(elev));
      const away = this.filled(this.content.length ? this.content : boxCorners(low, high), middle, from, (4 * radius) / Math.min(1, aspect));
      this.camera.position.copy(middle).addScaledVector(from, away);
      this.camera.near = 0.02 * away;
      this.camera.far = away + 50 * Math.hypot(...this.doc.high.map((x, k) => x - this.doc.low[k]));
    }
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(middle);
    this.controls.update();
  }

  /** The camera distance at which points fill the picture; `middle` is moved so that they are in its center. */
  private filled(points: number[][], middle: Vector3, from: Vector3, start: number): number {
    let away = start;
    const place = new Vector3(), [right, up] = [new Vector3(), new Vector3()], slope = Math.tan((0.5 * OPENING * Math.PI) / 180);
    const aspect = (this.camera as PerspectiveCamera).aspect;
    for (let step = 0; step < 6; step++) {
      Object.assign(this.camera, { near: 0.01 * away, far: 100 * away });
      this.camera.position.copy(middle).addScaledVector(from, away);
      this.camera.lookAt(middle);
      this.camera.updateMatrixWorld();
      this.camera.updateProjectionMatrix();
      const least = [Infinity, Infinity], most = [-Infinity, -Infinity];
      for (const point of points) {
        place.set(point[0], point[1], point[2]).project(this.camera);
        [place.x, place.y].forEach((c, k) => ([least[k], most[k]] = [Math.min(least[k], c), Math.max(most[k], c)]));
      }
      right.setFromMatrixColumn(this.camera.matrixWorld, 0);
      up.setFromMatrixColumn(this.camera.matrixWorld, 1);
      middle.addScaledVector(right, 0.5 * (least[0] + most[0]) * away * slope * aspect).addScaledVector(up, 0.5 * (least[1] + most[1]) * away * slope);
      away *= Math.min(Math.max((0.5 * Math.max(most[0] - least[0], most[1] - least[1])) / FILLED, 0.2), 5);
    }
    return away;
  }

  /** The row and the element at a point of the canvas; null if there is none. */
  pick(x: number, y: number): { row: number; element: number } | null {
    const half = (LOOK - 1) / 2;
    this.camera.setViewOffset(this.canvas.clientWidth, this.canvas.clientHeight, x - half, y - half, LOOK, LOOK);
    this.renderer.setRenderTarget(this.target);
    this.renderer.clear();
    this.renderer.render(this.picking, this.camera);
    const bytes = new Uint8Array(4 * LOOK * LOOK);
    this.renderer.readRenderTargetPixels(this.target, 0, 0, LOOK, LOOK, bytes);
    this.renderer.setRenderTarget(null);
    this.camera.clearViewOffset();
    let best: { row: number; element: number } | null = null, least = Infinity;
    for (let k = 0; k < LOOK * LOOK; k++) {
      const row = bytes[4 * k] + 256 * bytes[4 * k + 1] - 1, away = Math.hypot((k % LOOK) - half, Math.floor(k / LOOK) - half);
      if (row >= 0 && away < least) [best, least] = [{ row, element: bytes[4 * k + 2] + 256 * bytes[4 * k + 3] - 1 }, away];
    }
    return best;
  }

  /** The width of the picture of the plane in meters. */
  span(): number { return Math.abs(this.unproject(this.canvas.clientWidth, 0, [0, 0, 0])[0] - this.unproject(0, 0, [0, 0, 0])[0]); }

  /** The global directions to the right and upward in the picture. */
  paper(): [number[], number[]] {
    const e = this.camera.matrixWorld.elements;
    return [[e[0], e[1], e[2]], [e[4], e[5], e[6]]];
  }

  /** A global point on the canvas, in pixels, and its depth. */
  project(p: ArrayLike<number>): [number, number, number] {
    const v = new Vector3(p[0], p[1], p[2] ?? 0).project(this.camera);
    return [0.5 * (1 + v.x) * this.canvas.clientWidth, 0.5 * (1 - v.y) * this.canvas.clientHeight, v.z];
  }

  /** The global point at a point of the canvas, in the plane normal to the line of sight at `depth`. */
  unproject(x: number, y: number, depth: ArrayLike<number>): [number, number, number] {
    const place = new Vector2((2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight);
    const ray = new Raycaster(), through = new Vector3(depth[0], depth[1], depth[2] ?? 0), found = new Vector3();
    ray.setFromCamera(place, this.camera);
    const plane = new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), through);
    return (ray.ray.intersectPlane(plane, found) ?? through).toArray();
  }

  /** Planar shapes have the plain colors of a drawing. */
  private painted(poses: DataTexture, look: Look): Material {
    const flex = flexible(look.skin), ghost = look.ghost ?? false, see = look.clear || ghost;
    return new ShaderMaterial({
      vertexColors: true, side: DoubleSide, transparent: see, depthWrite: !see,
      defines: { ...flex.defines },
      uniforms: { ...this.light.marks, ...flex.uniforms, poses: { value: poses }, opacity: { value: ghost ? 0.28 : 1 } },
      vertexShader: `
        uniform float chosen;
        uniform float marked[${MARKS}];
        varying vec4 vPaint;
        ${POSE}
        ${LEVEL}
        void main() {
          vPaint = color;
          ${ghost ? "vPaint.rgb = mix(vPaint.rgb, vec3(0.35, 0.4, 0.5), 0.6);" : `
          if (abs(owner.x - chosen) < 0.5) vPaint.rgb = mix(vPaint.rgb, vec3(1.0, 0.62, 0.02), 0.55);
          for (int k = 0; k < ${MARKS}; k++) if (abs(owner.y - marked[k]) < 0.5) vPaint.rgb = mix(vPaint.rgb, vec3(0.75, 0.0, 0.25), 0.75);`}
          gl_Position = projectionMatrix * viewMatrix * poseOf(owner.x) * vec4(shaped(), 1.0);
          ${passLevel(ghost || (look.plain ?? false))}
        }`,
      fragmentShader: `
        uniform float opacity;
        varying vec4 vPaint;
        ${STRESS_COLOR}
        void main() {
          gl_FragColor = vec4(stressColor(vPaint.rgb), vPaint.a * opacity);
          #include <colorspace_fragment>
        }`,
    });
  }
}

function boxCorners(low: number[], high: number[]): number[][] {
  return Array.from({ length: 8 }, (_, k) => [0, 1, 2].map((j) => ((k >> j) & 1 ? high[j] : low[j])));
}

/** A table of poses as a texture: three texels a row. */
export function poseTexture(table: Float32Array): DataTexture {
  const texture = new DataTexture(table, 3, table.length / 12, RGBAFormat, FloatType);
  texture.magFilter = texture.minFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

function pickMaterial(poses: DataTexture, skin?: Skin): ShaderMaterial {
  const flex = flexible(skin);
  return new ShaderMaterial({
    side: DoubleSide,
    defines: { ...flex.defines },
    uniforms: { ...flex.uniforms, poses: { value: poses } },
    vertexShader: `${POSE}
      flat varying vec2 who;
      void main() { who = owner; gl_Position = projectionMatrix * viewMatrix * poseOf(owner.x) * vec4(shaped(), 1.0); }`,
    fragmentShader: `
      flat varying vec2 who;
      void main() {
        float r = floor(who.x + 1.5), e = floor(who.y + 1.5);
        gl_FragColor = vec4(mod(r, 256.0), floor(r / 256.0), mod(e, 256.0), floor(e / 256.0)) / 255.0;
      }`,
  });
}

function rendererName(gl: WebGL2RenderingContext | null): string {
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  return info ? String(gl!.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
}
