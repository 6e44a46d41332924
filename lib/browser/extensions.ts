/** The operator's own browser extensions, unpacked: a folder each. A browser's command line has only checked names. */
import { join } from "node:path";
import { isExtensionName } from "../model/extensions.ts";
import { holdPath } from "../machine/os/held_path.ts";
import { openRegular, shortText } from "../machine/os/regular_file.ts";
import { errorText } from "../machine/tools/log.ts";
import type { Extension } from "../model/answers/shapes.ts";

/** Bytes of a manifest. */
const MAX_MANIFEST_BYTES = 256 * 1024;

export interface Extensions {
  extensions: Extension[];
  /** The left-out extensions, and the reasons; for people. */
  problems: string[];
}

/** The data of a manifest's text. @throws {Error} when Chromium would not take it. */
export function parseManifest(text: string, folder: string): Omit<Extension, "name"> {
  const { manifest_version: kind, name, version } = Object(JSON.parse(text));
  if (kind !== 3) throw new Error("its manifest_version is not 3, the only one that Chromium accepts");
  if (typeof name !== "string" || typeof version !== "string") throw new Error("it has no name and version");
  const plain = (value: string) => value.replace(/[\s\p{Cc}]+/gu, " ").trim().slice(0, 100);
  // a translated name stands in another file
  return { title: /^__MSG_/.test(name) ? folder : plain(name) || folder, version: plain(version) };
}

/** Reads the extensions of a folder; a missing folder has no extensions. */
export async function readExtensions(dir: string): Promise<Extensions> {
  const extensions: Extension[] = [];
  const problems: string[] = [];
  let folders: string[] = [];
  try {
    const entries = await Array.fromAsync(Deno.readDir(dir));
    folders = entries.filter(({ isFile }) => !isFile).map(({ name }) => name).sort();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) problems.push(`${dir}: ${errorText(error)}`);
  }
  for (const name of folders) {
    try {
      if (!isExtensionName(name)) throw new Error("its name may have letters, digits, - and _ only");
      extensions.push({ name, ...parseManifest(readManifest(join(dir, name)), name) });
    } catch (error) {
      problems.push(`${join(dir, name)}: ${errorText(error)}`);
    }
  }
  return { extensions, problems };
}

function readManifest(path: string): string {
  using folder = holdPath(path);
  if (!folder?.info.isDirectory) throw new Error("it is not a folder");
  using file = openRegular(join(folder.path, "manifest.json"));
  if (!file) throw new Error("it has no manifest.json");
  const text = shortText(file, MAX_MANIFEST_BYTES);
  if (text === null) throw new Error("its manifest.json is too long");
  return text;
}

/**
 * The flag that gives a browser these extensions; without extensions there is no flag. A folder with a comma in its path
 * cannot be given, and is left out: Chromium would take it for two. @param others folders of ours.
 */
export function extensionFlags(
  dir: string,
  names: readonly string[],
  others: readonly string[] = [],
): string[] {
  const folders = [...others, ...names.filter(isExtensionName).map((name) => join(dir, name))]
    .filter((folder) => !folder.includes(","));
  return folders.length === 0 ? [] : [`--load-extension=${folders}`];
}
