/** The text of /licenses.txt: our licence, and the licences of the packages whose code is shipped. */
import { join } from "node:path";

const root = join(import.meta.dirname!, "..");

/** A test compares these packages with the product's imports. */
export const SHIPPED_PACKAGES = [
  ...["preact", "@preact/signals", "@preact/signals-core", "preact-render-to-string", "devalue"],
  ...["zod", "hls.js", "mpegts.js", "sortablejs", "lean-qr", "nodemailer"],
  ...["@nats-io/transport-node", "@nats-io/nats-core", "@nats-io/jetstream", "@nats-io/kv"],
  ...["@nats-io/nkeys", "@nats-io/nuid", "tweetnacl"],
];

/** Packages in compiled code: AssemblyScript's output contains its runtime. */
const COMPILED_IN = ["assemblyscript"];

const RUNTIME =
  `The executable holds the runtime Deno, Copyright 2018-2026 the Deno authors, under the MIT license below,
with V8 (BSD-3-Clause, Copyright the V8 project authors) and the crates that https://github.com/denoland/deno names.
The image holds packages of Debian, each with its licence in /usr/share/doc.`;

/** The folder of a package, which may be a dependency of another package. @throws {Error} when it is not there. */
async function folderOf(name: string): Promise<string> {
  const own = join(root, "node_modules", name);
  if (await Deno.stat(own).catch(() => null)) return own;
  const start = `${name.replace("/", "+")}@`;
  const store = join(root, "node_modules/.deno");
  const found = [...Deno.readDirSync(store)].find((entry) => entry.name.startsWith(start));
  if (!found) throw new Error(`${name} is not in node_modules: deno task setup`);
  return join(store, found.name, "node_modules", name);
}

/** The whole text. @throws {Error} when a package has no licence. */
export async function licenses(): Promise<string> {
  const parts = [await Deno.readTextFile(join(root, "LICENSE")), RUNTIME];
  // one text for all packages that have the same
  const names = new Map<string, string[]>();
  for (const name of [...SHIPPED_PACKAGES, ...COMPILED_IN]) {
    const folder = await folderOf(name);
    const { version, license } = JSON.parse(await Deno.readTextFile(join(folder, "package.json")));
    const text = await Deno.readTextFile(join(folder, "LICENSE"));
    names.set(text, [...names.get(text) ?? [], `${name} ${version} (${license})`]);
  }
  for (const [text, packages] of names) parts.push(`${packages.join("\n")}\n\n${text}`);
  const line = `\n\n${"-".repeat(80)}\n\n`;
  return parts.map((part) => part.trim()).join(line) + "\n";
}
