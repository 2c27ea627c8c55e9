// The floor: a grid that fades out with the distance, and shadows.
//
// A fine floor computes both for each pixel, with soft shadows from the shadow map. Without a graphics card that takes longer
// than everything else in the picture, so the plain floor has the same colors from geometry: a disk, lines, and the solids
// once more, flattened along the rays of the sun.

import { BufferAttribute, BufferGeometry, type DataTexture, DoubleSide, type Group, LineSegments, Mesh, NoBlending, PlaneGeometry, ShaderMaterial, type Texture, type Vector3 } from "three";
import { flexible } from "./bending";
import { type Light, POSE } from "./shader";
import type { Skin } from "./skins";

const MOST = 100; // grid lines on each side of the middle
const PIECES = 16; // of a line: software drops those that pass the camera
const SECTORS = 48;
const RINGS = [0, 0.55, 0.66, 0.78, 0.89, 1]; // radii of the disk; it fades between the second and the last

const INK = "vec3(0.09, 0.1, 0.14)", TINT = "0.05", DARK = "0.42", LINE = "0.16";
const FADE = `
uniform vec3 middle;
uniform float radius;
float fade(vec2 at) { return 1.0 - smoothstep(0.55, 1.0, length(at - middle.xy) / radius); }`;

export class Floor {
  readonly middle: { value: Vector3 };
  readonly radius = { value: 1 };
  private readonly height = { value: 1 };
  private readonly finePart: Mesh;
  private readonly plainParts: (Mesh | LineSegments)[];
  private readonly lines: BufferGeometry;
  private shades = new Map<string, Mesh>();
  private isFine = true;

  constructor(private readonly group: Group, private readonly light: Light, middle: Vector3) {
    this.middle = { value: middle };
    this.finePart = new Mesh(new PlaneGeometry(2, 2), light.floor(this.uniforms, FADE, { ink: INK, tint: TINT, dark: DARK, line: LINE }));
    this.lines = gridLines();
    this.plainParts = [new Mesh(disk(), this.diskMaterial()), new LineSegments(this.lines, this.lineMaterial())];
    [this.finePart, ...this.plainParts].forEach((part, k) => this.add(part, k - 4)); // one over the other
    this.refine(true);
  }

  private get uniforms() { return { middle: this.middle, radius: this.radius }; }

  private add(part: Mesh | LineSegments, order: number): void {
    part.frustumCulled = false;
    part.renderOrder = order;
    this.group.add(part);
  }

  refine(fine: boolean): void {
    this.isFine = fine;
    this.finePart.visible = fine;
    for (const part of [...this.plainParts, ...this.shades.values()]) part.visible = !fine;
  }

  /** Put the middle of the floor to a point; `height` is that of the picture in pixels. */
  place(x: number, y: number, z: number, radius: number, height: number): void {
    this.middle.value.set(x, y, z);
    this.radius.value = radius;
    this.height.value = height;
    this.lines.setDrawRange(0, 4 * PIECES * (1 + 2 * Math.min(Math.ceil(radius / this.light.step.value), MOST)));
  }

  /** A group of triangles casts a shadow. */
  cast(name: string, geometry: BufferGeometry, poses: DataTexture, skin?: Skin): void {
    const shade = new Mesh(geometry, this.shadeMaterial(poses, skin));
    shade.visible = !this.isFine;
    this.add(shade, -1);
    this.shades.set(name, shade);
  }

  /** Removes the shadow of a group; its geometry belongs to others. */
  remove(name: string): void {
    const shade = this.shades.get(name);
    shade?.removeFromParent();
    (shade?.material as ShaderMaterial | undefined)?.dispose();
    this.shades.delete(name);
  }

  private diskMaterial(): ShaderMaterial {
    return new ShaderMaterial({
      side: DoubleSide, transparent: true, depthWrite: false, uniforms: this.uniforms,
      vertexShader: `
        varying float vAlpha;
        ${FADE}
        void main() {
          vec3 world = middle + radius * position;
          vAlpha = ${TINT} * fade(world.xy);
          gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
        }`,
      fragmentShader: `
        varying float vAlpha;
        void main() { gl_FragColor = vec4(${INK}, vAlpha); }`,
    });
  }

