// Dragging the mechanism. In a live page Python solves; in a file the pointer moves along the computed motion.

import type { App } from "./app";
import { unitName } from "./document";
import { inBody, inWorld, ROW } from "./motion";
import type { Line } from "./line";

const CLICK = 4; // pixels: a shorter drag is a click
const CENTER = 12; // pixels around a pivot in which arrows do not cover it
const LOOKS = 50; // ms between two looks at what is under the cursor
const NEAR = 0.12; // fraction of a clip around the current frame that is searched first

type Held = { body: number; pivot: number; pin: number; point: [number, number, number]; depth: [number, number, number] };

/** `line` moves the mechanism: Python at the other end of a line, or the solver of the page. */
export function hand(app: App, line: Pick<Line, "drag" | "drop" | "reseat"> | null): void {
  const { canvas, controls } = app.stage;
  let held: Held | null = null, from: [number, number] = [0, 0], moved = false, under: { row: number; element: number } | null = null;
  let path: [number, number][] = [];

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const { offsetX: x, offsetY: y } = event;
    under = found(app, x, y, line !== null);
    [from, moved, held] = [[x, y], false, null];
    if (!under) return;
    held = grip(app, under, x, y, line !== null, event.shiftKey);
    if (!held) return;
    controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
  }, true);

  canvas.addEventListener("pointermove", (event) => {
    const { offsetX: x, offsetY: y } = event;
    moved ||= Math.hypot(x - from[0], y - from[1]) > CLICK;
    if (!held && !event.buttons) hover(event);
    if (!held || !moved) return;
    canvas.style.cursor = "grabbing";
    const target = app.stage.unproject(x, y, held.depth);
    if (line && held.pin >= 0) {
      app.trouble = { text: "", at: (held.depth = target) };
      app.panel.say(`drop it to place '${app.doc.pins[held.pin].name}' here, on both links: ${target.slice(0, app.doc.dimensions).map((c) => (app.doc.units.m[0] * c).toPrecision(4)).join(", ")} ${unitName(app.doc, "m")}`, false);
      return app.change();
    }
    if (line) return line.drag(held.body, held.pivot, held.point, target);
    if (!path.length) path = pathOf(app, held);
    app.settle(app.clip.times[nearestFrame(app, path, [x, y])]);
  });

  let looked = 0;
  const hover = (event: PointerEvent) => {
    if (event.timeStamp - looked < LOOKS) return;
    looked = event.timeStamp;
    const here = found(app, event.offsetX, event.offsetY, line !== null), pivot = here ? here.row - app.rows.layout.pivots : -1;
    const moves = here && ((here.row > 0 && here.row < app.doc.bodies.length && (line !== null || app.clip.frames > 1)) || (line !== null && pivot >= 0 && pivot < app.doc.pivots.length));
    canvas.style.cursor = moves ? "grab" : here ? "pointer" : "default";
  };

  const drop = () => {
    canvas.style.cursor = "default";
    controls.enabled = true;
    if (!moved) app.choose(under);
    else if (held && held.pin >= 0) {
      app.trouble = null;
      line?.reseat(held.pin, held.depth);
    } else if (held) line?.drop(held.pivot);
    held = null;
    path = [];
  };
  canvas.addEventListener("pointerup", drop);
  canvas.addEventListener("pointercancel", drop);
}

/** What is at a place of the canvas. In a live page pivots are found through the arrows of forces that begin at them. */
function found(app: App, x: number, y: number, live: boolean): { row: number; element: number } | null {
  const { doc, rows } = app, picked = app.stage.pick(x, y), under = picked && { ...picked, row: rows.bodyOf(picked.row) };
  if (!live || !under || under.row < rows.layout.arrows) return under;
  let best: { row: number; element: number } | null = null, least = CENTER;
  const look = (at: [number, number, number], row: number, element: number) => {
    const [px, py] = app.stage.project(at), away = Math.hypot(px - x, py - y);
    if (away < least) [best, least] = [{ row, element }, away];
  };
  doc.pins.forEach((pin) => look(rows.end(pin.at), pin.at.body, pin.element));
  doc.pivots.forEach((pivot, k) => look(rows.end(pivot.at), rows.layout.pivots + k, pivot.element));
  return best ?? under;
}

/** The dragged object: with shift a pin of two links to be moved on them, a ground pivot, or a body. */
function grip(app: App, under: { row: number; element: number }, x: number, y: number, live: boolean, shift: boolean): Held | null {
  const { doc, rows } = app, pivot = under.row - rows.layout.pivots;
  const pin = live && shift && !app.held ? doc.pins.findIndex((p) => p.element === under.element) : -1;
  if (pin >= 0) {
    const point = rows.end(doc.pins[pin].at);
    app.play(false);
    return { body: 0, pivot: -1, pin, point, depth: point };
  }
  if (live && pivot >= 0 && pivot < doc.pivots.length) {
    const point = rows.end(doc.pivots[pivot].at);
    app.playing = false;
    return { body: 0, pivot, pin: -1, point, depth: point };
  }
  if (under.row <= 0 || under.row >= doc.bodies.length || !(live || app.clip.frames > 1)) return null;
  app.playing = false;
  app.tell();
  const origin = inWorld(rows.table, under.row, [0, 0, 0]), depth = app.stage.unproject(x, y, origin);
  return { body: under.row, pivot: -1, pin: -1, point: inBody(rows.table, under.row, depth), depth };
}

/** The canvas position of the dragged point at every frame. */
function pathOf(app: App, held: Held): [number, number][] {
  const table = new Float32Array(ROW * app.doc.bodies.length);
  return Array.from(app.clip.times, (t) => {
    app.clip.poseAt(t, table);
    const [x, y] = app.stage.project(inWorld(table, held.body, held.point));
    return [x, y] as [number, number];
  });
}

/** Near the current frame if possible, to avoid jumps on a path that is passed twice; otherwise anywhere. */
function nearestFrame(app: App, path: [number, number][], [x, y]: [number, number]): number {
  const count = path.length, now = app.clip.nearest(app.time), window = Math.max(3, Math.round(NEAR * count));
  const away = (k: number) => Math.hypot(path[k][0] - x, path[k][1] - y);
  let close = now, far = now;
  for (let d = -window; d <= window; d++) {
    const k = app.clip.info.cyclic ? (((now + d) % (count - 1)) + count - 1) % (count - 1) : now + d;
    if (k >= 0 && k < count && away(k) < away(close)) close = k;
  }
  for (let k = 0; k < count; k++) if (away(k) < away(far)) far = k;
  return away(far) < 0.5 * away(close) - 10 ? far : close;
}
