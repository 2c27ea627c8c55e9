// Builds the page: TypeScript and its libraries into one script, packed, beside the styles and the frame of the page.
// The hash of the sources is stamped into it, which lets a test check that the shipped page was built from them.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const OUT = "../src/cardan/view/web/built/";

/** The hash of the sources of a page; the studio is built from its own folder. */
function stampOf(folder) {
  const hash = createHash("sha256");
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.isFile()).map((file) => `${folder}/${file.name}`);
  for (const name of ["package-lock.json", ...files.sort()]) {
    hash.update(`${name}\n`);
    hash.update(readFileSync(name));
  }
  return hash.digest("hex");
}
const stamp = stampOf("src");

/** three.js without the shaders of materials that no page uses, which its renderer would hold. */
const USED = ["colorspace_fragment", "colorspace_pars_fragment"];
const shaders = {
  name: "shaders",
  setup(builder) {
    builder.onLoad({ filter: /three\.module\.js$/ }, ({ path }) => {
      let left = 0;
      const contents = readFileSync(path, "utf8").replace(/^((?:var|const) ([\w$]+) = )"(?:[^"\\]|\\.)*";$/gm, (whole, start, name) => {
        const kept = USED.includes(name) || !/#include|void main|gl_|uniform|vec[234]|#if/.test(whole);
        left += Number(!kept);
        return kept ? whole : `${start}"";`;
      });
      if (left < 100) throw new Error(`three.js is built in another way: ${left} shaders found`);
      return { contents, loader: "js" };
    });
  },
};
/** Shaders are indented in the sources. */
const indents = {
  name: "indents",
  setup(builder) {
    builder.onLoad({ filter: /src\/(shader|stage|floor)\.ts$/ }, ({ path }) => ({ contents: readFileSync(path, "utf8").replace(/\n +/g, "\n"), loader: "ts" }));
  },
};

const made = await build({
  entryPoints: ["src/main.ts"],
  plugins: [shaders, indents],
  bundle: true,
  minify: true,
  write: false,
  outdir: "out",
  format: "iife",
  target: ["chrome94", "firefox113", "safari16.4"],
  legalComments: "none",
  banner: { js: `/* cardan view ${stamp}; with three.js (MIT), uPlot (MIT) */` },
});
const part = (ending) => made.outputFiles.find((file) => file.path.endsWith(ending)).contents;
const packed = gzipSync(part(".js"), { level: 9 });
packed[9] = 255; // the same bytes on every system
writeFileSync(`${OUT}runtime.js.gz`, packed);
writeFileSync(`${OUT}style.css`, part(".css"));
writeFileSync(`${OUT}page.html`, readFileSync("src/page.html"));
const licences = ["three", "uplot"].map((name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`);
writeFileSync(`${OUT}LICENSES.txt`, licences.join("\n"));
console.log(`runtime ${(part(".js").length / 1e3).toFixed(0)} kB, packed ${(packed.length / 1e3).toFixed(0)} kB, sources ${stamp.slice(0, 12)}`);

const drawn = await build({
  entryPoints: ["src/studio/main.ts"],
  bundle: true,
  minify: true,
  write: false,
  outdir: "out",
  format: "iife",
  target: ["chrome99", "firefox113", "safari16.4"],
  legalComments: "none",
  banner: { js: `/* cardan studio ${stampOf("src/studio")}; with uPlot (MIT) */` },
});
const piece = (ending) => drawn.outputFiles.find((file) => file.path.endsWith(ending)).contents;
const script = gzipSync(piece(".js"), { level: 9 });
script[9] = 255;
writeFileSync(`${OUT}studio.js.gz`, script);
writeFileSync(`${OUT}studio.css`, piece(".css"));
writeFileSync(`${OUT}studio.html`, readFileSync("src/studio/studio.html"));
console.log(`studio ${(piece(".js").length / 1e3).toFixed(0)} kB, packed ${(script.length / 1e3).toFixed(0)} kB`);
