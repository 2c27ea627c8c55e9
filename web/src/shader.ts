// Light: a sun with soft shadows, the sky, and lines along the edges of solids, in one pass over all triangles.
//
// Edges cost no geometry: each corner of a triangle carries its distances from the three sides, and a fragment near a marked
// side is dark. The shadow map is drawn by the same vertex shader from the direction of the sun.

import {
  Camera, type DataTexture, DepthTexture, DoubleSide, LessEqualCompare, LinearFilter, Matrix4, NearestFilter, OrthographicCamera, Scene, ShaderMaterial, UnsignedIntType, Vector3,
  type WebGLRenderer, WebGLRenderTarget,
} from "three";

export const MARKS = 8; // largest number of marked elements
const SUN = new Vector3(0.1, -0.62, 1).normalize(); // toward the sun: from behind the eye, to its left

export const POSE = `
attribute vec2 owner;
uniform highp sampler2D poses;
mat4 poseOf(float row) {
  int r = int(row + 0.5);
  vec4 a = texelFetch(poses, ivec2(0, r), 0), b = texelFetch(poses, ivec2(1, r), 0), c = texelFetch(poses, ivec2(2, r), 0);
  return transpose(mat4(a, b, c, vec4(0.0, 0.0, 0.0, 1.0)));
}`;

const SHADE = `
uniform highp sampler2DShadow shade;
uniform vec3 sun;
uniform float blur;
varying vec3 vShade;
float lit(vec3 at) {
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
  #if TAPS == 1
  return texture(shade, at);
  #else
  float sum = 0.0;
  AROUND
  return sum / float(TAPS);
  #endif
}`;

/** Samples of the shadow map on a spiral, with their places as constants. */
function shade(taps: number): string {
  const samples = Array.from({ length: taps }, (_, k) => {
    const far = Math.sqrt((k + 0.5) / taps), place = [far * Math.cos(2.4 * k), far * Math.sin(2.4 * k)].map((x) => x.toFixed(4));
    return `sum += texture(shade, at + vec3(blur * vec2(${place.join(", ")}), 0.0));`;
  });
  return SHADE.replace("AROUND", samples.join("\n  "));
}

const LINES = `
float lines(vec2 at, float step) {
  vec2 g = at / step, w = fwidth(g), d = abs(fract(g - 0.5) - 0.5) / max(w, vec2(1e-6));
  return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.2, 0.5, max(w.x, w.y)));
}`;

/** What all materials share: poses excepted. */
export class Light {
  readonly marks = { chosen: { value: -1 }, marked: { value: new Array<number>(MARKS).fill(-2) } };
  readonly step = { value: 1 };
  private readonly eye = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly target: WebGLRenderTarget;
  private readonly uniforms: Record<string, { value: unknown }>;

