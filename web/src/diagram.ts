// Vectors on paper: straight arrows, round ones, lines and names in an SVG, fitted to its size, without overlapping names.

export interface Vector { from: number[]; to: number[]; color: string; label: string; at: "tip" | "tail" | "middle"; dashed?: boolean; double?: boolean }
export interface Turn { at: number[]; value: number; color: string; label: string }
export interface Drawing { lines: { points: number[][]; color: string; fill: string; width: number }[]; vectors: Vector[]; turns: Turn[]; dots: { at: number[]; label: string }[] }

const SPACE = "http://www.w3.org/2000/svg";
const SIDE = 78, ABOVE = 26; // pixels around for names
const RADIUS = 15, HEAD = 8, LETTER = 6.2, LINE = 13, ASIDE = 6;

type Place = [number, number];
interface Box { x: number; y: number; w: number; h: number }

/** Draws in coordinates with y upward; the scale is the same along both axes. */
export function drawDiagram(svg: SVGSVGElement, drawing: Drawing): void {
  const width = svg.clientWidth || 400, height = svg.clientHeight || 230, at = fitted(drawing, width, height), boxes: Box[] = [];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren();
  for (const line of drawing.lines) add(svg, "path", { d: `M${line.points.map((p) => at(p).map(short).join(" ")).join("L")}${line.fill === "none" ? "" : "Z"}`, fill: line.fill, stroke: line.color, "stroke-width": String(line.width), "stroke-linecap": "round", "stroke-linejoin": "round" });
  const names: [string, Place, Place, string][] = [], arrows: [Place, Place][] = [];
  for (const vector of drawing.vectors) {
    const [from, to] = beside(at(vector.from), at(vector.to), arrows), way = unit(from, to);
    arrow(svg, from, to, vector);
    arrows.push([from, to]);
    boxes.push(...along(from, to));
    const place = { tip: to, tail: from, middle: [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])] as Place }[vector.at];
    const away: Place = vector.at === "tip" ? way : vector.at === "tail" ? [-way[0], -way[1]] : [-way[1], way[0]];
    if (vector.label) names.push([vector.label, place, away, vector.color]);
  }
  for (const turn of drawing.turns) {
    round(svg, at(turn.at), turn.value, turn.color);
    names.push([turn.label, [at(turn.at)[0], at(turn.at)[1] - RADIUS], [0, -1], turn.color]);
  }
  for (const dot of drawing.dots) {
    const [cx, cy] = at(dot.at);
    add(svg, "circle", { cx: short(cx), cy: short(cy), r: "3", fill: "#2b2f36" });
    boxes.push({ x: cx - 4, y: cy - 4, w: 8, h: 8 });
    if (dot.label) names.push([dot.label, [cx, cy], outward([cx, cy], drawing.dots.map((d) => at(d.at))), "#2b2f36"]);
  }
  for (const [text, place, away, color] of names) write(svg, text, place, away, color, boxes, width, height);
}

/** Fit everything into the picture, to scale. */
function fitted(drawing: Drawing, width: number, height: number): (p: number[]) => Place {
  const all = [...drawing.lines.flatMap((l) => l.points), ...drawing.vectors.flatMap((v) => [v.from, v.to]), ...drawing.turns.map((t) => t.at), ...drawing.dots.map((d) => d.at)];
  const low = [0, 1].map((k) => Math.min(...all.map((p) => p[k]))), high = [0, 1].map((k) => Math.max(...all.map((p) => p[k])));
  const scale = Math.min((width - 2 * SIDE) / (high[0] - low[0] || 1e-300), (height - 2 * ABOVE) / (high[1] - low[1] || 1e-300), 1e290);
  const middle = [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])];
  return (p) => [0.5 * width + scale * (p[0] - middle[0]), 0.5 * height - scale * (p[1] - middle[1])];
}

function arrow(svg: SVGSVGElement, from: Place, to: Place, { color, dashed, double }: Vector): void {
  const way = unit(from, to), size = Math.hypot(to[0] - from[0], to[1] - from[1]), head = Math.min(HEAD, 0.6 * size);
  if (size < 0.5) return;
  const neck: Place = [to[0] - head * way[0], to[1] - head * way[1]];
  add(svg, "path", { d: `M${from.map(short).join(" ")}L${neck.map(short).join(" ")}`, stroke: color, "stroke-width": "2", fill: "none", ...(dashed ? { "stroke-dasharray": "6 4" } : {}) });
  point(svg, to, way, head, color);
  if (double) point(svg, neck, way, head, color);
}

function point(svg: SVGSVGElement, tip: Place, way: Place, head: number, color: string): void {
  const base = [tip[0] - head * way[0], tip[1] - head * way[1]], half = 0.42 * head;
  const corners = [tip, [base[0] - half * way[1], base[1] + half * way[0]], [base[0] + half * way[1], base[1] - half * way[0]]];
  add(svg, "path", { d: `M${corners.map((p) => p.map(short).join(" ")).join("L")}Z`, fill: color });
}

