// Pictures of the stage: saved by a button, or drawn for Python in a page without a window (`picture.py`).

import type { App } from "./app";

/** The stage as one picture: grid, mechanism and words over each other, on white. */
export function stagePicture(app: App): HTMLCanvasElement {
  app.drawNow();
  const layers = ["under", "glass", "over"].map((id) => document.getElementById(id) as HTMLCanvasElement), made = document.createElement("canvas");
  [made.width, made.height] = [layers[1].width, layers[1].height];
  const pen = made.getContext("2d")!;
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, made.width, made.height);
  for (const layer of layers) if (layer.style.display !== "none") pen.drawImage(layer, 0, 0, made.width, made.height);
  return made;
}

/** Save the stage as a PNG file. */
export function savePicture(app: App): void {
  stagePicture(app).toBlob((blob) => {
    if (!blob) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${app.doc.title || "mechanism"}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1e4);
  }, "image/png");
}

/** Draw the stage alone, as asked, and put the picture into the page. */
export function photograph(app: App, asked: URLSearchParams): void {
  const number = (name: string) => (asked.has(name) ? Number(asked.get(name)) : null);
  document.body.classList.add("photographed");
  app.stage.eye = { azim: number("azim") ?? app.stage.eye.azim, elev: number("elev") ?? app.stage.eye.elev };
  const view = document.getElementById("view")!;
  [view.style.width, view.style.height] = [`${number("wide") ?? 800}px`, `${number("high") ?? 500}px`];
  if (asked.has("names")) app.overlay.names = asked.get("names") === "1";
  app.showForces(asked.get("forces") === "1", 1);
  app.scale = number("deformation") ?? 1;
  app.stressed = asked.get("stress") !== "0";
  app.stage.see(asked.get("through") === "1");
  app.settle(number("time") ?? app.clip.begin);
  app.resize();
  app.drawNow(); // the camera follows what moves
  app.fit();
  const image = new Image();
  image.id = "photograph";
  image.src = stagePicture(app).toDataURL("image/png");
  document.body.append(image);
}
