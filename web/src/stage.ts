// The stage: WebGL, the camera, and the shaders that read the pose of each corner.

import {
  DataTexture, DirectionalLight, DoubleSide, FloatType, HemisphereLight, LineSegments, type Material, Mesh, MeshBasicMaterial, MeshLambertMaterial,
  NearestFilter, OrthographicCamera, PerspectiveCamera, Plane, Raycaster, RGBAFormat, Scene, ShaderMaterial, Vector2, Vector3, WebGLRenderer, WebGLRenderTarget,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Document } from "./document";
import type { Solid } from "./solid";

const AZIMUTH = -58, ELEVATION = 24, OPENING = 26; // degrees: as in the pictures, and the field of view
const FILLED = 0.84; // fraction of the picture filled by the content
const SMOOTH = 20; // number of bodies up to which edges are smooth and thin without a graphics card
const MARKS = 8; // largest number of marked elements
const LOOK = 7; // pixels across within which a click finds something

const POSE = `
attribute vec2 owner;
uniform highp sampler2D poses;
mat4 poseOf(float row) {
  int r = int(row + 0.5);
  vec4 a = texelFetch(poses, ivec2(0, r), 0), b = texelFetch(poses, ivec2(1, r), 0), c = texelFetch(poses, ivec2(2, r), 0);
  return transpose(mat4(a, b, c, vec4(0.0, 0.0, 0.0, 1.0)));
}`;

