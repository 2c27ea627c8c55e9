// Slider, buttons and keys.

import type { App } from "./app";
import { savePicture } from "./photograph";

export function transport(app: App): void {
  const at = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
  const slider = at<HTMLInputElement>("time"), play = at<HTMLButtonElement>("play"), loop = at<HTMLButtonElement>("loop");
  const speed = at<HTMLSelectElement>("speed"), clock = at<HTMLOutputElement>("clock"), clip = at<HTMLSelectElement>("clip");
  const force = at<HTMLInputElement>("force"), names = at<HTMLButtonElement>("names");

  for (const s of app.speeds) speed.append(new Option(`${s} x`, String(s)));
  app.clips.forEach((c, k) => (k === app.doc.ghost ? null : clip.append(new Option(c.info.name, String(k)))));
  clip.style.display = clip.options.length > 1 ? "" : "none";

  const bend = at<HTMLSelectElement>("bend"), stress = at<HTMLButtonElement>("stress");
  bend.onchange = () => app.deform(Number(bend.value));
  stress.onclick = () => app.showStress(!app.stressed);

  slider.oninput = () => app.settle(app.clip.begin + (Number(slider.value) / 1e4) * app.clip.span);
  play.onclick = () => app.play();
  loop.onclick = () => { app.looping = !app.looping; app.tell(); };
  speed.onchange = () => { app.speed = Number(speed.value); };
  clip.onchange = () => app.useClip(Number(clip.value));
  at("home").onclick = () => app.follow(false);
  at("follow").onclick = () => app.follow(!app.following);
  names.onclick = () => { app.overlay.names = !app.overlay.names; app.change(); app.tell(); };
  at("through").onclick = () => { app.stage.see(!app.stage.seesThrough); app.change(); app.tell(); };
  at("snapshot").onclick = () => savePicture(app);
  const forces = () => app.showForces(Number(force.value) > -1, 10 ** Number(force.value));
  force.oninput = forces;

  const follow = () => {
    slider.value = String(app.clip.span ? Math.round((1e4 * (app.shownTime - app.clip.begin)) / app.clip.span) : 0);
    slider.disabled = play.disabled = app.clip.frames < 2;
    play.classList.toggle("on", app.playing);
    play.title = app.playing ? "pause (space)" : "play (space)";
    loop.setAttribute("aria-pressed", String(app.looping));
    names.setAttribute("aria-pressed", String(app.overlay.names));
    at("follow").setAttribute("aria-pressed", String(app.following));
    at("through").style.display = app.stage.hasShells ? "" : "none";
    at("through").setAttribute("aria-pressed", String(app.stage.seesThrough));
    speed.value = String(app.speed);
    clip.value = String(app.clips.indexOf(app.clip));
    clock.textContent = app.astray ? "by hand" : `t = ${app.shownTime.toFixed(digits(app.clip.span))} s`;
    at("deformation").style.display = app.doc.skins.length ? "" : "none";
    if (bend.dataset.scales !== String(app.scales)) {
      bend.dataset.scales = String(app.scales);
      bend.replaceChildren(...app.scales.map((s) => new Option(s ? `${s} x` : "none", String(s))));
    }
    bend.value = String(app.scale);
    stress.style.display = app.hasStress ? "" : "none";
    stress.setAttribute("aria-pressed", String(app.stressed));
    at("forces").style.display = app.hasForces ? "" : "none";
  };
  app.listeners.push(follow);
  follow();

  window.addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLSelectElement || (event.target instanceof HTMLInputElement && event.target.type !== "checkbox" && event.key.startsWith("Arrow"))) return;
    const keys: Record<string, () => void> = {
      " ": () => app.play(), ArrowRight: () => app.step(event.shiftKey ? 10 : 1), ArrowLeft: () => app.step(event.shiftKey ? -10 : -1),
      Home: () => app.settle(app.clip.begin), End: () => app.settle(app.clip.end), l: () => loop.click(), n: () => names.click(), f: () => at("home").click(), g: () => at("follow").click(), x: () => at("through").click(), p: () => at("snapshot").click(),
      "+": () => faster(1), "-": () => faster(-1), Escape: () => app.choose(null),
    };
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });

  function faster(by: number): void {
    const k = Math.min(Math.max(app.speeds.indexOf(app.speed) + by, 0), app.speeds.length - 1);
    app.speed = app.speeds[k];
    app.tell();
  }
}

/** The number of digits that distinguishes frames. */
function digits(span: number): number { return Math.min(Math.max(Math.ceil(3 - Math.log10(span || 1)), 2), 7); }
