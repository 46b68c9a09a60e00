// Bundles src/ into build/, with what the licences of the bundled packages ask for beside it.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const sources = readdirSync("src").sort().map((name) => `src/${name}`);
const hash = createHash("sha256");
for (const name of [...sources, "package.json", "package-lock.json"]) hash.update(readFileSync(name));

const { metafile } = await build({
  entryPoints: ["src/editor.js"],
  outfile: "build/editor.js",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2020",
  legalComments: "inline",
  metafile: true,
  // A test compares this with the sources, so that a stale bundle is noticed without Node.
  banner: { js: `/* workbench yaml editor, sources ${hash.digest("hex")}; licences in LICENSES.txt */` },
});

const packages = new Set();
for (const [input, { bytesInOutput }] of Object.entries(Object.values(metafile.outputs)[0].inputs)) {
  const found = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
  if (found && bytesInOutput > 0) packages.add(found[1]);
}
const licences = [...packages].sort().map((name) => {
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  return `${name} ${version} (${license})\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`;
});
writeFileSync("build/LICENSES.txt", licences.join("\n----\n\n"));
