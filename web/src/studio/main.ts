// Entry point of the studio: the state that Python sends, shown on the board and in the panels.

import "uplot/dist/uPlot.min.css";
import "./studio.css";
import { Board } from "./board";
import { icon } from "./icons";
import { type Answer, Line } from "./line";
import { toPixel } from "./paint";
import { make } from "./make";
import { Panel } from "./panel";
import { Plots } from "./plots";
import { TOOLS, Tools } from "./tools";
import type { Run, State, Vec } from "./types";

declare global { interface Window { studio?: object } }

const by = (id: string) => document.getElementById(id)!;
const SHORTEST = 2, LONGEST = 8; // s that a cycle takes

class Studio {
  state: State | null = null;
  runs: Run[] = [];
  playing = false;
  private begun = 0;
  private first = true;
  readonly board = new Board(by("board") as HTMLCanvasElement);
  readonly line = new Line((message) => this.told(message), (open) => this.connected(open));
  readonly plots = new Plots(by("plots"), (frame) => this.seek(frame), (duration) => void this.line.ask({ do: "simulate", duration }).then((answer) => { if (answer.type === "error") this.say(answer.text ?? "", true); }));
  readonly tools: Tools;
  readonly panel: Panel;

  constructor() {
    const desk = {
      board: this.board, line: this.line, say: (text: string, loud = false) => this.say(text, loud), select: (names: string[]) => this.select(names), selected: () => [...this.board.selected],
      preview: (state: State) => this.preview(state), toolChanged: () => this.showTool(), time: () => (this.state?.motion && this.board.frame >= 0 ? this.state.motion.times[this.board.frame] : null),
      edit: (edit: string, stated: Record<string, unknown>) => this.tools.edit(edit, stated), showRun: (number: number) => this.show(number),
    };
    this.tools = new Tools(desk);
    this.panel = new Panel(desk);
    this.palette();
    this.buttons();
    this.keys();
    const loop = (now: number) => { requestAnimationFrame(loop); if (this.playing) this.advance(now); };
    requestAnimationFrame(loop);
  }

  // --- what Python says --------------------------------------------------------------------------------------------------

  private connected(open: boolean): void {
    by("lost").hidden = open;
    if (!open) return;
    void this.line.ask({ do: "solve" }).then((answer) => {
      this.told(answer);
      document.documentElement.dataset.ready = "yes";
      void this.panel.loadTypes();
    });
  }

  private told(message: Answer): void {
    if (message.type === "state") this.take(message as unknown as State);
    else if (message.type === "runs") this.takeRuns(message.runs as Run[], message.latest as number);
    else if (message.type === "busy") this.busy(message.text ?? "");
    else if (message.type === "error") this.say(message.text ?? "", true);
  }

  private take(state: State): void {
    const before = this.state;
    this.state = state;
    this.board.selected = new Set([...this.board.selected].filter((name) => state.points.some((p) => p.id === name) || state.elements.some((e) => e.name === name)));
    if (this.board.frame >= 0 && !state.motion) this.board.frame = -1;
    this.board.take(state);
    this.panel.take(state);
    this.plots.take(state);
    if (state.runs) this.takeRuns(state.runs, 0);
    this.showState(state);
    if (this.first && (state.picture?.shapes.length || state.points.length)) { this.first = false; this.board.fit(); }
    if (before === null && state.recovered) this.say(`${state.recovered} unsaved changes of the last session were restored. Undo takes them back.`);
    if (before === null && !state.picture?.shapes.length && !state.points.length) { this.board.fit(); this.first = false; if (state.space === "planar" && !state.elements.length) this.tools.use("bar"); }
    by("view3d").hidden = state.space !== "spatial";
  }

  preview(state: State): void {
    this.state = { ...state, text: this.state?.text ?? state.text };
    this.board.take(state);
    this.plots.take(state);
    this.panel.preview(state);
    this.showState(state);
  }

