// Entry point: unpack the document, start the app, and expose a small interface to scripts.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { App } from "./app";
import { fromText, unpack } from "./document";
import { hand } from "./hand";
import { instantAt } from "./lecture";
import { Line } from "./line";
import { inWorld } from "./motion";
import { photograph } from "./photograph";
import { solverOf } from "./solver";
import { transport } from "./transport";

declare global { interface Window { cardan?: object } }

async function begin(): Promise<void> {
  const packed = document.getElementById("document")!.textContent!.trim();
  const loaded = await unpack(fromText(packed));
  const app = new App(loaded);
  const address = document.documentElement.dataset.live;
  const line = address ? new Line(app, address) : null;
  const solver = line ? null : await solverOf(app).catch((error: Error) => (app.panel.say(`nothing can be solved in this page: ${error.message}`), null));
  transport(app);
  hand(app, line ?? solver);
  window.cardan = Object.assign(face(app, line), { solver });
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("picture")) photograph(app, asked);
  document.documentElement.dataset.ready = "yes";
  if (!address && app.clip.frames > 1 && !/[#&]still/.test(location.hash)) app.play(true);
}

/** The interface of a page for scripts and tests. */
function face(app: App, line: Line | null): object {
  const body = (name: string) => app.doc.bodies.findIndex((b) => b.name === name);
  const curve = (name: string) => app.clip.curves.find((c) => c.name === name);
  return {
    get document() { return app.doc; },
    get time() { return app.shownTime; },
    get playing() { return app.playing; },
    get frames() { return app.clip.frames; },
    get first() { return app.first; },
    get drawn() { return app.drawn; },
    get chosen() { return app.chosen; },
    get message() { return document.getElementById("message")!.textContent; },
    get software() { return app.stage.software; },
    get still() { return app.stage.isFine; },
    get line() { return line && { open: line.open, answers: line.answers, slowest: line.slowest, last: line.lastMs }; },
    get curves() { return app.clip.curves.map((c) => c.name); },
    get cut() { return app.picture.cut; },
    get picture() { return app.picture.kind; },
    get lecture() { return app.clip.info.lecture && instantAt(app, app.clip.info.lecture); },
    get shown() { return app.plots.shown; },
    get labels() { return app.overlay.labels.boxes; },
    get deformation() { return { scale: app.scale, scales: app.scales, stress: app.stressed }; },
    deform: (scale: number) => app.deform(scale),
    stress: (on: boolean) => app.showStress(on),
    skin: (name: string, point: number) => {
      const found = app.rows.skins.find((s) => s.info.body === body(name))!;
      return inWorld(app.rows.table, body(name), found.place(point));
    },
    see: (through: boolean) => { app.stage.see(through); app.change(); app.tell(); },
    seek: (time: number) => app.settle(time),
    play: (on: boolean) => app.play(on),
    show: (names: string[]) => app.plots.choose(names),
    stored: (name: string, frame: number) => Array.from(app.clip.stored(body(name), frame)),
    place: (name: string, point: number[]) => inWorld(app.rows.table, body(name), point),
    values: (name: string) => Array.from(curve(name)!.values),
    pixels: (name: string, point: number[]) => {
      const box = app.stage.canvas.getBoundingClientRect(), [x, y] = app.stage.project(inWorld(app.rows.table, body(name), point));
      return [box.left + x, box.top + y];
    },
    screen: (place: number[]) => {
      const box = app.stage.canvas.getBoundingClientRect(), [x, y] = app.stage.project(place);
      return [box.left + x, box.top + y];
    },
    pivotPixels: (k: number) => {
      const box = app.stage.canvas.getBoundingClientRect(), [x, y] = app.stage.project(app.rows.end(app.doc.pivots[k].at));
      return [box.left + x, box.top + y];
    },
  };
}

begin().catch((error: Error) => {
  document.getElementById("trouble")!.textContent = `This page could not be shown: ${error.message}`;
  document.getElementById("trouble")!.style.display = "block";
  throw error;
});
