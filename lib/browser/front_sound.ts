/**
 * An extension of ours that gives the channel the sound of the page in front alone: a page in turn is opened ahead of its
 * time, in a tab behind. Chromium mutes a tab with all its frames, whatever they make sound by, for extensions only:
 * neither DevTools nor a switch can, and the sound server sees one program with streams that have no names. The muted
 * page plays on, so that its sound is there as soon as the tab is in front.
 */
import { join } from "node:path";
import { writeIfChanged } from "../machine/os/files.ts";

/** Its worker, which Chromium starts for an event and ends some 30 s later. */
const WORKER_FILE = "front_sound.js";

/** Whether a target of the browser is the extension's worker. No page has an address of that scheme. */
export function isFrontSoundWorker({ type, url }: { type?: unknown; url?: unknown }): boolean {
  return type === "service_worker" &&
    new RegExp(`^chrome-extension://[a-p]{32}/${WORKER_FILE}$`).test(`${url}`);
}

/** Without permissions: a tab's address stays unknown to it. */
const MANIFEST = {
  manifest_version: 3,
  name: "Sound of the page in front",
  version: "1",
  background: { service_worker: WORKER_FILE },
};

const WORKER = `const settleTab = async (id) => {
  const { active, mutedInfo } = await chrome.tabs.get(id);
  if (mutedInfo.muted === active) await chrome.tabs.update(id, { muted: !active });
};
const settleAll = async () => {
  // a tab may be gone by now
  for (const { id } of await chrome.tabs.query({})) await settleTab(id).catch(() => {});
};
let last = Promise.resolve();
// one after the other: an answer from before a tab came to the front would mute the tab in front
const settle = () => last = last.then(settleAll).catch(() => {});
const { onInstalled, onStartup } = chrome.runtime;
const { onActivated, onCreated, onReplaced } = chrome.tabs;
for (const event of [onInstalled, onStartup, onActivated, onCreated, onReplaced]) event.addListener(settle);
`;

/** The extension's files by name. */
export const FRONT_SOUND: Readonly<Record<string, string>> = {
  "manifest.json": `${JSON.stringify(MANIFEST, null, 2)}\n`,
  [WORKER_FILE]: WORKER,
};

/** Writes the files where they are missing, or others. @throws {Error} when it cannot. */
export async function keepFrontSound(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(FRONT_SOUND)) await writeIfChanged(join(folder, name), text);
}
