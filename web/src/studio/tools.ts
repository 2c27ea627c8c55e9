// Tools: what clicks on the board do.

import type { Board, Hit } from "./board";
import { Latest, type Answer, type Line } from "./line";
import { inside, toWorld } from "./paint";
import type { Click, State, Vec } from "./types";

export interface Tool { key: string; name: string; title: string; hints: string[]; group: number }

export const TOOLS: Record<string, Tool> = {
  select: { key: "v", name: "Select", title: "select, move points and links", hints: ["Click to select; drag a point or a link to change the drawing"], group: 0 },
  hand: { key: "h", name: "Hand", title: "drag the mechanism, with all joints closed", hints: ["Drag a link: the mechanism follows"], group: 0 },
  bar: { key: "b", name: "Bar", title: "a bar between two points; the next one starts where it ends", hints: ["Click the first point", "Click the second point, or type a length; Enter or a second click on a point ends the chain"], group: 1 },
  plate: { key: "t", name: "Plate", title: "a link with three or more points", hints: ["Click the first point", "Click the second point", "Click the third point", "Click more points; Enter ends"], group: 1 },
  wheel: { key: "w", name: "Wheel", title: "a disk that turns about its center", hints: ["Click the center", "Click the rim, or type a radius"], group: 1 },
  pivot: { key: "g", name: "Pivot", title: "pin a point to the ground", hints: ["Click a point to pin it to the ground, or paper for a new pivot"], group: 2 },
  slider: { key: "s", name: "Slider", title: "a block on a straight guide", hints: ["Click the end of a link, or paper", "Click the direction of the guide, or type its angle"], group: 2 },
  slot: { key: "o", name: "Slot", title: "a pin in a slot of a link", hints: ["Click the pin: a point of a link", "Click the link with the slot"], group: 2 },
  weld: { key: "f", name: "Weld", title: "fix two links to each other", hints: ["Click a point to make it rigid"], group: 2 },
  gear: { key: "e", name: "Gears", title: "two gears", hints: ["Click the first center", "Click the second center; type the ratio of radii for other than 1"], group: 2 },
  rack: { key: "r", name: "Rack", title: "a pinion on a rack", hints: ["Click the center of the pinion", "Click where it touches the rack"], group: 2 },
  cam: { key: "c", name: "Cam", title: "a cam with a roller follower", hints: ["Click the center of the cam", "Click the center of the roller at its lowest position"], group: 2 },
  motor: { key: "m", name: "Motor", title: "drive a pin or a slider", hints: ["Click the pin or the slider that turns or slides"], group: 3 },
  spring: { key: "k", name: "Spring", title: "a spring between two points", hints: ["Click the first end", "Click the second end"], group: 3 },
  damper: { key: "d", name: "Damper", title: "a damper between two points", hints: ["Click the first end", "Click the second end"], group: 3 },
  rope: { key: "p", name: "Rope", title: "a rope through two or more points", hints: ["Click the first end", "Click the next point", "Click more points; Enter ends"], group: 3 },
  load: { key: "l", name: "Load", title: "a force at a point", hints: ["Click a point of a link", "Click where the arrow points to"], group: 3 },
  torque: { key: "q", name: "Torque", title: "a torque on a link", hints: ["Click a link"], group: 3 },
  stop: { key: "x", name: "Stop", title: "ends of the motion of a joint", hints: ["Click a pin or a slider"], group: 3 },
  trace: { key: "n", name: "Trace", title: "draw the path of a point", hints: ["Click a point, or a link and then a place that moves with it", "Click the place that moves with the link"], group: 3 },
};

export interface Host {
  board: Board;
  line: Line;
  say(text: string, loud?: boolean): void;
  select(names: string[]): void;
  preview(state: State): void;
  toolChanged(): void;
  time(): number | null;
}

export class Tools {
  tool = "select";
  clicks: Click[] = [];
  private press: { pixel: Vec; hit: Hit; moved: boolean; button: number; click: Click; finger: boolean } | null = null;
  private readonly fingers = new Map<number, Vec>();
  private readonly moving: Latest;
  private readonly dragging: Latest;
  private lastMove: Record<string, unknown> | null = null;
  private begun = false;
  typed = "";
  drags: number[] = []; // ms of each frame of a drag: from the event to the picture
  space = false;

