// Light: a sun with soft shadows, the sky, and lines along the edges of solids, in one pass over all triangles.
//
// Edges cost no geometry: each corner of a triangle carries its distances from the three sides, and a fragment near a marked
// side is dark. The shadow map is drawn by the same vertex shader from the direction of the sun.

import {
  Camera, type DataTexture, DepthTexture, DoubleSide, LessEqualCompare, LinearFilter, Matrix4, NearestFilter, OrthographicCamera, Scene, ShaderMaterial, UnsignedIntType, Vector3,
  type WebGLRenderer, WebGLRenderTarget,
} from "three";

import { flexible, LEVEL, passLevel, SHAPED, STRESS_COLOR } from "./bending";
import type { Skin } from "./skins";

export const MARKS = 8; // largest number of marked elements
const FINE_MAP = 2048, PLAIN_MAP = 512; // pixels across the shadow map
const SUN = new Vector3(0.1, -0.62, 1).normalize(); // toward the sun: from behind the eye, to its left

export const POSE = `
attribute vec2 owner;
uniform highp sampler2D poses;
mat4 poseOf(float row) {
  int r = int(row + 0.5);
  vec4 a = texelFetch(poses, ivec2(0, r), 0), b = texelFetch(poses, ivec2(1, r), 0), c = texelFetch(poses, ivec2(2, r), 0);
  return transpose(mat4(a, b, c, vec4(0.0, 0.0, 0.0, 1.0)));
}
${SHAPED}`;

const SHADE = `
uniform highp sampler2DShadow shade;
uniform vec3 sun;
uniform float blur;
varying vec3 vShade;
float lit(vec3 at) {
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
  #if FINE == 1
  float sum = 0.0;
  AROUND
  return sum / TAPS;
  #else
  return texture(shade, at);
  #endif
}`;

/** Samples of the shadow map on a spiral, with their places as constants; one sample where the light is not fine. */
function shade(taps: number): string {
  const samples = Array.from({ length: taps }, (_, k) => {
    const far = Math.sqrt((k + 0.5) / taps), place = [far * Math.cos(2.4 * k), far * Math.sin(2.4 * k)].map((x) => x.toFixed(4));
    return `sum += texture(shade, at + vec3(blur * vec2(${place.join(", ")}), 0.0));`;
  });
  return SHADE.replace("AROUND", samples.join("\n  ")).replace("TAPS", taps.toFixed(1));
}

const LINES = `
uniform float width;
float lines(vec2 g) {
  vec2 w = width * fwidth(g), d = abs(fract(g - 0.5) - 0.5) / max(w, vec2(1e-6));
  return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.2, 0.5, max(w.x, w.y)));
}`;

const SURFACE = `
#if FINE == 1
varying vec3 vNormal, vAt;
#else
varying vec4 vLight; // from around and from the sun, in front and behind
#endif`;

/** The share of light from the sky, the ground and the eye. */
const AMBIENT = `
float ambient(vec3 n, vec3 to) { return 0.42 + 0.12 * n.z + 0.12 * max(dot(n, to), 0.0); }`;

/** What all materials share: poses excepted. */
export class Light {
  readonly marks = { chosen: { value: -1 }, marked: { value: new Array<number>(MARKS).fill(-2) } };
  readonly step = { value: 1 }; // of the grid, in m
  readonly width = { value: 1 }; // of lines, in pixels of the picture
  private readonly eye = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly target: WebGLRenderTarget;
  private readonly uniforms: Record<string, { value: unknown }>;
  private readonly materials = new Set<ShaderMaterial>();
  readonly sun = { value: SUN };

  /** A `fine` light has soft shadows and gloss; the plain one needs a third of the time without a graphics card. */
  constructor(private fine: boolean) {
    const size = fine ? FINE_MAP : PLAIN_MAP, depth = new DepthTexture(size, size, UnsignedIntType);
    depth.compareFunction = LessEqualCompare;
    depth.minFilter = depth.magFilter = LinearFilter;
    this.target = new WebGLRenderTarget(size, size, { depthTexture: depth, minFilter: NearestFilter, magFilter: NearestFilter });
    this.uniforms = { shade: { value: depth }, sun: this.sun, toSun: { value: new Matrix4() }, blur: { value: 0.0045 }, offset: { value: 0 } };
  }

