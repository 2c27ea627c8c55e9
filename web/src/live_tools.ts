// What a live page adds: a hint, undo and reset, and coordinates of pivots and pins that can be typed.

import "./live_tools.css";
import type { App } from "./app";
import type { Line } from "./line";

const SHORT = "Drag a link, or a pivot on the ground.";
const HINT = "Drag a link and the mechanism follows. Drag a pivot on the ground, or with Shift a pin between links, and the motion is computed again.";

export class LiveTools {
  private readonly undo = button("undo", "the mechanism before the last change (Ctrl+Z)");
  private readonly reset = button("reset", "the first result (Escape: only the position)");
  private readonly form = document.createElement("form");
  private shown = "";

  constructor(private readonly app: App, private readonly line: Pick<Line, "back" | "place" | "reseat">) {
    const hint = document.createElement("p");
    hint.id = "live-hint";
    hint.textContent = document.getElementById("view")!.clientWidth < 420 ? SHORT : HINT;
    this.form.id = "live-place";
    document.getElementById("view")!.append(hint, this.form);
    document.getElementById("names")!.before(this.undo, this.reset);
    this.undo.onclick = () => line.back(false);
    this.reset.onclick = () => { if (app.held) app.settle(app.time); if (!this.undo.disabled) line.back(true); };
    this.form.onsubmit = (event) => { event.preventDefault(); this.place(); };
    window.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !this.undo.disabled) { event.preventDefault(); line.back(false); }
      if (event.key === "Escape" && app.held) app.settle(app.time);
    });
    app.listeners.push(() => this.choose());
    this.follow(0);
  }

  /** `past` is the number of changes that can be undone. */
  follow(past: number): void {
    this.undo.disabled = past === 0;
    this.choose();
  }

  /** The fields of the pivot or pin that is selected. */
  private choose(): void {
    const { app } = this, element = app.chosen?.element ?? -1, { doc } = app;
    if (app.held || app.chosen) document.getElementById("live-hint")!.style.display = "none"; // it was understood
    this.reset.disabled = this.undo.disabled && !app.held;
    const pivot = doc.pivots.findIndex((p) => p.element === element), pin = doc.pins.findIndex((p) => p.element === element);
    const which = element < 0 || (pivot < 0 && pin < 0) ? "" : `${element}`;
    if (which === this.shown) return;
    this.shown = which;
    this.form.style.display = which ? "flex" : "none";
    if (!which) return;
    const at = app.rows.end((pivot >= 0 ? doc.pivots[pivot] : doc.pins[pin]).at);
    const title = document.createElement("b");
    title.textContent = (pivot >= 0 ? doc.pivots[pivot] : doc.pins[pin]).name;
    const fields = [..."xyz"].slice(0, doc.dimensions).map((axis, k) => {
      const label = document.createElement("label"), input = document.createElement("input");
      input.value = String(Number((doc.units.m[0] * at[k]).toPrecision(7)));
      input.setAttribute("aria-label", `${axis} of ${title.textContent}`);
      input.onkeydown = (event) => event.stopPropagation();
      label.append(axis, input);
      return label;
    });
    const go = document.createElement("button");
    go.textContent = "place";
    go.title = pivot >= 0 ? "move this pivot and compute the motion again" : "move this pin on both links and compute the motion again";
    this.form.replaceChildren(title, ...fields, doc.units.m[1], go);
  }

  private place(): void {
    const { app } = this, target = [...this.form.querySelectorAll("input")].map((input) => Number(input.value.replace(",", ".")) / app.doc.units.m[0]);
    if (!target.every(Number.isFinite) || !target.length) return app.panel.say("a coordinate is not a number");
    const element = Number(this.shown), pivot = app.doc.pivots.findIndex((p) => p.element === element);
    this.shown = "";
    if (pivot >= 0) this.line.place(pivot, target);
    else this.line.reseat(app.doc.pins.findIndex((p) => p.element === element), target);
  }
}

function button(text: string, title: string): HTMLButtonElement {
  const made = document.createElement("button");
  [made.textContent, made.title, made.id] = [text, title, `live-${text}`];
  return made;
}