interface Look { clear?: boolean; ghost?: boolean; pick?: boolean; thread?: boolean }

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly camera: OrthographicCamera | PerspectiveCamera;
  readonly controls: OrbitControls;
  readonly software: boolean;
  readonly fine: boolean; // whether there is time for smooth and thin edges
  private readonly scene = new Scene();
  private readonly picking = new Scene();
  private readonly target = new WebGLRenderTarget(LOOK, LOOK);
  private readonly marks = { chosen: { value: -1 }, marked: { value: new Array<number>(MARKS).fill(-2) } };
  private parts: { mesh: Mesh | LineSegments; group: string }[] = [];

  constructor(readonly canvas: HTMLCanvasElement, public doc: Document) {
    this.software = /swiftshader|llvmpipe|software|basic render/i.test(rendererName(document.createElement("canvas").getContext("webgl2")));
    this.fine = !this.software || doc.bodies.length <= SMOOTH;
    const gl = canvas.getContext("webgl2", { antialias: this.fine, alpha: true, powerPreference: "high-performance" });
    this.renderer = new WebGLRenderer({ canvas, context: gl!, alpha: true });
    this.renderer.setPixelRatio(this.software ? 1 : Math.min(2 * Math.max(window.devicePixelRatio, 1), 2));
    this.renderer.setClearColor(0x000000, 0);
    const flat = doc.dimensions === 2;
    this.camera = flat ? new OrthographicCamera(-1, 1, 1, -1, -1000, 1000) : new PerspectiveCamera(OPENING, 1, 0.01, 1000);
    if (!flat) this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableRotate = !flat;
    this.controls.screenSpacePanning = true;
    this.controls.zoomToCursor = true;
    if (flat) this.controls.mouseButtons.LEFT = 2; // pans
    this.scene.add(new HemisphereLight(0xffffff, 0xb8bcc6, 2.2));
    const sun = new DirectionalLight(0xffffff, 1.4);
    this.camera.add(sun);
    sun.position.set(0.4, 0.8, 1);
    this.scene.add(this.camera);
    this.resize();
    this.fit();
  }

  /** Adds triangles to the stage; an earlier group of the same name is removed. */
  show(group: string, solid: Solid, poses: DataTexture, look: Look = {}): void {
    this.remove(group);
    if (solid.empty) return;
    const geometry = solid.geometry(), material = this.material(poses, look);
    const mesh = look.thread ? new LineSegments(geometry, material) : new Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = look.ghost ? 1 : look.clear ? 2 : 0;
    this.scene.add(mesh);
    this.parts.push({ mesh, group });
    if (look.pick === false) return;
    const twin = new Mesh(geometry, pickMaterial(poses));
    twin.frustumCulled = false;
    this.picking.add(twin);
    this.parts.push({ mesh: twin, group });
  }

  remove(group: string): void {
    for (const { mesh } of this.parts.filter((part) => part.group === group)) {
      mesh.removeFromParent();
      mesh.geometry.dispose();
      (mesh.material as Material).dispose();
    }
    this.parts = this.parts.filter((part) => part.group !== group);
  }

  mark(row: number, elements: number[]): void {
    this.marks.chosen.value = row;
    this.marks.marked.value = Array.from({ length: MARKS }, (_, k) => elements[k] ?? -2);
  }

  render(): void { this.renderer.render(this.scene, this.camera); }

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

  /** The camera position that shows the whole motion, or the mechanism about a point. */
  fit(about: number[] | null = null): void {
    const half = (this.doc.dimensions === 2 ? 0.55 : 0.38) * this.doc.size;
    const low = about ? about.map((x) => x - half).slice(0, this.doc.dimensions) : this.doc.low;
    const high = about ? about.map((x) => x + half).slice(0, this.doc.dimensions) : this.doc.high;
    const middle = new Vector3(...low.map((x, k) => 0.5 * (x + high[k])));
    const aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1);
    this.camera.zoom = 1;
    if (this.camera instanceof OrthographicCamera) {
      const half = 0.5 * Math.max(high[1] - low[1], (high[0] - low[0]) / aspect) * 1.12;
      Object.assign(this.camera, { top: half, bottom: -half, left: -half * aspect, right: half * aspect });
      this.camera.position.set(middle.x, middle.y, 10);
    } else {
      const radius = 0.5 * Math.hypot(...high.map((x, k) => x - low[k])), azim = (AZIMUTH * Math.PI) / 180, elev = (ELEVATION * Math.PI) / 180;
      let away = radius / Math.sin((0.5 * OPENING * Math.PI) / 180) / Math.min(1, aspect);
      const from = new Vector3(Math.cos(elev) * Math.cos(azim), Math.cos(elev) * Math.sin(azim), Math.sin(elev));
      if (!about) away = this.filled(low, high, middle, from, away);
      this.camera.position.copy(middle).addScaledVector(from, away);
      this.camera.near = Math.max(0.01 * away, away - 20 * radius);
      this.camera.far = away + 50 * Math.hypot(...this.doc.high.map((x, k) => x - this.doc.low[k]));
    }
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(middle);
    this.controls.update();
  }

  /** The camera distance at which a box fills the picture, including numbers of the axes; `middle` is updated. */
  private filled(low: number[], high: number[], middle: Vector3, from: Vector3, away: number): number {
    const corners = Array.from({ length: 8 }, (_, k) => new Vector3(...[0, 1, 2].map((j) => ((k >> j) & 1 ? high[j] : low[j]))));
    for (let step = 0; step < 4; step++) {
      this.camera.position.copy(middle).addScaledVector(from, away);
      this.camera.lookAt(middle);
      this.camera.updateMatrixWorld();
      this.camera.updateProjectionMatrix();
      const seen = corners.map((c) => c.clone().project(this.camera)), up = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
      const top = Math.max(...seen.map((p) => p.y)), bottom = Math.min(...seen.map((p) => p.y)), side = Math.max(...seen.map((p) => Math.abs(p.x)));
      middle.addScaledVector(up, 0.5 * (top + bottom) * away * Math.tan((0.5 * OPENING * Math.PI) / 180));
      away *= Math.max(side, 0.5 * (top - bottom)) / FILLED;
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

  private material(poses: DataTexture, look: Look): Material {
    const flat = this.doc.dimensions === 2 || look.thread === true, ghost = look.ghost ?? false, see = look.clear || ghost;
    const options = { vertexColors: true, side: DoubleSide, transparent: see, depthWrite: !see, opacity: ghost ? 0.28 : 1 };
    const made = flat ? new MeshBasicMaterial(options) : new MeshLambertMaterial(options);
    made.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.marks, { poses: { value: poses } });
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", `#include <common>\nuniform float chosen;\nuniform float marked[${MARKS}];\n${POSE}`)
        .replace("#include <beginnormal_vertex>", "vec3 objectNormal = mat3(poseOf(owner.x)) * normal;")
        .replace("#include <begin_vertex>", "vec3 transformed = (poseOf(owner.x) * vec4(position, 1.0)).xyz;")
        .replace("#include <color_vertex>", `#include <color_vertex>
          ${ghost ? "vColor.rgb = mix(vColor.rgb, vec3(0.35, 0.4, 0.5), 0.6);" : `
          if (abs(owner.x - chosen) < 0.5) vColor.rgb = mix(vColor.rgb, vec3(1.0, 0.62, 0.02), 0.55);
          for (int k = 0; k < ${MARKS}; k++) if (abs(owner.y - marked[k]) < 0.5) vColor.rgb = mix(vColor.rgb, vec3(0.75, 0.0, 0.25), 0.75);`}`);
    };
    made.customProgramCacheKey = () => `${flat}${ghost}`;
    return made;
  }
}

/** A table of poses as a texture: three texels a row. */
export function poseTexture(table: Float32Array): DataTexture {
  const texture = new DataTexture(table, 3, table.length / 12, RGBAFormat, FloatType);
  texture.magFilter = texture.minFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

function pickMaterial(poses: DataTexture): ShaderMaterial {
  return new ShaderMaterial({
    side: DoubleSide,
    uniforms: { poses: { value: poses } },
    vertexShader: `${POSE}
      flat varying vec2 who;
      void main() { who = owner; gl_Position = projectionMatrix * viewMatrix * poseOf(owner.x) * vec4(position, 1.0); }`,
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
