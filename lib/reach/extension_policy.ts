/**
 * Chromium's policies about extensions. With "*" in a blocklist no unpacked extension is loaded at all, whatever an
 * allowlist says (tried with Chromium 156), and there are ours and the operator's own. Other policies have the same
 * effect: no person in a browser can add an extension.
 */
import { join } from "node:path";
import { namesIn, readOrNull } from "../machine/os/files.ts";

export const WEB_STORE: readonly string[] = ["chromewebstore.google.com", "chrome.google.com/webstore"];

/** The update address of the Web Store's extensions, by which policies know them. */
const WEB_STORE_UPDATES = "update_url:https://clients2.google.com/service/update2/crx";

export const EXTENSION_POLICIES: Readonly<Record<string, unknown>> = {
  ExtensionInstallSources: [],
  BlockExternalExtensions: true,
  ExtensionSettings: { [WEB_STORE_UPDATES]: { installation_mode: "blocked" } },
};

/** The reason in a folder's policies why Chromium loads no unpacked extension; null: Chromium loads them. */
export async function unpackedProblem(folder: string): Promise<string | null> {
  const names = await namesIn(folder);
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
