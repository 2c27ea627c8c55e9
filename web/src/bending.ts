// What shaders add for flexible bodies: the deformed position of a corner, and the colors of its stress.

import type { Skin } from "./skins";

/** `shaped()` is the position of a corner in the axes of its body; for flexible bodies it also sets `level`. */
export const SHAPED = `
#ifdef FLEX
attribute float point;
uniform highp sampler2D shapes;
uniform vec4 etas[(FLEX + 3) / 4];
uniform float scale, limit;
uniform vec3 shift, twist;
float level; // von Mises stress, relative to its limit
vec3 shaped() {
  vec3 u = vec3(0.0), s = vec3(0.0), t = vec3(0.0);
  int first = int(point + 0.5) * FLEX;
  for (int k = 0; k < FLEX; k++) {
    int i = TEXELS * (first + k);
    ivec2 at = ivec2(i % WIDE, i / WIDE);
    float eta = etas[k >> 2][k & 3];
    u += eta * texelFetch(shapes, at, 0).xyz;
    #if TEXELS == 3
    s += eta * texelFetch(shapes, at + ivec2(1, 0), 0).xyz;
    t += eta * texelFetch(shapes, at + ivec2(2, 0), 0).xyz;
    #endif
  }
  vec3 d = s - s.yzx;
  level = limit > 0.0 ? sqrt(0.5 * dot(d, d) + 3.0 * dot(t, t)) / limit : -1.0;
  return position + scale * u + shift + cross(twist, position);
}
#else
vec3 shaped() { return position; }
#endif`;

/** Colors of levels from 0 to 1; the stops are in sRGB, between which colors are mixed. */
export const STRESS_COLOR = `
#ifdef FLEX
uniform vec3 ramp[STOPS];
varying float vLevel;
vec3 stressColor(vec3 plain) {
  if (vLevel < 0.0) return plain;
  float at = clamp(vLevel, 0.0, 1.0) * float(STOPS - 1);
  int k = min(int(at), STOPS - 2);
  return pow(mix(ramp[k], ramp[k + 1], at - float(k)), vec3(2.2));
}
#else
vec3 stressColor(vec3 plain) { return plain; }
#endif`;

/** Passes the level of a corner on; chosen bodies and ghosts have plain colors. */
export function passLevel(plain: boolean): string {
  return `
  #ifdef FLEX
  vLevel = ${plain ? "-1.0" : "abs(owner.x - chosen) < 0.5 ? -1.0 : level"};
  #endif`;
}

export const LEVEL = `
#ifdef FLEX
varying float vLevel;
#endif`;

/** What a material needs to draw a flexible body. */
export function flexible(skin: Skin | undefined): { defines: Record<string, number>; uniforms: Record<string, { value: unknown }> } {
  return skin ? { defines: skin.defines, uniforms: skin.uniforms } : { defines: {}, uniforms: {} };
}
