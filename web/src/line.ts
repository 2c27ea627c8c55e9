// The connection to Python: frames of a run in progress, and responses to dragging.
//
//   to Python     {"do": "drag", "body": 2, "pivot": -1, "point": [..], "target": [..], "time": t, "begin": true}
//                 {"do": "cut", "body": 2, "time": t}: the loads on a body
//                 {"do": "again"}: repeat the analysis with the current pivots, or with a pin at a target
//   from Python   [length of JSON, 4 bytes][JSON][float32: poses of all bodies, modal coordinates, then points of ropes, or a document]

import type { App } from "./app";
import type { Acting } from "./cut";
import { type LectureInfo, unpack } from "./document";
import { LiveTools } from "./live_tools";

type GivenLoad = Omit<Acting, "torque"> & { torque: number | number[] };
interface Answer { type: "frame" | "drag" | "reload" | "cut" | "lecture" | "message" | "document"; instant?: LectureInfo["instants"][number]; past?: number; body?: number; acting?: GivenLoad[]; time?: number; locked?: boolean; text?: string; at?: number[]; shifts?: number[][]; }

const ENDED = "Python has ended, so nothing can be solved. Playback and plots still work.";

export class Line {
  answers = 0;
  slowest = 0; // ms between a question and its answer
  lastMs = 0;
  private readonly socket: WebSocket;
  private waiting = 0; // when the pending question was sent
  private next: object | null = null;
  private after: object | null = null; // the question to send when dragging ends
  private begun = false;
  private instant: object | null = null; // polygons to ask for when nothing else is pending
  private readonly tools: LiveTools;

  constructor(private readonly app: App, address: string) {
    this.socket = new WebSocket(address);
    this.socket.binaryType = "arraybuffer";
    app.picture.ask = (body, time) => this.cut(body, time);
    const light = document.getElementById("live")!;
    light.style.display = "block";
    app.picture.askInstant = (time) => { this.instant = { do: "lecture", time }; if (!this.waiting) this.proceed(); };
    this.tools = new LiveTools(app, this);
    light.title = "live: drag bodies, and Python solves; drag pivots, or pins with shift, and the motion is computed again";
    this.socket.onmessage = (event) => this.take(event.data as ArrayBuffer);
    this.socket.onclose = () => {
      light.style.background = "#9aa1ad";
      app.panel.say(ENDED);
      light.title = "Python has ended; the page shows the computed results";
    };
  }

  get open(): boolean { return this.socket.readyState === WebSocket.OPEN; }

  drag(body: number, pivot: number, point: number[], target: number[]): void {
    if (!this.open) return this.app.panel.say(ENDED);
    const n = this.app.doc.dimensions, begin = !this.begun && !this.app.held;
    const question = { do: "drag", body, pivot, point: point.slice(0, n), target: target.slice(0, n), time: this.app.shownTime, begin };
    this.begun = true;
    if (this.waiting) this.next = { ...question, begin: begin || Boolean((this.next as { begin?: boolean } | null)?.begin) };
    else this.send(question);
  }

  /** The loads on a body at a time. */
  cut(body: number, time: number): void {
    const question = { do: "cut", body, time };
    if (!this.open) this.app.picture.explain("Python has ended: these forces are not available.");
    else if (this.waiting) this.next = question;
    else this.send(question);
  }

  /** End of dragging; after moving a pivot the motion is computed again. */
  drop(pivot: number): void {
    this.begun = false;
    if (pivot >= 0) this.ask({ do: "again" });
  }

  /** A pin of two moving bodies is moved on both of them. */
  reseat(pin: number, target: number[]): void { this.ask({ do: "again", pin, target: target.slice(0, this.app.doc.dimensions), time: this.app.shownTime }); }

  /** Back to the result before the last change, or to the first one. */
  back(all: boolean): void { this.ask({ do: all ? "reset" : "undo" }); }

  /** Put a pivot where its coordinates say. */
  place(pivot: number, target: number[]): void {
    const n = this.app.doc.dimensions, at = target.slice(0, n);
    this.next = { do: "drag", body: 0, pivot, point: at, target: at, time: this.app.shownTime, begin: !this.app.held };
    this.ask({ do: "again" });
  }

  private ask(question: object): void {
    if (!this.open) return this.app.panel.say(ENDED);
    this.after = question;
    if (!this.waiting) this.proceed();
  }

  private send(question: object): void {
    this.waiting = performance.now();
    this.socket.send(JSON.stringify(question));
  }

  private take(data: ArrayBuffer): void {
    const size = new DataView(data).getUint32(0, true);
    const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size))) as Answer;
    const numbers = answer.type === "document" ? new Float32Array(0) : new Float32Array(data.slice(4 + size));
    const { app } = this, wide = (app.doc.dimensions === 2 ? 3 : 7) * (app.doc.bodies.length - 1);
    if (answer.type === "reload") return location.reload();
    if (answer.type === "message") {
      app.panel.say(answer.text ?? "", false);
      return this.proceed();
    }
    if (answer.type === "document")
      return void unpack(new Uint8Array(data, 4 + size)).then((loaded) => { app.renew(loaded); app.panel.say(answer.text ?? ""); this.tools.follow(answer.past ?? 0); });
    if (answer.type === "lecture") {
      if (answer.instant) app.picture.takeInstant(answer.time!, answer.instant);
      return this.proceed();
    }
    if (answer.type === "cut") {
      const acting = answer.acting!.map((a) => ({ ...a, torque: [a.torque].flat() }));
      if (acting.length) app.picture.take(answer.body!, answer.time!, acting);
      else app.picture.explain(answer.text ?? "");
      return this.proceed();
    }
    answer.shifts?.forEach((shift, k) => (app.rows.shifts[k] = [shift[0], shift[1], shift[2] ?? 0]));
    app.playing = false;
    const modes = app.doc.skins.reduce((sum, skin) => sum + skin.modes, 0);
    app.hold(numbers.subarray(0, wide), app.doc.strands.length ? numbers.subarray(wide + modes) : null, numbers.subarray(wide, wide + modes));
    if (answer.type === "frame") return app.panel.say(answer.text ?? "", false);
    app.trouble = answer.locked && answer.at ? { text: answer.text ?? "", at: [answer.at[0], answer.at[1], answer.at[2] ?? 0] } : null;
    app.panel.say(answer.locked ? answer.text ?? "" : "");
    this.lastMs = performance.now() - this.waiting;
    this.slowest = Math.max(this.slowest, this.lastMs);
    this.answers += 1;
    this.proceed();
  }

  private proceed(): void {
    this.waiting = 0;
    const following = this.next ?? this.after ?? this.instant;
    if (this.next) this.next = null;
    else if (this.after) this.after = null;
    else this.instant = null;
    if (following) this.send(following);
  }
}
