// node solve.mjs MODULE QUESTIONS: runs the program of a page; answers with what is in its memory, as JSON.

import fs from "node:fs";

const [file, asked] = process.argv.slice(2), { info, questions } = JSON.parse(fs.readFileSync(asked));
const module = await WebAssembly.compile(fs.readFileSync(file));
const other = { fmod: (a, b) => a % b, fabs: Math.abs };
const env = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, other[name] ?? Math[name]]));
const { exports: kernels } = await WebAssembly.instantiate(module, { env });
const numbers = (at, count) => new Float64Array(kernels.memory.buffer, at, count);
const whole = (at) => new Int32Array(kernels.memory.buffer, at, 2);

/** Repeat the analysis; with `slices`, a simulation goes on by as many steps at a time and is read between them. */
function solve(slices) {
  const { desks, control } = info;
  if (desks.solve) return kernels.solve(desks.solve);
  let status = kernels.begin(desks.begin);
  whole(control.budget).set([slices ?? 1e9, 0]);
  while (status === 3) {
    status = kernels.advance(desks.advance);
    if (slices) kernels.read(desks.read);
  }
  return status === 0 ? kernels.read(desks.read) : status;
}

const answers = questions.map((question) => {
  if (question.values) {
    numbers(info.values, question.values.length).set(question.values);
    const status = solve(question.slices), count = whole(info.control.reached)[0];
    return {
      status, reached: count, q: [...numbers(info.q[0], count * info.q[1])],
      curves: Object.fromEntries(info.curves.flatMap(([names, at, wide]) =>
        names.map((name, k) => [name, Array.from({ length: count }, (_, i) => numbers(at + 8 * (i * wide + k), 1)[0])]))),
    };
  }
  numbers(...info.handQ).set(numbers(info.q[0] + 8 * question.frame * info.q[1], info.handQ[1]));
  info.winding.forEach((measure, k) => (numbers(info.handTurns + 8 * measure, 1)[0] = numbers(info.turns[0] + 8 * (question.frame * info.turns[1] + k), 1)[0]));
  numbers(info.point, question.point.length).set(question.point);
  numbers(info.target, question.target.length).set(question.target);
  whole(info.held.body).set([question.body, 0]);
  const status = kernels.drag(info.hand);
  return { status, q: [...numbers(...info.handQ)] };
});
process.stdout.write(JSON.stringify(answers));
