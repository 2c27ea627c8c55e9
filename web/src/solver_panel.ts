// The numbers of a page that solves: a slider and a box for each, filtered by name.

import "./solver.css";
import type { ParameterInfo } from "./solver";

const STEPS = 200; // of a slider
const MANY = 8; // more numbers can be filtered by name

export class ParameterPanel {
  private readonly values: number[];
  private readonly said: HTMLElement;
  private waiting = 0;
  private readonly renew: (() => void)[] = [];

  constructor(parameters: ParameterInfo[], private readonly change: (values: number[]) => void) {
    this.values = parameters.map((p) => p.value);
    const box = document.createElement("details"), title = document.createElement("summary"), list = document.createElement("div");
    box.id = "parameters";
    box.open = true;
    title.textContent = "change numbers";
    this.said = document.createElement("span");
    this.said.className = "quiet";
    const reset = document.createElement("button");
    reset.textContent = "reset";
    reset.title = "all numbers as they were";
    reset.onclick = (event) => {
      event.preventDefault();
      parameters.forEach((p, k) => (this.values[k] = p.value));
      this.renew.forEach((renew) => renew());
      this.send();
    };
    title.append(" ", this.said, reset);
    list.className = "list";
    const lines = parameters.map((p, k) => this.line(p, k));
    list.append(...lines);
    box.append(title);
    if (parameters.length > MANY) {
      const filter = document.createElement("input");
      filter.placeholder = "filter by name";
      filter.setAttribute("aria-label", "filter numbers by name");
      filter.oninput = () => lines.forEach((line, k) => (line.hidden = !parameters[k].name.toLowerCase().includes(filter.value.toLowerCase())));
      box.append(filter);
    }
    box.append(list);
    if (!parameters.length) return;
    document.getElementById("side")!.prepend(box);
    document.getElementById("app")!.classList.remove("bare");
  }

  tell(text: string): void { this.said.textContent = text; }

  /** Show values that a hand has changed. */
  show(values: number[]): void {
    values.forEach((value, k) => (this.values[k] = value));
    this.renew.forEach((renew) => renew());
  }

  private line(p: ParameterInfo, k: number): HTMLElement {
    const line = document.createElement("label"), name = document.createElement("span");
    const slider = document.createElement("input"), box = document.createElement("input");
    name.textContent = p.name + (p.unit ? ` [${p.unit}]` : "");
    name.title = name.textContent;
    slider.type = "range";
    box.type = "number";
    box.step = "any";
    slider.min = String(p.low);
    slider.max = String(p.high);
    slider.step = String((p.high - p.low) / STEPS);
    slider.setAttribute("aria-label", p.name);
    const show = () => {
      slider.value = String(this.values[k]);
      box.value = String(Number((p.factor * this.values[k]).toPrecision(7)));
      line.classList.toggle("changed", this.values[k] !== p.value);
    };
    const take = (value: number) => {
      if (!Number.isFinite(value)) return show();
      this.values[k] = Math.min(Math.max(value, p.low), p.high);
      show();
      this.send();
    };
    slider.oninput = () => take(Number(slider.value));
    box.onchange = () => take(Number(box.value) / p.factor);
    name.ondblclick = () => take(p.value);
    this.renew.push(show);
    line.append(name, slider, box);
    show();
    return line;
  }

  /** Solve once for each picture, however often a slider moves. */
  private send(): void {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.change([...this.values]);
    });
  }
}
