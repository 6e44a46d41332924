/**
 * Chromium's policies about extensions. With "*" in a blocklist no unpacked extension is loaded at all, whatever an
 * allowlist says (tried with Chromium 156), so where the operator has some, that is said in another way.
 */
import { join } from "node:path";
import { readOrNull } from "../os/files.ts";

const WEB_STORE = ["chromewebstore.google.com", "chrome.google.com/webstore"];

/** Where the Web Store's extensions are updated from, which is what they are known by. */
const WEB_STORE_UPDATES = "update_url:https://clients2.google.com/service/update2/crx";

/** The policies where the operator has extensions: nobody in a browser can add one all the same. */
export function withOwnExtensions(policies: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { ExtensionInstallBlocklist: _, ...others } = policies;
  return {
    ...others,
    URLBlocklist: [...others.URLBlocklist as string[], ...WEB_STORE],
    ExtensionInstallSources: [],
    BlockExternalExtensions: true,
    ExtensionSettings: { [WEB_STORE_UPDATES]: { installation_mode: "blocked" } },
  };
}

/** Why Chromium loads no unpacked extension, by the policies in a folder; null if it does. */
export async function unpackedProblem(folder: string): Promise<string | null> {
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name).catch(() => []);
  for (const name of names.filter((name) => name.endsWith(".json")).sort()) {
    const text = await readOrNull(join(folder, name)).catch(() => null);
    if (text !== null && blocksAll(text)) return `the policies in ${join(folder, name)} block all of them`;
  }
  return null;
}

function blocksAll(text: string): boolean {
  try {
    const { ExtensionInstallBlocklist: list, ExtensionSettings: settings } = Object(JSON.parse(text));
    const mode = Object(Object(settings)["*"]).installation_mode;
    return Array.isArray(list) && list.includes("*") || mode === "blocked" || mode === "removed";
  } catch {
    return false;
  }
}