  refine(fine: boolean): void {
    this.fine = fine;
    this.target.setSize(fine ? FINE_MAP : PLAIN_MAP, fine ? FINE_MAP : PLAIN_MAP);
    for (const material of this.materials) {
      material.defines.FINE = Number(fine);
      material.needsUpdate = true;
    }
  }

  /** A material that follows `refine`. */
  private follows(material: ShaderMaterial): ShaderMaterial {
    material.defines.FINE = Number(this.fine);
    this.materials.add(material);
    material.addEventListener("dispose", () => this.materials.delete(material));
    return material;
  }

  /** Aim the sun at a ball that holds the mechanism and its shadow. */
  aim(middle: Vector3, radius: number): void {
    const { eye } = this;
    eye.up.set(0, 1, 0);
    Object.assign(eye, { left: -radius, right: radius, top: radius, bottom: -radius, near: 0, far: 4 * radius });
    eye.position.copy(middle).addScaledVector(SUN, 2 * radius);
    eye.lookAt(middle);
    eye.updateMatrixWorld();
    eye.updateProjectionMatrix();
    (this.uniforms.toSun.value as Matrix4).makeScale(0.5, 0.5, 0.5).setPosition(0.5, 0.5, 0.5).multiply(eye.projectionMatrix).multiply(eye.matrixWorldInverse);
    this.uniforms.offset.value = (4 * radius) / this.target.width;
  }

  /** Draw the shadow map. */
  cast(renderer: WebGLRenderer, casters: Scene): void {
    renderer.setRenderTarget(this.target);
    renderer.clear();
    renderer.render(casters, this.eye as Camera);
    renderer.setRenderTarget(null);
  }

  /** The material of solids. */
  solid(poses: DataTexture, look: { ghost?: boolean; clear?: boolean; skin?: Skin }): ShaderMaterial {
    const flex = flexible(look.skin), ghost = look.ghost ?? false, clear = ghost || (look.clear ?? false);
    return this.follows(new ShaderMaterial({
      side: DoubleSide, vertexColors: true, transparent: clear, depthWrite: !clear,
      defines: { ...flex.defines },
      uniforms: { ...this.uniforms, ...this.marks, ...flex.uniforms, step: this.step, width: this.width, poses: { value: poses }, opacity: { value: ghost ? 0.3 : 1 } },
      vertexShader: `
        attribute vec3 edge;
        uniform float chosen, step, offset;
        uniform float marked[${MARKS}];
        uniform mat4 toSun;
        uniform vec3 sun;
        varying vec3 vShade, vEdge;
        varying vec4 vPaint;
        ${SURFACE}
        ${POSE}
        ${AMBIENT}
        ${LEVEL}
        void main() {
          mat4 pose = poseOf(owner.x);
          vec4 world = pose * vec4(shaped(), 1.0), seen = viewMatrix * world;
          vec3 n = normalize(mat3(pose) * normal + 1e-9);
          vEdge = edge.x < 0.0 ? vec3(-1.0, world.xy / step) : edge;
          vPaint = color;
          ${ghost ? "vPaint.rgb = mix(vPaint.rgb, vec3(0.35, 0.4, 0.5), 0.6);" : `
          if (abs(owner.x - chosen) < 0.5) vPaint.rgb = mix(vPaint.rgb, vec3(1.0, 0.5, 0.02), 0.6);
          for (int k = 0; k < ${MARKS}; k++) if (abs(owner.y - marked[k]) < 0.5) vPaint.rgb = mix(vPaint.rgb, vec3(0.75, 0.0, 0.25), 0.75);`}
          ${passLevel(ghost)}
          vShade = (toSun * vec4(world.xyz + offset * sign(dot(n, sun)) * n, 1.0)).xyz - vec3(0.0, 0.0, 0.002);
          #if FINE == 1
          vNormal = n;
          vAt = seen.xyz;
          #else
          vec3 to = normalize(cameraPosition - world.xyz);
          vLight = vec4(ambient(n, to), 0.62 * max(dot(n, sun), 0.0), ambient(-n, to), 0.62 * max(-dot(n, sun), 0.0));
          #endif
          gl_Position = projectionMatrix * seen;
        }`,
      fragmentShader: `
        uniform float opacity;
        varying vec3 vEdge;
        varying vec4 vPaint;
        ${SURFACE}
        ${shade(6)}
        ${LINES}
        ${AMBIENT}
        ${STRESS_COLOR}
        void main() {
          #if FINE == 1
          vec3 n = normalize(vNormal), to = normalize(-vAt) * mat3(viewMatrix);
          if (!gl_FrontFacing) n = -n;
          float around = ambient(n, to), direct = 0.62 * max(dot(n, sun), 0.0);
          #else
          float around = gl_FrontFacing ? vLight.x : vLight.z, direct = gl_FrontFacing ? vLight.y : vLight.w;
          #endif
          if (direct > 0.0) direct *= mix(0.25, 1.0, lit(vShade));
          vec3 paint = stressColor(vPaint.rgb) * (around + direct);
          #if FINE == 1
          paint += 0.26 * direct * pow(max(dot(n, normalize(sun + to)), 0.0), 28.0);
          #endif
          if (vEdge.x < 0.0) paint = mix(paint, vec3(0.42), 0.55 * lines(vEdge.yz));
          else {
            vec3 w = width * fwidth(vEdge), d = vEdge / max(w, vec3(1e-6));
            float line = 1.0 - smoothstep(0.6, 1.6, min(min(w.x > 0.0 ? d.x : 9.0, w.y > 0.0 ? d.y : 9.0), w.z > 0.0 ? d.z : 9.0));
            paint *= 1.0 - 0.62 * line * (1.0 - smoothstep(0.25, 0.6, max(max(w.x, w.y), w.z)));
          }
          gl_FragColor = vec4(paint, vPaint.a * opacity);
          #include <colorspace_fragment>
        }`,
    }));
  }