  /** Lines are fainter where they are close to each other: `pixel` is the size of a pixel there, along the floor. */
  private lineMaterial(): ShaderMaterial {
    return new ShaderMaterial({
      transparent: true, depthWrite: false, uniforms: { ...this.uniforms, step: this.light.step, height: this.height },
      vertexShader: `
        uniform float step, height;
        varying vec3 vWorld;
        varying float vPixel;
        ${FADE}
        void main() {
          vec2 at = step * (floor(middle.xy / step + 0.5) + position.x);
          float far = radius * position.y;
          vWorld = vec3(position.z < 0.5 ? vec2(at.x, middle.y + far) : vec2(middle.x + far, at.y), middle.z);
          vPixel = 2.0 / (projectionMatrix[1][1] * height);
          gl_Position = projectionMatrix * viewMatrix * vec4(vWorld, 1.0);
        }`,
      fragmentShader: `
        uniform float step;
        varying vec3 vWorld;
        varying float vPixel;
        ${FADE}
        void main() {
          vec3 to = cameraPosition - vWorld;
          float pixel = vPixel / gl_FragCoord.w * length(to) / max(abs(to.z), 1e-9);
          gl_FragColor = vec4(${INK}, 0.95 * ${LINE} * fade(vWorld.xy) * (1.0 - smoothstep(0.2, 0.5, pixel / step)));
        }`,
    });
  }

  /** Flattened solids replace what is below them: two over each other are not darker than one. */
  private shadeMaterial(poses: Texture, skin?: Skin): ShaderMaterial {
    const flex = flexible(skin);
    return new ShaderMaterial({
      side: DoubleSide, transparent: true, depthWrite: false, blending: NoBlending,
      defines: { ...flex.defines },
      uniforms: { ...this.uniforms, ...flex.uniforms, poses: { value: poses }, sun: this.light.sun },
      vertexShader: `
        uniform vec3 sun;
        varying vec3 vWorld;
        ${FADE}
        ${POSE}
        void main() {
          vec3 world = (poseOf(owner.x) * vec4(shaped(), 1.0)).xyz;
          float above = max(world.z - middle.z, 0.0);
          vWorld = vec3(world.xy - sun.xy * above / sun.z, middle.z);
          gl_Position = projectionMatrix * viewMatrix * vec4(vWorld, 1.0);
        }`,
      fragmentShader: `
        varying vec3 vWorld;
        ${FADE}
        void main() {
          float alpha = (${TINT} + 0.95 * ${DARK}) * fade(vWorld.xy);
          if (alpha < 0.004) discard;
          gl_FragColor = vec4(alpha * ${INK}, alpha);
        }`,
    });
  }
}

/** A disk of radius 1 in rings. */
function disk(): BufferGeometry {
  const made = new BufferGeometry(), corners: number[] = [], triangles: number[] = [];
  RINGS.forEach((r, k) => {
    for (let i = 0; i < SECTORS; i++) {
      const turn = (2 * Math.PI * i) / SECTORS, j = (i + 1) % SECTORS, low = (k - 1) * SECTORS, high = k * SECTORS;
      corners.push(r * Math.cos(turn), r * Math.sin(turn), 0);
      if (k > 0) triangles.push(low + i, high + i, high + j, low + i, high + j, low + j);
    }
  });
  made.setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
  made.setIndex(triangles);
  return made;
}

/** Pieces of grid lines, from the middle outward: number of the line, place along it (-1 to 1), axis (0 or 1). */
function gridLines(): BufferGeometry {
  const made = new BufferGeometry(), ends: number[] = [];
  for (let k = 0; k <= 2 * MOST; k++) {
    const number = k % 2 ? (k + 1) / 2 : -k / 2;
    for (const axis of [0, 1]) for (let i = 0; i < PIECES; i++) ends.push(number, (2 * i) / PIECES - 1, axis, number, (2 * i + 2) / PIECES - 1, axis);
  }
  made.setAttribute("position", new BufferAttribute(new Float32Array(ends), 3));
  return made;
}
