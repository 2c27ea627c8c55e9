// Flexible bodies on the stage, and how far their deformation can be magnified.

import type { DataTexture } from "three";
import { colorsOf } from "./build";
import type { Loaded } from "./document";
import type { Clip } from "./motion";
import type { Rows } from "./rows";
import type { Stage } from "./stage";

const LOOKS = 40, BENT = 0.3; // times at which the deformation is measured; its largest size, relative to the mechanism

/** Put the flexible bodies on the stage; groups of the same prefix are removed. */
export function showSkins(stage: Stage, rows: Rows, { doc, bytes }: Loaded, poses: DataTexture, prefix: string): void {
  for (const group of stage.groups(`${prefix}skin`)) stage.remove(group);
  const look = prefix ? { ghost: true, pick: false } : {};
  rows.skins.forEach((skin, k) => {
    const made = skin.build(doc, bytes, colorsOf(doc, skin.info.body));
    stage.show(`${prefix}skin ${k}`, made.skin, poses, { ...look, skin });
    stage.show(`${prefix}skin ${k} rims`, made.rims, poses, { ...look, skin, plain: true });
  });
}

/** Factors by which the deformation can be magnified: until it is as large as a part of the mechanism. */
export function scalesOf(clip: Clip, rows: Rows): number[] {
  if (!rows.skins.length) return [1];
  let most = 0;
  for (let k = 0; k < LOOKS; k++) {
    rows.deform(clip.modalAt(clip.begin + (clip.span * k) / (LOOKS - 1)), 1, 0);
    for (const skin of rows.skins) most = Math.max(most, skin.largest());
  }
  const largest = most > 0 ? (BENT * rows.doc.size) / most : 1, found = [0, 1];
  for (let power = 1; power < 1e6; power *= 10) for (const m of [2, 5, 10]) if (m * power <= largest) found.push(m * power);
  return found;
}
