// Text beside the mechanism: the selection and its numbers, findings, notes, messages.

import type { App } from "./app";
import { type Document, shown } from "./document";
import { inWorld } from "./motion";

const MOST = 9; // curves whose values are listed

export class Panel {
  private readonly info = document.getElementById("info")!;
  private readonly message = document.getElementById("message")!;
  private readonly findings = document.getElementById("findings")!;

  constructor(private readonly app: App) {
    const { doc } = app;
    document.title = `${doc.title} - Cardan`;
    document.getElementById("title")!.textContent = doc.title;
    const notes = document.getElementById("notes")!;
    for (const note of doc.notes) notes.append(paragraph(note));
    if (doc.findings.length) this.list();
  }

  /** A message over the mechanism, highlighted for errors; "" removes it. */
  say(text: string, loud = true): void {
    this.message.classList.toggle("loud", loud);
    if (this.message.textContent === text) return;
    this.message.textContent = text;
    this.message.style.display = text ? "block" : "none";
  }

  /** Text of one clip, such as the eigenvalue of a mode. */
  note(text: string): void {
    const words = [this.app.doc.subtitle, text, this.app.live].filter(Boolean).join("; "), line = document.getElementById("subtitle")!;
    line.textContent = line.title = words;
  }

  /** The numbers of the selection at this time. */
  follow(): void {
    const { app } = this, picked = app.chosen;
    this.info.style.display = picked ? "block" : "none";
    if (!picked) return;
    const body = picked.body >= 0 ? app.doc.bodies[picked.body] : null, element = app.doc.elements[picked.element];
    const lines: [string, string][] = [];
    if (body && picked.body > 0) {
      const listed = !app.astray && app.clip.curves.some((c) => c.name === `${body.name}.x`);
      lines.push(...(listed ? [] : this.place(picked.body)), ...body.facts.map((fact) => fact.split(": ", 2) as [string, string]));
    }
    const names = [body?.name, element?.name].filter((n): n is string => Boolean(n));
    const [k, share] = app.clip.place(app.shownTime);
    const own = app.clip.curves.filter((c) => names.some((n) => c.name === n || c.name.startsWith(`${n}.`)));
    if (!app.astray) for (const c of own.slice(0, MOST)) {
      const here = c.values[k];
      lines.push([c.name, number(share > 0 ? here + share * (c.values[k + 1] - here) : here, c.unit)]);
    }
    const heading = document.createElement("h2");
    heading.textContent = [body?.name, element && `${element.name} (${element.type})`].filter(Boolean).join(", ") || "ground";
    this.info.replaceChildren(heading, table(lines));
  }

  private place(body: number): [string, string][] {
    const { app } = this, at = inWorld(app.rows.table, body, [0, 0, 0]), flat = app.doc.dimensions === 2;
    const lines: [string, string][] = [..."xyz"].slice(0, app.doc.dimensions).map((axis, k) => [axis, quantity(app.doc, at[k], "m")]);
    if (flat) lines.push(["angle", quantity(app.doc, Math.atan2(app.rows.table[12 * body + 4], app.rows.table[12 * body]), "rad")]);
    return lines;
  }

  private list(): void {
    this.findings.style.display = "block";
    this.app.doc.findings.forEach((finding) => {
      const button = document.createElement("button"), title = document.createElement("b");
      title.textContent = finding.title;
      button.append(title, finding.text);
      button.className = finding.kind;
      button.onclick = () => {
        for (const other of this.findings.children) other.classList.toggle("on", other === button);
        if (finding.clip !== null && this.app.clips[finding.clip] !== this.app.clip) this.app.useClip(finding.clip);
        this.app.mark(finding.elements);
        if (finding.clip !== null) this.app.play(true);
      };
      this.findings.append(button);
    });
  }
}

function quantity(doc: Document, value: number, unit: string): string { return shown(doc, value, unit, (x) => number(x, "")); }

export function number(value: number, unit: string): string {
  const size = Math.abs(value), text = size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(3) : value.toPrecision(5);
  return `${text} ${unit}`.trim();
}

function paragraph(text: string): HTMLElement {
  const made = document.createElement("p");
  made.textContent = text;
  return made;
}

function table(lines: [string, string][]): HTMLElement {
  const made = document.createElement("table");
  for (const line of lines) {
    const row = made.insertRow();
    for (const cell of line) row.insertCell().textContent = cell;
  }
  return made;
}