  private showState(state: State): void {
    const { status } = state, dof = status.dof === null ? "–" : String(status.dof);
    by("title").textContent = state.title;
    by("file").textContent = `${state.name}${state.saved ? "" : " •"}`;
    by("file").title = state.saved ? `saved in ${state.path}` : "not saved; every change is in the journal";
    document.title = `${state.saved ? "" : "• "}${state.title} – Cardan Studio`;
    (by("undo") as HTMLButtonElement).disabled = !state.undoable;
    (by("redo") as HTMLButtonElement).disabled = !state.redoable;
    by("undo").title = `undo ${state.undo} (Ctrl+Z)`;
    by("redo").title = `redo ${state.redo} (Ctrl+Shift+Z)`;
    by("dof").textContent = dof;
    by("dof-word").textContent = dof === "1" ? "degree of freedom" : "degrees of freedom";
    by("reason").textContent = status.text;
    by("reason").title = [status.report, ...status.warnings].filter(Boolean).join("\n");
    by("status").className = status.empty ? "" : status.moves && (status.driven || (status.undriven ?? 0) > 0) ? (status.driven ? "good" : "free") : "stuck";
    const { warnings } = status;
    by("warnings").hidden = !warnings.length;
    by("warnings").textContent = warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`;
    by("warnings").title = warnings.join("\n");
    const motion = state.motion;
    (by("play") as HTMLButtonElement).disabled = !motion;
    (by("time") as HTMLInputElement).max = String(motion ? motion.times.length - 1 : 1);
    (by("time") as HTMLInputElement).disabled = !motion;
    this.columns(state);
    this.clock();
  }

  private columns(state: State): void {
    const box = by("columns"), key = JSON.stringify(state.motion?.columns.map(([n]) => n) ?? []) + JSON.stringify(state.motion?.curves.map((c) => c.name) ?? []);
    if (box.dataset.key === key) return;
    box.dataset.key = key;
    const shown = new Set(state.motion?.curves.map((c) => c.name));
    box.replaceChildren(...(state.motion?.columns ?? []).map(([name, unit]) => {
      const input = make("input", { type: "checkbox", checked: shown.has(name) });
      input.addEventListener("change", () => { input.checked ? shown.add(name) : shown.delete(name); void this.line.ask({ do: "curves", names: [...shown] }); });
      return make("label", { title: unit }, input, ` ${name}`);
    }));
  }

  private busy(text: string): void { by("busy").hidden = !text; by("busy").textContent = text; }

  private takeRuns(runs: Run[], latest: number): void {
    this.runs = runs;
    this.panel.takeRuns(runs);
    const current = by("views").dataset.current ?? "";
    const tabs = [make("button", { role: "tab", "aria-selected": String(!current), onclick: () => this.show(-1) }, "Drawing")];
    for (const run of runs.filter((r) => r.url)) tabs.push(make("button", { role: "tab", "aria-selected": String(current === String(run.number)), onclick: () => this.show(run.number) }, run.name + (run.old ? " (old)" : "")));
    by("views").replaceChildren(...tabs);
    if (latest) {
      this.busy("");
      const run = runs.find((r) => r.number === latest);
      this.tab("analyses");
      if (run?.url) this.show(latest);
      if (run?.trouble) this.say(run.trouble, true);
    }
    if (current && !runs.some((r) => String(r.number) === current)) this.show(-1);
    if (this.state?.space === "spatial" && !current && runs.some((r) => r.number === 0)) this.show(0);
  }

  /** Show the drawing, or the page of a result. */
  show(number: number): void {
    const run = this.runs.find((r) => r.number === number && r.url), frame = by("result") as HTMLIFrameElement;
    by("views").dataset.current = run ? String(number) : "";
    for (const [k, tab] of [...by("views").children].entries()) tab.setAttribute("aria-selected", String(run ? this.runs.filter((r) => r.url).indexOf(run) + 1 === k : k === 0));
    by("stage").hidden = by("bar").hidden = !!run;
    frame.hidden = !run;
    if (run && frame.src !== run.url) frame.src = run.url;
    if (!run) this.board.resize();
  }

  // --- time --------------------------------------------------------------------------------------------------------------

  play(on = !this.playing): void {
    const motion = this.state?.motion;
    this.playing = on && !!motion;
    if (this.playing) {
      this.tools.clear();
      if (this.tools.tool !== "hand") this.tools.use("select");
      this.begun = performance.now() - this.share() * this.length() * 1e3;
    }
    by("hint").hidden = this.playing;
    by("play").classList.toggle("on", this.playing);
    by("play").setAttribute("aria-label", this.playing ? "pause" : "play");
  }

  private share(): number { const n = this.state!.motion!.times.length; return this.board.frame < 0 || this.board.frame >= n - 1 ? 0 : this.board.frame / (n - 1); }

  private length(): number { const { times } = this.state!.motion!; return Math.min(Math.max(times[times.length - 1] - times[0], SHORTEST), LONGEST) / Number((by("speed") as HTMLSelectElement).value); }

  private advance(now: number): void {
    const motion = this.state?.motion;
    if (!motion) return this.play(false);
    const share = ((now - this.begun) / 1e3 / this.length()) % 1;
    this.seek(Math.max(Math.floor(share * motion.times.length), 0), true);
  }

  seek(frame: number, playing = false): void {
    if (!playing) this.play(false);
    this.board.show(frame);
    this.board.trouble = null;
    this.clock();
  }

  private clock(): void {
    const motion = this.state?.motion, frame = this.board.frame;
    (by("time") as HTMLInputElement).value = String(Math.max(frame, 0));
    const { time } = this.board;
    if (motion && this.board.held && time !== null) (by("time") as HTMLInputElement).value = String(motion.times.reduce((best, t, k) => (Math.abs(t - time) < Math.abs(motion.times[best] - time) ? k : best), 0));
    by("clock").textContent = motion ? (time === null ? "by hand" : `${time.toFixed(3)} s`) : "";
    this.plots.follow(time);
    by("keep").hidden = !this.board.held;
    by("reset").hidden = !this.board.held && frame <= 0;
  }

  // --- tools and keys ------------------------------------------------------------------------------------------------------

  private palette(): void {
    const box = by("tools");
    let group = -1;
    for (const [name, tool] of Object.entries(TOOLS)) {
      if (tool.group !== group && group >= 0) box.append(make("hr"));
      group = tool.group;
      const button = make("button", { title: `${tool.title} (${tool.key.toUpperCase()})`, "aria-pressed": "false", "data-tool": name, onclick: () => { this.play(false); this.show(-1); this.tools.use(name); } });
      button.innerHTML = icon(name);
      button.append(make("span", {}, tool.name));
      box.append(button);
    }
    this.showTool();
  }

  private showTool(): void {
    if (!this.tools) return;
    for (const button of by("tools").querySelectorAll<HTMLElement>("button")) button.setAttribute("aria-pressed", String(button.dataset.tool === this.tools.tool));
    by("hint-text").textContent = this.tools.hint;
    by("done").hidden = !this.tools.ends;
    this.options();
    this.clock();
  }

  /** Sizes of what a tool draws. */
  private options(): void {
    const box = by("options"), { cam, tool } = this.tools;
    box.hidden = tool !== "cam";
    if (box.hidden || box.childElementCount) return;
    const law = make("select", { "aria-label": "law of motion", onchange: () => { cam.law = law.value; } }, ...["cycloidal", "harmonic", "3-4-5", "4-5-6-7"].map((name) => make("option", { value: name }, name)));
    const usual: Record<string, string> = { lift: "40 %", rise: "115", dwell: "57", roller: "20 %", points: "72" };
    box.append(make("label", {}, "law", law), ...Object.keys(usual).map((name) => {
      const input = make("input", { type: "text", placeholder: usual[name], "aria-label": `${name} of the cam`, oninput: () => { cam[name] = input.value; } });
      return make("label", { title: name === "points" ? "of the spline that is the profile" : name === "lift" || name === "roller" ? "a length; unless stated, relative to the distance of the clicks" : "an angle of the cam" }, name, input);
    }));
  }

  private buttons(): void {
    const on = (id: string, action: () => void) => by(id).addEventListener("click", action);
    on("undo", () => void this.line.ask({ do: "undo" }));
    on("redo", () => void this.line.ask({ do: "redo" }));
    on("save", () => void this.save());
    on("fit", () => this.board.fit());
    on("done", () => void this.tools.finish());
    on("warnings", () => this.say(this.state?.status.warnings.join("\n") ?? "", true));
    on("names", () => { this.board.names = !this.board.names; by("names").setAttribute("aria-pressed", String(this.board.names)); this.board.change(); });
    on("play", () => this.play());
    on("keep", () => void this.line.ask({ do: "keep" }).then((a) => { if (a.type === "error") this.say(a.text ?? "", true); this.board.frame = -1; this.board.rest(); this.clock(); }));
    on("reset", () => { this.seek(0); this.board.rest(); this.say(""); });
    on("pin", () => { this.plots.pin(); this.board.variants.push(...(this.state?.motion?.traces ?? []).map((t) => ({ line: t.line }))); this.board.change(); this.say("kept as a variant: change something and compare"); });
    on("unpin", () => { this.plots.unpin(); this.board.variants = []; this.board.change(); });
    on("copy-text", () => void navigator.clipboard?.writeText(this.state?.text ?? ""));
    on("download", () => {
      const link = make("a", { href: `data:text/yaml;charset=utf-8,${encodeURIComponent(this.state?.text ?? "")}`, download: this.state?.name ?? "model.yaml" });
      link.click();
    });
    by("time").addEventListener("input", () => this.seek(Number((by("time") as HTMLInputElement).value)));
    by("speed").addEventListener("change", () => { if (this.playing) this.play(true); });
    for (const tab of document.querySelectorAll<HTMLElement>("#tabs button")) tab.addEventListener("click", () => this.tab(tab.dataset.tab!));
    window.addEventListener("beforeunload", (e) => { if (this.state && !this.state.saved && this.state.undoable && !this.line.open) e.preventDefault(); });
  }

  tab(name: string): void {
    for (const tab of document.querySelectorAll<HTMLElement>("#tabs button")) tab.setAttribute("aria-selected", String(tab.dataset.tab === name));
    for (const panel of document.querySelectorAll<HTMLElement>(".panel")) panel.hidden = panel.id !== `panel-${name}`;
    if (name === "analyses") this.panel.renewTimes();
    if (name === "python") void this.panel.python();
    if (name === "curves") this.plots.resize();
  }

  async save(name?: string): Promise<void> {
    if (name === undefined && !this.state?.path) name = prompt("Save as", `${this.state?.title ?? "untitled"}.yaml`) ?? undefined;
    if (name === undefined && !this.state?.path) return;
    const answer = await this.line.ask({ do: "save", ...(name === undefined ? {} : { name }) });
    if (answer.type === "exists" && confirm(answer.text)) { const again = await this.line.ask({ do: "save", name, overwrite: true }); return this.say(again.text ?? "", again.type === "error"); }
    if (answer.type !== "exists") this.say(answer.text ?? "", answer.type === "error");
  }

  private keys(): void {
    window.addEventListener("keydown", (e) => {
      const inField = /^(INPUT|TEXTAREA|SELECT)$/.test((e.target as HTMLElement).tagName);
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "s") { e.preventDefault(); if (inField) (e.target as HTMLElement).blur(); void this.save(); return; }
      if (inField) return;
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "z") { e.preventDefault(); void this.line.ask({ do: e.shiftKey ? "redo" : "undo" }); return; }
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "y") { e.preventDefault(); void this.line.ask({ do: "redo" }); return; }
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "a") { e.preventDefault(); this.select(this.state?.elements.filter((x) => x.section === "bodies" && x.type !== "ground").map((x) => x.name) ?? []); return; }
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "d") { e.preventDefault(); void this.duplicate(); return; }
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      if (this.tools.type(e.key)) { e.preventDefault(); return; }
      if (e.key === "Enter") { if ((e.target as HTMLElement).tagName !== "BUTTON") void this.tools.finish(); }
      else if (e.key === "Escape") this.escape();
      else if (e.key === "Delete" || e.key === "Backspace") void this.remove();
      else if (e.key === " ") { if ((e.target as HTMLElement).tagName !== "BUTTON") { e.preventDefault(); this.play(); } }
      else if (e.key === "Home") this.seek(0);
      else if (e.key === "ArrowRight" || e.key === "ArrowLeft") this.arrow(e);
      else if (e.key === "ArrowUp" || e.key === "ArrowDown") this.arrow(e);
      else if (e.key === "0") this.board.fit();
      else {
        const found = Object.entries(TOOLS).find(([, tool]) => tool.key === e.key.toLowerCase());
        if (found) { this.play(false); this.show(-1); this.tools.use(found[0]); }
      }
    });
  }

  /** Arrows step through the motion, or move the selected point by a step of the grid. */
  private arrow(e: KeyboardEvent): void {
    const point = this.state?.points.find((p) => this.board.selected.has(p.id)), step = this.board.step * (e.shiftKey ? 10 : 1);
    const by: Vec = e.key === "ArrowRight" ? [step, 0] : e.key === "ArrowLeft" ? [-step, 0] : e.key === "ArrowUp" ? [0, step] : [0, -step];
    if (point && this.board.still) { e.preventDefault(); void this.tools.edit("move_point", { name: point.id, to: [point.at[0] + by[0], point.at[1] + by[1]] }); return; }
    if (this.state?.motion && by[0]) this.seek(Math.max(this.board.frame, 0) + (e.shiftKey ? 10 : 1) * Math.sign(by[0]));
  }

  private escape(): void {
    if (this.tools.clicks.length) return this.tools.clear();
    if (this.board.held) { this.board.rest(); this.say(""); this.clock(); return; }
    if (this.tools.tool !== "select") return this.tools.use("select");
    this.select([]);
  }

  private bodies(): string[] { return [...this.board.selected].filter((name) => this.state!.elements.some((e) => e.name === name && e.section === "bodies" && e.type !== "ground")); }

  private async duplicate(): Promise<void> {
    const names = this.bodies();
    if (!names.length) return this.say("Select links to copy them.");
    const made = await this.tools.edit("copy", { names, by: [5 * this.board.step, 5 * this.board.step], turn: 0, center: null, count: 1 });
    if (made) this.select(made as string[]);
  }

  private async remove(): Promise<void> {
    const chosen = [...this.board.selected], { points, elements } = this.state!;
    const names = chosen.flatMap((name) => { const point = points.find((p) => p.id === name); return point ? [...point.joints, ...point.traces] : elements.some((e) => e.name === name && e.type !== "ground") ? [name] : []; });
    if (!names.length) return;
    const made = await this.tools.edit("remove", { names: [...new Set(names)] });
    if (Array.isArray(made) && made.length > names.length) this.say(`removed ${made.join(", ")}`);
    this.select([]);
  }

  select(names: string[]): void {
    this.board.selected = new Set(names);
    this.board.change();
    if (names.length) this.tab("selection");
    if (this.state) this.panel.properties();
  }

  private fading = 0;

  say(text: string, loud = false): void {
    const box = by("message");
    box.textContent = text;
    box.hidden = !text;
    box.classList.toggle("loud", loud);
    clearTimeout(this.fading);
    if (text && !loud) this.fading = window.setTimeout(() => { box.hidden = true; }, 5000);
  }
}

const studio = new Studio();

/** The interface of the page for scripts and tests. */
window.studio = {
  get state() { return studio.state; },
  get tool() { return studio.tools.tool; },
  get selected() { return [...studio.board.selected]; },
  get frame() { return studio.board.frame; },
  get held() { return studio.board.held; },
  get time() { return studio.board.time; },
  get poses() { return studio.board.poses; },
  get drawn() { return studio.board.drawn; },
  get drags() { return studio.tools.drags; },
  get rounds() { return studio.line.rounds; },
  get waiting() { return studio.line.waiting; },
  get open() { return studio.line.open; },
  get runs() { return studio.runs; },
  get variants() { return studio.plots.count; },
  get message() { return by("message").hidden ? "" : by("message").textContent; },
  pixels: (place: Vec): Vec => {
    const box = studio.board.canvas.getBoundingClientRect(), [x, y] = toPixel(studio.board.view, place);
    return [box.left + x, box.top + y];
  },
  point: (name: string): Vec => { const point = studio.state!.points.find((p) => p.name === name || p.id === name)!; return studio.board.where(point); },
  view: (scale: number, x: number, y: number) => { Object.assign(studio.board.view, { scale, x, y }); studio.board.change(); },
  ask: (message: Record<string, unknown>) => studio.line.ask(message),
};