  constructor(readonly software: boolean) {
    const size = software ? 512 : 2048, depth = new DepthTexture(size, size, UnsignedIntType);
    depth.compareFunction = LessEqualCompare;
    depth.minFilter = depth.magFilter = LinearFilter;
    this.target = new WebGLRenderTarget(size, size, { depthTexture: depth, minFilter: NearestFilter, magFilter: NearestFilter });
    this.uniforms = { shade: { value: depth }, sun: { value: SUN }, toSun: { value: new Matrix4() }, blur: { value: 0 }, offset: { value: 0 } };
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
    this.uniforms.blur.value = this.software ? 0.0035 : 0.0045;
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
  solid(poses: DataTexture, look: { ghost?: boolean; clear?: boolean }): ShaderMaterial {
    const ghost = look.ghost ?? false, clear = ghost || (look.clear ?? false);
    return new ShaderMaterial({
      side: DoubleSide, vertexColors: true, transparent: clear, depthWrite: !clear,
      defines: { TAPS: this.software ? 1 : 6, GLOSS: this.software ? 0 : 1 },
      uniforms: { ...this.uniforms, ...this.marks, step: this.step, poses: { value: poses }, opacity: { value: ghost ? 0.3 : 1 } },
      vertexShader: `
        attribute vec3 edge;
        uniform float chosen;
        uniform float marked[${MARKS}];
        uniform mat4 toSun;
        uniform float offset;
        uniform vec3 sun;
        varying vec3 vShade, vNormal, vEdge, vAt, vWorld;
        varying vec4 vPaint;
        ${POSE}
        void main() {
          mat4 pose = poseOf(owner.x);
          vec4 world = pose * vec4(position, 1.0), seen = viewMatrix * world;
          vNormal = mat3(pose) * normal;
          vEdge = edge;
          vAt = seen.xyz;
          vWorld = world.xyz;
          vPaint = color;
          ${ghost ? "vPaint.rgb = mix(vPaint.rgb, vec3(0.35, 0.4, 0.5), 0.6);" : `
          if (abs(owner.x - chosen) < 0.5) vPaint.rgb = mix(vPaint.rgb, vec3(1.0, 0.5, 0.02), 0.6);
          for (int k = 0; k < ${MARKS}; k++) if (abs(owner.y - marked[k]) < 0.5) vPaint.rgb = mix(vPaint.rgb, vec3(0.75, 0.0, 0.25), 0.75);`}
          vShade = (toSun * vec4(world.xyz + offset * sign(dot(vNormal, sun)) * normalize(vNormal + 1e-9), 1.0)).xyz;
          gl_Position = projectionMatrix * seen;
        }`,
      fragmentShader: `
        uniform float opacity, step;
        varying vec3 vNormal, vEdge, vAt, vWorld;
        varying vec4 vPaint;
        ${shade(this.software ? 1 : 6)}
        ${LINES}
        void main() {
          vec3 n = normalize(vNormal), to = normalize(-vAt), flat_ = cross(dFdx(vAt), dFdy(vAt));
          vec3 seen = mat3(viewMatrix) * n;
          if (dot(seen, flat_) < 0.0) { n = -n; seen = -seen; }
          float facing = dot(n, sun), direct = max(facing, 0.0);
          if (direct > 0.0) direct *= mix(0.25, 1.0, lit(vShade - vec3(0.0, 0.0, 0.002)));
          float sky = 0.5 + 0.5 * n.z;
          vec3 paint = vPaint.rgb * (0.30 + 0.24 * sky + 0.62 * direct + 0.12 * max(dot(seen, to), 0.0));
          #if GLOSS == 1
          vec3 half_ = normalize(mat3(viewMatrix) * sun + to);
          paint += 0.16 * direct * pow(max(dot(seen, half_), 0.0), 28.0);
          #endif
          if (vEdge.x < 0.0) paint = mix(paint, vec3(0.42), 0.55 * lines(vWorld.xy, step));
          else {
            vec3 w = fwidth(vEdge), d = vEdge / max(w, vec3(1e-6));
            float line = 1.0 - smoothstep(0.6, 1.6, min(min(w.x > 0.0 ? d.x : 9.0, w.y > 0.0 ? d.y : 9.0), w.z > 0.0 ? d.z : 9.0));
            paint *= 1.0 - 0.62 * line * (1.0 - smoothstep(0.25, 0.6, max(max(w.x, w.y), w.z)));
          }
          gl_FragColor = vec4(paint, vPaint.a * opacity);
          #include <colorspace_fragment>
        }`,
    });
  }

  /** The floor: it catches shadows and has a grid, and fades out with the distance from its middle. */
  floor(middle: { value: Vector3 }, radius: { value: number }): ShaderMaterial {
    return new ShaderMaterial({
      side: DoubleSide, transparent: true, depthWrite: false,
      defines: { TAPS: this.software ? 4 : 16 },
      uniforms: { ...this.uniforms, step: this.step, middle, radius },
      vertexShader: `
        uniform mat4 toSun;
        uniform vec3 middle;
        uniform float radius;
        varying vec3 vShade, vWorld;
        void main() {
          vWorld = middle + radius * position;
          vShade = (toSun * vec4(vWorld, 1.0)).xyz;
          gl_Position = projectionMatrix * viewMatrix * vec4(vWorld, 1.0);
        }`,
      fragmentShader: `
        uniform float radius, step;
        uniform vec3 middle;
        varying vec3 vWorld;
        ${shade(this.software ? 4 : 16)}
        ${LINES}
        void main() {
          float away = length(vWorld.xy - middle.xy) / radius, fade = 1.0 - smoothstep(0.55, 1.0, away);
          if (fade <= 0.0) discard;
          float dark = 0.42 * (1.0 - lit(vShade - vec3(0.0, 0.0, 0.002)));
          float line = 0.16 * lines(vWorld.xy, step);
          float alpha = fade * (0.05 + 0.95 * max(dark, line));
          gl_FragColor = vec4(vec3(0.09, 0.1, 0.14), alpha);
        }`,
    });
  }
}

/** Draws depths only, for the shadow map. */
export function castMaterial(poses: DataTexture): ShaderMaterial {
  return new ShaderMaterial({
    side: DoubleSide, colorWrite: false,
    uniforms: { poses: { value: poses } },
    vertexShader: `${POSE}
      void main() { gl_Position = projectionMatrix * viewMatrix * poseOf(owner.x) * vec4(position, 1.0); }`,
    fragmentShader: "void main() { gl_FragColor = vec4(1.0); }",
  });
}