  constructor(private readonly host: Host) {
    const { board, line } = host;
    this.moving = new Latest(line, (answer) => this.previewed(answer));
    this.dragging = new Latest(line, (answer) => this.dragged(answer));
    const { canvas } = board;
    canvas.addEventListener("pointerdown", (e) => this.down(e));
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => void this.up(e));
    canvas.addEventListener("pointercancel", (e) => { this.fingers.delete(e.pointerId); this.press = null; });
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    canvas.addEventListener("wheel", (e) => { e.preventDefault(); board.zoom(this.pixel(e), Math.exp(-0.0015 * e.deltaY)); }, { passive: false });
    canvas.addEventListener("dblclick", () => { if (["plate", "rope"].includes(this.tool)) void this.finish(); });
  }

  use(tool: string): void {
    this.tool = tool;
    this.clear();
    if (tool !== "select" && tool !== "hand" && !this.host.board.still) { this.host.board.frame = -1; this.host.board.rest(); }
    this.host.toolChanged();
  }

  clear(): void {
    this.clicks = [];
    this.typed = "";
    this.host.board.rubber = null;
    this.host.board.change();
    this.host.toolChanged();
  }

  get hint(): string {
    const { hints } = TOOLS[this.tool];
    return hints[Math.min(this.clicks.length, hints.length - 1)] + (this.typed ? `: ${this.typed}` : "");
  }

  /** Whether what is being drawn can end here. */
  get ends(): boolean { return this.clicks.length >= ({ bar: 1, plate: 3, rope: 2 }[this.tool] ?? Infinity); }

  private pixel(e: MouseEvent): Vec {
    const box = this.host.board.canvas.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  }

  // --- pointer -----------------------------------------------------------------------------------------------------------

  private down(e: PointerEvent): void {
    const { board } = this.host, pixel = this.pixel(e), finger = e.pointerType === "touch";
    board.canvas.focus();
    try { board.canvas.setPointerCapture(e.pointerId); } catch { /* a pointer of a script */ }
    this.fingers.set(e.pointerId, pixel);
    if (this.fingers.size > 1) { this.press = null; board.rubber = null; return; }
    const hit = board.hit(pixel, finger);
    this.press = { pixel, hit, moved: false, button: this.space ? 1 : e.button, click: this.clickAt(e), finger };
    this.begun = false;
    this.lastMove = null;
  }

  private clickAt(e: PointerEvent | MouseEvent): Click {
    const from = this.clicks.length ? this.clicks[this.clicks.length - 1].at : undefined;
    return this.host.board.snap(this.pixel(e), { from, free: e.altKey, angles: e.shiftKey, finger: (e as PointerEvent).pointerType === "touch" });
  }

  private move(e: PointerEvent): void {
    const { board } = this.host, pixel = this.pixel(e);
    if (this.fingers.size === 2 && this.fingers.has(e.pointerId)) return this.pinch(e.pointerId, pixel);
    if (this.fingers.has(e.pointerId)) this.fingers.set(e.pointerId, pixel);
    const press = this.press;
    if (press) {
      if (!press.moved && Math.hypot(pixel[0] - press.pixel[0], pixel[1] - press.pixel[1]) < 4) return;
      press.moved = true;
      if (press.button !== 0) { board.pan(e.movementX, e.movementY); return; }
      if (this.tool === "select") return this.selectMove(e, press);
      if (this.tool === "hand") return this.handMove(e, press);
      if (press.finger && !this.clicks.length && TOOLS[this.tool].hints.length > 1) { this.rubber([press.click], e); return; }
    }
    board.hovered = board.hit(pixel, e.pointerType === "touch");
    const click = this.clickAt(e);
    board.cursor = click.at;
    if (this.clicks.length) this.rubber(this.clicks, e);
    board.canvas.style.cursor = this.cursor();
    board.change();
  }

  private cursor(): string {
    const { hovered } = this.host.board;
    if (this.space) return "move";
    if (this.tool === "hand") return hovered.body && hovered.body !== "ground" ? "grab" : "default";
    if (this.tool === "select") return hovered.point ? (hovered.point.fixed ? "not-allowed" : "move") : hovered.element || hovered.body ? "pointer" : "default";
    return "crosshair";
  }

  private rubber(clicks: Click[], e: PointerEvent): void {
    const { board } = this.host, click = this.clickAt(e), line = [...clicks.map((c) => c.at), click.at];
    const round = ["wheel", "rack", "cam"].includes(this.tool) ? Math.hypot(line[1][0] - line[0][0], line[1][1] - line[0][1]) : undefined;
    board.rubber = { line, closed: this.tool === "plate" && line.length > 2, round };
    board.change();
  }

  private pinch(id: number, pixel: Vec): void {
    const { board } = this.host, [other] = [...this.fingers].filter(([k]) => k !== id).map(([, p]) => p), before = this.fingers.get(id)!;
    const old = Math.hypot(before[0] - other[0], before[1] - other[1]), now = Math.hypot(pixel[0] - other[0], pixel[1] - other[1]);
    const middle: Vec = [(pixel[0] + other[0]) / 2, (pixel[1] + other[1]) / 2];
    board.pan((pixel[0] - before[0]) / 2, (pixel[1] - before[1]) / 2);
    if (old > 0) board.zoom(middle, now / old);
    this.fingers.set(id, pixel);
  }

  private async up(e: PointerEvent): Promise<void> {
    const press = this.press, many = this.fingers.size > 1;
    this.fingers.delete(e.pointerId);
    this.press = null;
    if (!press || many || press.button !== 0) return;
    if (this.tool === "select") return this.selectUp(e, press);
    if (this.tool === "hand") return;
    if (press.moved && press.finger && !this.clicks.length && TOOLS[this.tool].hints.length > 1) {
      await this.click(press.click); // a finger draws a bar in one stroke
      return this.click(this.clickAt(e));
    }
    if (!press.moved || press.finger) return this.click(this.clickAt(e));
    return this.click(press.click);
  }

  // --- select and drag ---------------------------------------------------------------------------------------------------

  private selectMove(e: PointerEvent, press: { pixel: Vec; hit: Hit }): void {
    const { board } = this.host, { hit } = press;
    if (!hit.point && !hit.body) { board.box = [press.pixel, this.pixel(e)]; board.change(); return; }
    if (!board.still) { this.host.say("The drawing is changed where the motion begins: stop it first (Home), or use the hand (H)."); return; }
    const target = board.snap(this.pixel(e), { free: true }).at, step = e.altKey ? 0 : board.step, near = board.nearest(this.pixel(e));
    const at: Vec = near && near.id !== hit.point?.id && !e.altKey && hit.point ? near.at : step ? [Math.round(target[0] / step) * step, Math.round(target[1] / step) * step] : target;
    if (hit.point) this.lastMove = { edit: "move_point", with: { name: hit.point.id, to: at } };
    else {
      const from = toWorld(board.view, press.pixel), by = [0, 1].map((k) => { const x = target[k] - from[k]; return step ? Math.round(x / step) * step : x; });
      this.lastMove = { edit: "move_body", with: { body: hit.body!, by } };
    }
    this.moving.send({ do: "edit", ...this.lastMove, preview: true });
  }

  private previewed(answer: Answer): void {
    if (answer.type === "state") this.host.preview(answer as unknown as State);
    else if (answer.text) this.host.say(answer.text, true);
  }

  private async selectUp(e: PointerEvent, press: { hit: Hit; moved: boolean }): Promise<void> {
    const { board } = this.host, { hit } = press;
    if (board.box) return this.selectBox();
    if (press.moved && this.lastMove) {
      this.moving.drop();
      const move = this.lastMove;
      this.lastMove = null;
      await this.edit(move.edit as string, move.with as Record<string, unknown>);
      return;
    }
    const name = hit.point ? hit.point.id : hit.element ?? hit.body;
    const before = e.shiftKey || e.ctrlKey || e.metaKey ? [...board.selected] : [];
    this.host.select(name ? (before.includes(name) ? before.filter((n) => n !== name) : [...before, name]) : []);
  }

  private selectBox(): void {
    const { board } = this.host, [a, b] = board.box!.map((p) => toWorld(board.view, p)), state = board.state!;
    const inBox = (p: Vec) => p[0] >= Math.min(a[0], b[0]) && p[0] <= Math.max(a[0], b[0]) && p[1] >= Math.min(a[1], b[1]) && p[1] <= Math.max(a[1], b[1]);
    board.box = null;
    const out = new Set(state.points.filter((p) => !inBox(board.where(p))).flatMap((p) => p.bodies));
    const found = new Set(state.points.filter((p) => inBox(board.where(p))).flatMap((p) => p.bodies));
    this.host.select([...found].filter((name) => name !== "ground" && !out.has(name)));
    board.change();
  }

  private handMove(e: PointerEvent, press: { pixel: Vec; hit: Hit }): void {
    const { board } = this.host, body = press.hit.body, k = body ? board.body(body) : -1;
    if (k < 1) return;
    if (!this.begun) this.grabbed = inside(board.poses[k], press.hit.point ? board.where(press.hit.point) : toWorld(board.view, press.pixel));
    board.canvas.style.cursor = "grabbing";
    const time = this.host.time();
    this.dragging.send({ do: "drag", body, point: this.grabbed, target: toWorld(board.view, this.pixel(e)), begin: !this.begun && !board.held, ...(time === null ? {} : { time }) });
    this.begun = true;
    this.sent = performance.now();
  }

  private grabbed: Vec = [0, 0];
  private sent = 0;

  private dragged(answer: Answer): void {
    if (answer.type !== "drag") { this.host.say(answer.text ?? "", true); return; }
    const { board } = this.host;
    board.hold(answer.poses as number[][], answer.strands as Vec[][]);
    board.trouble = answer.locked ? (answer.at as Vec) : null;
    this.host.say(answer.text ?? "", !!answer.locked);
    this.host.toolChanged();
    const sent = this.sent;
    requestAnimationFrame(() => { this.drags.push(performance.now() - sent); if (this.drags.length > 1000) this.drags.shift(); });
  }

  // --- clicks ------------------------------------------------------------------------------------------------------------

  /** A click with a drawing tool. */
  async click(click: Click): Promise<void> {
    const { board } = this.host, hit = this.hitOf(click);
    this.clicks.push(click);
    const [a, b] = this.clicks, done = this.clicks.length;
    const joint = this.jointOf(hit);
    switch (this.tool) {
      case "bar":
        if (done === 2) {
          if (Math.hypot(b.at[0] - a.at[0], b.at[1] - a.at[1]) < 1e-9) return this.clear();
          await this.bar(a, b);
        }
        break;
      case "wheel":
        if (done === 2) await this.edit("wheel", { center: a, radius: Math.hypot(b.at[0] - a.at[0], b.at[1] - a.at[1]) });
        break;
      case "pivot": await this.edit("pivot", { end: click }); break;
      case "weld": await this.edit("weld", { end: click }); break;
      case "slider":
        if (done === 2) await this.edit("slider", { end: a, angle: Math.atan2(b.at[1] - a.at[1], b.at[0] - a.at[0]) });
        break;
      case "slot": if (done === 2) await this.edit("slot", { pin: a, body: hit.body ?? "ground" }); break;
      case "gear": if (done === 2) await this.edit("gear", { a, b, ratio: Number(this.typed) > 0 ? Number(this.typed) : 1 }); break;
      case "rack": if (done === 2) await this.edit("rack", { pinion: a, on: b }); break;
      case "cam": if (done === 2) await this.edit("cam", { center: a, follower: b, law: this.cam.law, sizes: this.camSizes() }); break;
      case "motor": case "stop":
        if (joint) await this.edit(this.tool, { joint });
        else this.host.say("Click a pin or a slider.", true);
        break;
      case "spring": case "damper": if (done === 2) await this.edit(this.tool, { a, b }); break;
      case "load": if (done === 2) await this.edit("load", { end: a, to: b.at }); break;
      case "torque": if (hit.body && hit.body !== "ground") await this.edit("torque", { body: hit.body }); else this.host.say("Click a link.", true); break;
      case "trace": await this.traceClick(a, done, b); break;
    }
    const many = TOOLS[this.tool].hints.length;
    if (!["plate", "rope", "bar"].includes(this.tool) && (done >= many || many === 1)) this.clear();
    board.change();
    this.host.toolChanged();
  }

  readonly cam: Record<string, string> = { law: "cycloidal", lift: "", rise: "", dwell: "", roller: "", points: "" };

  /** The sizes of a cam that were typed, in SI. */
  private camSizes(): Record<string, number> {
    const { factors } = this.host.board.state!, found: Record<string, number> = {};
    for (const name of ["lift", "rise", "dwell", "roller", "points"]) {
      const value = Number(this.cam[name].replace(",", "."));
      if (this.cam[name].trim() && Number.isFinite(value)) found[name] = value * (name === "points" ? 1 : name === "lift" || name === "roller" ? factors.length : factors.angle);
    }
    return found;
  }

  private async traceClick(a: Click, done: number, b: Click): Promise<void> {
    if (done === 2) { await this.edit("trace", { end: { at: b.at }, body: this.tracing }); return this.clear(); }
    if (a.point) { await this.edit("trace", { end: a }); return this.clear(); }
    this.tracing = a.body ?? "";
    if (!this.tracing || this.tracing === "ground") { this.host.say("Click a link first, then the place that moves with it.", true); this.clear(); }
    else this.host.select([this.tracing]);
  }

  private tracing = "";

  /** A bar; the next one begins where it ends, unless it ends on a point that was there. */
  private async bar(a: Click, b: Click): Promise<void> {
    const made = await this.edit("bar", { a, b });
    if (made === null || b.point) return this.clear();
    const state = this.host.board.state!, end = state.points.find((p) => p.bodies.includes(made as string) && Math.hypot(p.at[0] - b.at[0], p.at[1] - b.at[1]) < 1e-6);
    this.typed = "";
    this.clicks = end ? [{ at: end.at, point: end.id }] : [];
  }

  private hitOf(click: Click): Hit {
    const { board } = this.host, point = board.state!.points.find((p) => p.id === click.point);
    const hit = board.hit([board.view.x + board.view.scale * click.at[0], board.view.y - board.view.scale * click.at[1]]);
    return point ? { point, body: point.bodies.find((b) => b !== "ground"), element: hit.element } : { ...hit, body: click.body ?? hit.body };
  }

  /** The joint that a click means: of a point, the one with the ground first; of a slider, its guide. */
  private jointOf(hit: Hit): string | null {
    const { elements } = this.host.board.state!;
    const sliding = (name: string) => elements.find((e) => e.name === name && ["translational", "pin_in_slot", "revolute_translational"].includes(e.type));
    if (hit.element && (sliding(hit.element) || elements.find((e) => e.name === hit.element && e.type === "revolute"))) return hit.element;
    const joints = hit.point?.joints ?? [];
    const grounded = joints.find((name) => Object.values(elements.find((e) => e.name === name)?.arguments ?? {}).some((v) => v.startsWith("ground")));
    if (grounded) return grounded;
    if (joints.length && !(hit.body && hit.body.startsWith("slider"))) return joints[0];
    const guide = elements.find((e) => sliding(e.name) && hit.body && Object.values(e.arguments).some((v) => v === hit.body || v.startsWith(`${hit.body}@`)));
    return guide?.name ?? joints[0] ?? null;
  }

  // --- keys --------------------------------------------------------------------------------------------------------------

  /** A typed number while something is drawn: a length, a radius, an angle. Returns whether the key was used. */
  type(key: string): boolean {
    if (!this.clicks.length || !["bar", "wheel", "slider", "gear"].includes(this.tool)) return false;
    if (key === "Backspace" && this.typed) this.typed = this.typed.slice(0, -1);
    else if (/^[0-9.,\- ]$/.test(key) && !(key === " " && !this.typed)) this.typed += key;
    else return false;
    this.host.toolChanged();
    return true;
  }

  /** Enter: what is typed, or the end of a chain. */
  async finish(): Promise<void> {
    const { board } = this.host, [a] = this.clicks, numbers = this.typed.split(/[ ,]+/).filter(Boolean).map(Number);
    if (this.typed && a && numbers.every(Number.isFinite) && this.tool !== "gear") {
      const { factors } = board.state!, cursor = board.cursor ?? [a.at[0] + 1, a.at[1]];
      const aim = Math.atan2(cursor[1] - a.at[1], cursor[0] - a.at[0]);
      const turn = this.tool === "slider" ? numbers[0] * factors.angle : numbers.length > 1 ? numbers[1] * factors.angle : aim;
      const far = this.tool === "slider" ? 0.1 : numbers[0] * factors.length;
      return this.click({ at: [a.at[0] + far * Math.cos(turn), a.at[1] + far * Math.sin(turn)] });
    }
    if (this.tool === "plate" && this.clicks.length >= 3) await this.edit("plate", { ends: this.clicks });
    if (this.tool === "rope" && this.clicks.length >= 2) await this.edit("rope", { ends: this.clicks });
    this.clear();
  }

  /** An edit of the drawing; returns what it made, null if it failed. */
  async edit(edit: string, stated: Record<string, unknown>): Promise<unknown> {
    const answer = await this.host.line.ask({ do: "edit", edit, with: stated });
    if (answer.type === "error") { this.host.say(answer.text ?? "", true); return null; }
    this.host.say("");
    return answer.made ?? "";
  }
}