  /** The fine floor, see `floor.ts`. */
  floor(uniforms: { middle: { value: Vector3 }; radius: { value: number } }, fade: string, look: { ink: string; tint: string; dark: string; line: string }): ShaderMaterial {
    return this.follows(new ShaderMaterial({
      side: DoubleSide, transparent: true, depthWrite: false,
      uniforms: { ...this.uniforms, ...uniforms, step: this.step, width: this.width },
      vertexShader: `
        uniform mat4 toSun;
        varying vec3 vShade, vWorld;
        ${fade}
        void main() {
          vWorld = middle + radius * position;
          vShade = (toSun * vec4(vWorld, 1.0)).xyz - vec3(0.0, 0.0, 0.002);
          gl_Position = projectionMatrix * viewMatrix * vec4(vWorld, 1.0);
        }`,
      fragmentShader: `
        uniform float step;
        varying vec3 vWorld;
        ${fade}
        ${shade(16)}
        ${LINES}
        void main() {
          float seen = fade(vWorld.xy);
          if (seen <= 0.0) discard;
          float dark = ${look.dark} * (1.0 - lit(vShade));
          float line = ${look.line} * lines(vWorld.xy / step);
          gl_FragColor = vec4(${look.ink}, seen * (${look.tint} + 0.95 * max(dark, line)));
        }`,
    }));
  }
}

/** Draws depths only, for the shadow map. */
export function castMaterial(poses: DataTexture, skin?: Skin): ShaderMaterial {
  const flex = flexible(skin);
  return new ShaderMaterial({
    side: DoubleSide, colorWrite: false,
    defines: { ...flex.defines },
    uniforms: { ...flex.uniforms, poses: { value: poses } },
    vertexShader: `${POSE}
      void main() { gl_Position = projectionMatrix * viewMatrix * poseOf(owner.x) * vec4(shaped(), 1.0); }`,
    fragmentShader: "void main() { gl_FragColor = vec4(1.0); }",
  });
}
