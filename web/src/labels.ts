// Words beside points: each takes the first free place around its point, keeps it while it is free, and stays in the picture.

const NEAR = 9, FAR = 22; // pixels from the point to the word
const WAYS: [number, number][] = [[1, -1], [1, 1], [-1, -1], [-1, 1], [0, -1], [0, 1], [1, 0], [-1, 0]];

interface Box { x: number; y: number; wide: number; high: number }

export class Labels {
  private taken: Box[] = [];
  private readonly used = new Map<string, number>(); // the place of each word in the previous frame

  /** Begin a frame. */
  clear(): void { this.taken = []; }

  /** Keep words off a place. */
  block(x: number, y: number, half: number): void { this.taken.push({ x: x - half, y: y - half, wide: 2 * half, high: 2 * half }); }

  /** Write a word beside a point; false if there is no room for it. */
  write(pen: CanvasRenderingContext2D, key: string, text: string, x: number, y: number, color: string, font: string): boolean {
    pen.font = font;
    const wide = pen.measureText(text).width, high = 13, ratio = window.devicePixelRatio || 1;
    const [width, height] = [pen.canvas.width / ratio, pen.canvas.height / ratio];
    if (x < 0 || y < 0 || x > width || y > height) return false;
    const boxes = [NEAR, FAR].flatMap((far) => WAYS.map(([i, j]) => ({ x: x + i * far - (i < 0 ? wide : i === 0 ? wide / 2 : 0), y: y + j * far - (j < 0 ? high : j === 0 ? high / 2 : 0) + (i && j ? -3 * j : 0), wide, high })));
    const free = (box: Box) => box.x >= 2 && box.y >= 2 && box.x + wide <= width - 2 && box.y + high <= height - 2 && !this.taken.some((other) => overlap(box, other));
    const before = this.used.get(key), choice = before !== undefined && free(boxes[before]) ? before : boxes.findIndex(free);
    if (choice < 0) return false;
    this.used.set(key, choice);
    const box = boxes[choice];
    this.taken.push(box);
    pen.textAlign = "left";
    pen.lineWidth = 3;
    pen.strokeStyle = "rgba(255,255,255,0.85)";
    pen.strokeText(text, box.x, box.y + high - 3);
    pen.fillStyle = color;
    pen.fillText(text, box.x, box.y + high - 3);
    return true;
  }

  get boxes(): readonly Box[] { return this.taken; }
}

function overlap(a: Box, b: Box): boolean { return a.x < b.x + b.wide && b.x < a.x + a.wide && a.y < b.y + b.high && b.y < a.y + a.high; }
