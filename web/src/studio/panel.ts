// The panels at the side: what is selected, parameters, analyses, the file, and the same model as Python.

import type { Answer, Line } from "./line";
import { Latest } from "./line";
import { make } from "./make";
import type { Element, Run, State, Types } from "./types";

export interface Desk {
  line: Line;
  edit(edit: string, stated: Record<string, unknown>): Promise<unknown>;
  say(text: string, loud?: boolean): void;
  select(names: string[]): void;
  selected(): string[];
  preview(state: State): void;
  showRun(number: number): void;
}

const by = (id: string) => document.getElementById(id)!;
const OUTPUTS = 200; // of a simulation, unless stated
const MATERIALS: Record<string, number> = { steel: 7850, "stainless steel": 7900, aluminum: 2700, brass: 8500, bronze: 8800, titanium: 4430, magnesium: 1740, polyamide: 1140, POM: 1410, ABS: 1050, plywood: 650 }; // kg/m^3

export class Panel {
  types: Types | null = null;
  private state: State | null = null;
  private readonly sliding: Latest;
  private runs: Run[] = [];

  constructor(private readonly desk: Desk) {
    this.sliding = new Latest(desk.line, (answer) => { if (answer.type === "state") desk.preview(answer as unknown as State); else desk.say(answer.text ?? "", true); });
    by("apply").addEventListener("click", () => void this.applyText());
    by("text").addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void this.applyText(); });
    by("copy-python").addEventListener("click", () => void navigator.clipboard?.writeText(by("python").textContent ?? "").then(() => desk.say("copied")));
    by("analysis").addEventListener("change", () => this.analysisFields());
    by("run").addEventListener("click", () => void this.run());
  }

  async loadTypes(): Promise<void> {
    const answer = await this.desk.line.ask({ do: "types" });
    if (answer.type !== "types") return;
    this.types = answer as unknown as Types;
    const usual = ["kinematics", "inverse_dynamics", "simulate", "equilibrium", "quasi_static", "mobility", "eigenmodes", "linearize"], all = Object.keys(this.types.analyses);
    by("analysis").replaceChildren(...[...usual, ...all.filter((n) => !usual.includes(n))].map((name) => make("option", { value: name }, name.replace(/_/g, " "))));
    this.analysisFields();
    if (this.state) this.properties();
  }

  take(state: State): void {
    this.state = state;
    this.properties();
    this.parameters();
    const text = by("text") as HTMLTextAreaElement;
    if (document.activeElement !== text) text.value = state.text;
    if (by("panel-python").hidden === false) void this.python();
  }

  preview(state: State): void {
    for (const parameter of state.parameters) {
      const field = document.querySelector<HTMLInputElement>(`#parameters input[data-name="${CSS.escape(parameter.name)}"]`);
      if (field && document.activeElement !== field) field.value = parameter.text;
    }
  }

  async python(): Promise<void> {
    const answer = await this.desk.line.ask({ do: "python" });
    by("python").textContent = answer.text ?? "";
  }

  private async applyText(): Promise<void> {
    const answer = await this.desk.line.ask({ do: "text", text: (by("text") as HTMLTextAreaElement).value });
    this.desk.say(answer.type === "error" ? answer.text ?? "" : "applied", answer.type === "error");
  }

  // --- what is selected --------------------------------------------------------------------------------------------------

  properties(): void {
    const state = this.state!, box = by("properties"), chosen = this.desk.selected(), focus = document.activeElement as HTMLElement | null;
    const kept = focus && box.contains(focus) ? focus.dataset.field : undefined;
    const parts: Node[] = [];
    const points = chosen.map((id) => state.points.find((p) => p.id === id)).filter((p) => p !== undefined);
    const elements = chosen.map((name) => state.elements.find((e) => e.name === name)).filter((e) => e !== undefined);
    for (const point of points) {
      parts.push(make("h2", {}, point.name ? `Point ${point.name}` : "Point"));
      const rows = point.places.map((place) => this.placeField(place)).filter((row) => row !== null);
      parts.push(...rows);
      const named = [...point.joints, ...point.traces];
      if (named.length) parts.push(make("p", { class: "chips" }, ...named.map((name) => this.chip(name))));
      parts.push(make("p", { class: "chips" }, ...point.bodies.map((name) => this.chip(name))));
      if (named.length) parts.push(this.removal(named));
    }
    for (const element of elements) parts.push(...this.element(element));
    if (elements.filter((e) => e.section === "bodies" && e.type !== "ground").length) parts.push(this.copies(elements.filter((e) => e.section === "bodies").map((e) => e.name)));
    if (!parts.length) parts.push(...this.overview());
    box.replaceChildren(...parts);
    if (kept) box.querySelector<HTMLElement>(`[data-field="${CSS.escape(kept)}"]`)?.focus();
  }

  private chip(name: string): HTMLElement { return make("button", { class: "chip", onclick: () => this.desk.select([name]) }, name); }

  private removal(names: string[]): HTMLElement {
    return make("p", {}, make("button", { class: "danger", onclick: () => void this.desk.edit("remove", { names }).then(() => this.desk.select([])) }, names.length > 1 ? "Remove joints" : "Remove"));
  }

  /** A labeled field whose text is sent when it is changed. */
  private field(label: string, value: string, send: (text: string) => void, more: { unit?: string; title?: string; drop?: () => void; placeholder?: string; key?: string } = {}): HTMLElement {
    const input = make("input", { value, type: "text", spellcheck: false, placeholder: more.placeholder ?? "", "data-field": more.key ?? label, "aria-label": label, title: more.title ?? "" });
    input.addEventListener("change", () => { if (input.value.trim() !== value) send(input.value); });
    input.addEventListener("keydown", (e) => { if (e.key === "Escape") { input.value = value; input.blur(); e.stopPropagation(); } if (e.key === "Enter") input.blur(); });
    const row = make("label", { class: "field" }, make("span", { title: more.title ?? "" }, label), input);
    if (more.unit && !/[a-z]/i.test(value)) row.append(make("i", {}, more.unit));
    if (more.drop) row.append(make("button", { class: "drop", title: `remove ${label}`, "aria-label": `remove ${label}`, onclick: more.drop }, "×"));
    return row;
  }

  private placeField(place: string): HTMLElement | null {
    const [body, marker] = place.split("@"), bare = body.replace(/'/g, "");
    const element = this.state!.elements.find((e) => e.name === bare), value = element?.markers?.[marker];
    if (value === undefined) return null;
    return this.field(`on ${bare}`, value.replace(/^\[|\]$/g, ""), (text) => void this.desk.edit("marker", { body: bare, marker, text }), { unit: this.state!.units.length, key: place });
  }

  private element(element: Element): Node[] {
    const kind = this.types?.types[element.type], parts: Node[] = [], known = kind?.arguments ?? [];
    const title = element.type === "ground" ? "Ground" : element.name;
    parts.push(make("h2", {}, title, make("small", { title: kind?.about ?? "" }, element.type === "ground" ? "" : element.type.replace(/_/g, " "))));
    if (kind) parts.push(make("p", { class: "quiet" }, kind.about.replaceAll("`", "")));
    if (element.type !== "ground") parts.push(this.field("name", element.name, (text) => void this.desk.edit("rename", { old: element.name, new: text }).then((made) => { if (made !== null) this.desk.select([text]); }), { key: `${element.name}.name` }));
    if (element.length !== undefined) parts.push(this.field("length", element.length, (text) => void this.desk.edit("length", { body: element.name, stated: text }), { unit: this.state!.units.length, key: `${element.name}.length` }));
    const order = known.map(([name]) => name), stated = Object.keys(element.arguments).sort((a, b) => order.indexOf(a) - order.indexOf(b));
    for (const name of stated) parts.push(...this.argument(element, name, element.arguments[name], known.find(([n]) => n === name)?.[3] ?? false));
    for (const [marker, value] of Object.entries(element.markers ?? {}))
      parts.push(this.field(`point ${marker}`, value.replace(/^\[|\]$/g, ""), (text) => void this.desk.edit("marker", { body: element.name, marker, text }), { unit: this.state!.units.length, key: `${element.name}@${marker}` }));
    parts.push(...this.material(element));
    if (element.facts.length) parts.push(make("p", { class: "facts" }, element.facts.join(" · ")));
    const rest = known.filter(([name]) => !stated.includes(name));
    if (rest.length && element.type !== "ground") {
      const more = make("details", {}, make("summary", {}, "more"));
      for (const [name, kindOf, usual] of rest)
        more.append(this.field(name, "", (text) => void this.desk.edit("set", { element: element.name, argument: name, text }), { unit: element.units[name], placeholder: usual === null || usual === undefined ? "" : String(usual), title: String(kindOf), key: `${element.name}.${name}` }));
      parts.push(more);
    }
    if (element.type !== "ground") parts.push(this.removal([element.name]));
    return parts;
  }

  /** An argument; the entries of a mapping each have a field. */
  private argument(element: Element, name: string, value: string, required: boolean): HTMLElement[] {
    const set = (argument: string) => (text: string) => void this.desk.edit("set", { element: element.name, argument, text });
    const inner = /^\{(.*)\}$/s.exec(value), entries = inner ? splitEntries(inner[1]) : null;
    if (entries && entries.every(([key]) => key) && !value.includes("curve_through"))
      return [make("p", { class: "group" }, name), ...entries.map(([key, text]) => this.field(key, text, set(`${name}.${key}`), { unit: element.units[`${name}.${key}`], key: `${element.name}.${name}.${key}` }))];
    const drop = required ? undefined : () => void this.desk.edit("set", { element: element.name, argument: name, text: null });
    return [this.field(name, value, set(name), { unit: element.units[name], drop, key: `${element.name}.${name}` })];
  }

  /** Material, thickness and width of a body whose mass follows from its shape. */
  private material(element: Element): HTMLElement[] {
    const mass = element.arguments.mass ?? "", density = /density=([^,()]+)/.exec(mass)?.[1];
    if (density === undefined) return [];
    const set = (text: string) => void this.desk.edit("set", { element: element.name, argument: "mass", text });
    const known = Object.entries(MATERIALS).find(([, value]) => value === parseFloat(density))?.[0] ?? "";
    const pick = make("select", { "aria-label": "material" }, ...(known ? [] : [make("option", { value: "" }, density)]), ...Object.keys(MATERIALS).map((name) => make("option", { value: name, selected: name === known }, name)));
    pick.addEventListener("change", () => { if (pick.value) set(mass.replace(/density=[^,()]+/g, `density=${MATERIALS[pick.value]} kg/m^3`)); });
    const rows = [make("label", { class: "field" }, make("span", {}, "material"), pick)], unit = this.state!.units.length;
    const thick = /thickness=([^,()]+)/.exec(mass)?.[1];
    if (thick !== undefined) rows.push(this.field("thickness", thick, (text) => set(mass.replace(/thickness=[^,()]+/g, `thickness=${text}`)), { unit, key: `${element.name} thickness` }) as HTMLLabelElement);
    const bar = /^rounded_bar\(([^,()]+), ([^,()]+),/.exec(mass);
    if (bar) rows.push(this.field("width", bar[2], (text) => set(mass.replace(bar[0], `rounded_bar(${bar[1]}, ${text},`)), { unit, key: `${element.name} width` }) as HTMLLabelElement);
    return rows;
  }

  private copies(names: string[]): HTMLElement {
    const { factors, units } = this.state!, count = make("input", { type: "number", value: "1", min: "1", max: "200", "aria-label": "copies" }), dx = make("input", { type: "text", value: "50", "aria-label": "shift x" }), dy = make("input", { type: "text", value: "0", "aria-label": "shift y" }), turn = make("input", { type: "text", value: "0", "aria-label": "turn" });
    const center = () => { const at = this.state!.points.filter((p) => p.bodies.some((b) => names.includes(b))).map((p) => p.at); return [Math.max(...at.map((p) => p[0])), 0]; };
    return make("details", { class: "copies" }, make("summary", {}, "copy, mirror, repeat"),
      make("p", {}, "times ", count, " by ", dx, " ", dy, ` ${units.length}, turned `, turn, ` ${units.angle}`),
      make("p", {}, make("button", { onclick: () => void this.desk.edit("copy", { names, by: [Number(dx.value) * factors.length, Number(dy.value) * factors.length], turn: Number(turn.value) * factors.angle, center: null, count: Number(count.value) }).then((made) => { if (made) this.desk.select(made as string[]); }) }, "Copy"),
        make("button", { onclick: () => void this.desk.edit("mirror", { names, center: center(), axis: Math.PI / 2 }).then((made) => { if (made) this.desk.select(made as string[]); }) }, "Mirror left to right")));
  }

  private overview(): Node[] {
    const state = this.state!, parts: Node[] = [make("h2", {}, state.title)];
    for (const name of ["name", "gravity", "units"]) parts.push(this.field(name, state.settings[name] ?? "", (text) => void this.desk.edit("setting", { name, text }), { key: `setting ${name}` }));
    for (const section of ["bodies", "joints", "drivers", "forces", "control", "elements"]) {
      const found = state.elements.filter((e) => e.section === section && e.type !== "ground");
      if (found.length) parts.push(make("p", { class: "group" }, section), make("p", { class: "chips" }, ...found.map((e) => this.chip(e.name))));
    }
    if (this.types) parts.push(this.adder());
    return parts;
  }

  /** Any element of any type, with its required arguments. */
  private adder(): HTMLElement {
    const types = this.types!.types, pick = make("select", { "aria-label": "type" }, make("option", { value: "" }, "type ..."), ...Object.keys(types).map((name) => make("option", { value: name }, name.replace(/_/g, " ")))), box = make("div");
    pick.addEventListener("change", () => {
      const kind = types[pick.value];
      if (!kind) return;
      const values: Record<string, string> = {};
      box.replaceChildren(make("p", { class: "quiet" }, kind.about.replaceAll("`", "")), ...kind.arguments.filter(([, , , needed]) => needed).map(([name, kindOf]) => this.field(name, "", (text) => { values[name] = text; }, { title: kindOf, placeholder: kindOf, key: `add ${name}` })),
        make("button", { onclick: () => void this.desk.edit("add", { kind: pick.value, section: kind.group, arguments: values }).then((made) => { if (made) this.desk.select([made as string]); }) }, "Add"));
    });
    return make("details", {}, make("summary", {}, "add any element"), pick, box);
  }

  // --- parameters ----------------------------------------------------------------------------------------------------------

  private parameters(): void {
    const state = this.state!, box = by("parameters"), rows: Node[] = [];
    for (const parameter of state.parameters) {
      const row = this.field(parameter.name, parameter.text, (text) => void this.desk.edit("parameter", { name: parameter.name, text }), { drop: () => void this.desk.edit("parameter", { name: parameter.name, text: null }), key: `parameter ${parameter.name}` });
      row.querySelector("input")!.dataset.name = parameter.name;
      rows.push(row);
      if (parameter.value !== null) {
        const slider = make("input", { type: "range", min: String(parameter.low), max: String(parameter.high), step: "any", value: String(parameter.value), "aria-label": `${parameter.name} slider`, class: "wide" });
        const text = () => `${Number(Number(slider.value).toPrecision(4))}${parameter.unit ? ` ${parameter.unit}` : ""}`;
        slider.addEventListener("input", () => { row.querySelector("input")!.value = text(); this.sliding.send({ do: "edit", edit: "parameter", with: { name: parameter.name, text: text() }, preview: true }); });
        slider.addEventListener("change", () => { this.sliding.drop(); void this.desk.edit("parameter", { name: parameter.name, text: text() }); });
        rows.push(slider);
      }
    }
    if (!rows.length) rows.push(make("p", { class: "quiet" }, "A parameter is a named number. Use its name in any field: type crank instead of 60."));
    const name = make("input", { type: "text", placeholder: "name", "aria-label": "name of a new parameter" }), value = make("input", { type: "text", placeholder: "value, such as 60 mm", "aria-label": "value of a new parameter" });
    const add = () => { if (name.value && value.value) void this.desk.edit("parameter", { name: name.value.trim(), text: value.value }); };
    value.addEventListener("keydown", (e) => { if (e.key === "Enter") add(); });
    rows.push(make("p", { class: "adding" }, name, value, make("button", { onclick: add }, "Add")));
    const focus = document.activeElement as HTMLElement | null, kept = focus && box.contains(focus) ? focus.getAttribute("aria-label") : null;
    box.replaceChildren(...rows);
    if (kept) box.querySelector<HTMLElement>(`[aria-label="${CSS.escape(kept)}"]`)?.focus();
  }

  // --- analyses --------------------------------------------------------------------------------------------------------------

  private analysisFields(): void {
    const name = (by("analysis") as HTMLSelectElement).value, kind = this.types?.analyses[name];
    if (!kind) return;
    const usual: Record<string, string> = { times: this.times(), until: "2", output: "0.01" };
    const rows = kind.arguments.map(([argument, kindOf, standard, needed]) => {
      const input = make("input", { type: "text", defaultValue: needed || argument === "output" ? usual[argument] ?? "" : "", placeholder: standard === null || standard === undefined ? "" : String(standard), "aria-label": argument, "data-argument": argument, title: kindOf });
      return { needed: needed || argument === "output", row: make("label", { class: "field" }, make("span", {}, argument), input) };
    });
    const more = make("details", {}, make("summary", {}, "more"), ...rows.filter((r) => !r.needed).map((r) => r.row));
    const [until, output] = ["until", "output"].map((argument) => rows.map(({ row }) => row.querySelector<HTMLInputElement>(`[data-argument=${argument}]`)).find((input) => input));
    until?.addEventListener("input", () => { if (output && Number(until.value) > 0) output.value = String(Number((Number(until.value) / OUTPUTS).toPrecision(2))); });
    by("arguments").replaceChildren(make("p", { class: "quiet" }, kind.about.replaceAll("`", "")), ...rows.filter((r) => r.needed).map((r) => r.row), ...(rows.some((r) => !r.needed) ? [more] : []));
  }

  /** The output times of a driven analysis, unless others are typed: those of the motion in the drawing. */
  private times(): string { return `{to: ${this.state?.motion?.times.at(-1) ?? 1}, count: 181}`; }

  renewTimes(): void {
    const input = document.querySelector<HTMLInputElement>("#arguments [data-argument=times]");
    if (input && input.value === input.defaultValue) input.value = input.defaultValue = this.times();
  }

  private async run(): Promise<void> {
    const values: Record<string, string> = {};
    for (const input of document.querySelectorAll<HTMLInputElement>("#arguments input")) if (input.value.trim()) values[input.dataset.argument!] = input.value;
    const compare = Number((by("compare") as HTMLSelectElement).value);
    const answer = await this.desk.line.ask({ do: "run", analysis: (by("analysis") as HTMLSelectElement).value, arguments: values, keep: (by("keep-analysis") as HTMLInputElement).checked, ...(compare ? { compare } : {}) });
    if (answer.type === "error") this.desk.say(answer.text ?? "", true);
  }

  takeRuns(runs: Run[]): void {
    this.runs = runs.filter((run) => run.number);
    const compare = by("compare") as HTMLSelectElement, kept = compare.value;
    compare.replaceChildren(make("option", { value: "0" }, "nothing"), ...this.runs.map((run) => make("option", { value: String(run.number) }, run.name)));
    compare.value = this.runs.some((run) => String(run.number) === kept) ? kept : "0";
    by("runs").replaceChildren(...this.runs.map((run) => this.runCard(run)).reverse());
  }

  private runCard(run: Run): HTMLElement {
    const card = make("article", { class: run.trouble ? "run trouble" : "run" }, make("h3", {}, run.name, run.old ? make("small", { title: "the drawing has changed since" }, "of an earlier drawing") : ""));
    if (run.trouble) card.append(make("p", { class: "loud" }, run.trouble));
    if (run.text) card.append(make("pre", {}, run.text));
    const buttons = make("p", {});
    if (run.url) buttons.append(make("button", { class: "main", onclick: () => this.desk.showRun(run.number) }, "Show"));
    buttons.append(make("button", { onclick: () => void this.desk.line.ask({ do: "remove_run", run: run.number }) }, "Remove"));
    card.append(buttons);
    if (run.table.length) {
      const rows = run.table.slice(0, 200).map(([name, unit, low, high]) => make("tr", {}, make("td", {}, name), make("td", {}, unit), make("td", {}, short(low)), make("td", {}, short(high))));
      card.append(make("details", {}, make("summary", {}, "table of extremes"), make("table", {}, make("tr", {}, make("th", {}, "column"), make("th", {}, "unit"), make("th", {}, "least"), make("th", {}, "largest")), ...rows)));
    }
    return card;
  }
}

export function short(x: number): string { return String(Number(x.toPrecision(5))); }

/** "type: ramp, rate: 360" as pairs; commas inside brackets do not separate. */
function splitEntries(text: string): [string, string][] {
  const parts: string[] = [];
  let depth = 0, begin = 0, quote = "";
  [...text].forEach((sign, k) => {
    if (quote) { if (sign === quote) quote = ""; return; }
    if (sign === '"' || sign === "'") quote = sign;
    else if ("([{".includes(sign)) depth += 1;
    else if (")]}".includes(sign)) depth -= 1;
    else if (sign === "," && !depth) { parts.push(text.slice(begin, k)); begin = k + 1; }
  });
  parts.push(text.slice(begin));
  return parts.map((part) => { const colon = part.indexOf(":"); return colon < 0 ? ["", part] : [part.slice(0, colon).trim(), part.slice(colon + 1).trim().replace(/^"(.*)"$/, "$1")]; });
}

export type { Answer };