/** Three quarters of a circle, left about where the torque is positive. */
function round(svg: SVGSVGElement, [x, y]: Place, value: number, color: string): void {
  const sign = value > 0 ? 1 : -1, angles = Array.from({ length: 25 }, (_, k) => sign * (-0.6 + (4.4 * k) / 24));
  const line = angles.map((a) => [x + RADIUS * Math.cos(a), y - RADIUS * Math.sin(a)]), last = angles[24];
  add(svg, "path", { d: `M${line.map((p) => p.map(short).join(" ")).join("L")}`, stroke: color, "stroke-width": "2", fill: "none" });
  const way: Place = [-sign * Math.sin(last), -sign * Math.cos(last)];
  point(svg, [line[24][0] + 6 * way[0], line[24][1] + 6 * way[1]], way, HEAD, color);
}

/** An arrow that would cover others, moved aside. */
function beside(from: Place, to: Place, others: [Place, Place][]): [Place, Place] {
  const way = unit(from, to), near = (p: Place, q: Place) => Math.hypot(p[0] - q[0], p[1] - q[1]) < 4;
  const same = others.filter(([a, b]) => (near(a, from) || near(b, to)) && Math.abs(way[0] * unit(a, b)[0] + way[1] * unit(a, b)[1]) > 0.99 && (near(a, from) ? 1 : -1) * (way[0] * unit(a, b)[0] + way[1] * unit(a, b)[1]) > 0);
  const by = ASIDE * same.length;
  return [[from[0] - by * way[1], from[1] + by * way[0]], [to[0] - by * way[1], to[1] + by * way[0]]];
}

/** Small boxes along an arrow, which names must not cover. */
function along(from: Place, to: Place): Box[] {
  const size = Math.hypot(to[0] - from[0], to[1] - from[1]), count = Math.floor(size / 6);
  return Array.from({ length: count }, (_, k) => ({ x: from[0] + ((to[0] - from[0]) * k) / count - 2, y: from[1] + ((to[1] - from[1]) * k) / count - 2, w: 4, h: 4 }));
}

/** A name near its place, where it covers least; a thin line leads to distant names. */
function write(svg: SVGSVGElement, text: string, place: Place, away: Place, color: string, boxes: Box[], width: number, height: number): void {
  const w = LETTER * text.length, middle: Place = [place[0] + away[0] * (0.5 * w + 5), place[1] + away[1] * 12];
  const ring = [0, 1, 2, 3, 4].flatMap((far) => (far ? Array.from({ length: 12 }, (_, k) => [far * 0.9 * LINE * Math.cos(k * 0.5236) * 1.5, far * 0.9 * LINE * Math.sin(k * 0.5236)]) : [[0, 0]]));
  let best: Box | null = null, least = Infinity;
  for (const [dx, dy] of ring) {
    const x = Math.min(Math.max(middle[0] + dx - 0.5 * w, 2), width - w - 2), y = Math.min(Math.max(middle[1] + dy - 0.5 * LINE, 1), height - LINE - 1);
    const covered = boxes.reduce((sum, b) => sum + Math.max(0, Math.min(x + w, b.x + b.w) - Math.max(x, b.x)) * Math.max(0, Math.min(y + LINE - 1, b.y + b.h) - Math.max(y + 1, b.y)), 0);
    if (covered < least) [best, least] = [{ x, y, w, h: LINE }, covered];
    if (!covered) break;
  }
  boxes.push(best!);
  const near: Place = [Math.min(Math.max(place[0], best!.x), best!.x + w), Math.min(Math.max(place[1], best!.y), best!.y + LINE)];
  if (Math.hypot(near[0] - place[0], near[1] - place[1]) > 18) add(svg, "path", { d: `M${place.map(short).join(" ")}L${near.map(short).join(" ")}`, stroke: color, "stroke-width": "0.7", fill: "none" });
  const made = add(svg, "text", { x: short(best!.x + 0.5 * w), y: short(best!.y + LINE - 3), fill: color, "text-anchor": "middle" });
  made.textContent = text;
}

/** Away from the middle of some places. */
function outward(place: Place, places: Place[]): Place {
  const middle = [0, 1].map((k) => places.reduce((sum, p) => sum + p[k], 0) / places.length) as Place, way = unit(middle, place);
  return Math.hypot(...way) > 0.5 ? way : [0.7, -0.7];
}

function unit(from: Place, to: Place): Place {
  const size = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  return [(to[0] - from[0]) / size, (to[1] - from[1]) / size];
}

function add(svg: SVGSVGElement, kind: string, attributes: Record<string, string>): SVGElement {
  const made = document.createElementNS(SPACE, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return svg.appendChild(made);
}

function short(x: number): string { return x.toFixed(1); }
