/**
 * An extension of ours that takes WebRTC from all pages, where the kernel does not judge what they send: Chromium has no
 * switch for it. It has no process (docs/decisions/browser-pages.md, "The kernel judges, too"):
 * - Its rules put a header on each answer, by which Chromium's network process opens no socket for WebRTC of that
 *   document, nor of those without an address of their own that come from it: they inherit it, the empty ones that a
 *   frame has while it loads included. The rules do not see a service worker's answers, so they let no service worker be
 *   registered.
 * - Its script takes the names, so that pages that look for WebRTC find none. Chromium runs it in each document that was
 *   loaded before the document's own scripts, but not in the empty ones.
 */
import { join } from "node:path";
import { removeTree, writeIfChanged } from "../machine/os/files.ts";

const MANIFEST = {
  manifest_version: 3,
  name: "Without WebRTC",
  version: "2",
  permissions: ["declarativeNetRequest"],
  host_permissions: ["<all_urls>"],
  declarative_net_request: { rule_resources: [{ id: "headers", enabled: true, path: "rules.json" }] },
  content_scripts: [{
    matches: ["<all_urls>"],
    js: ["script.js"],
    run_at: "document_start",
    // the page's own world; an extension's has other globals
    world: "MAIN",
    all_frames: true,
    // documents without an address of their own: about:, data:, blob:, and frames with srcdoc, sandboxed or not
    match_about_blank: true,
    match_origin_as_fallback: true,
  }],
};

/**
 * By name. Sources: https://wicg.github.io/connection-allowlists/ (of several lists the first counts, so a site's own is
 * replaced), and https://w3c.github.io/ServiceWorker/ ("Service-Worker-Allowed": one of another origin is an error).
 */
const HEADERS = {
  "Connection-Allowlist": '("*://*:*/*"); redirects=allow; webrtc=block',
  "Service-Worker-Allowed": "https://none.invalid/",
};

const RULES = [{
  id: 1,
  action: {
    type: "modifyHeaders",
    responseHeaders: Object.entries(HEADERS).map(([header, value]) => ({ header, operation: "set", value })),
  },
  // without types it would be for all but main frames
  condition: { resourceTypes: ["main_frame", "sub_frame", "object", "script", "xmlhttprequest", "other"] },
}];

const SCRIPT = `for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete self[name];\n`;

/** The extension's files by name. */
export const WITHOUT_WEBRTC: Readonly<Record<string, string>> = {
  "manifest.json": `${JSON.stringify(MANIFEST, null, 2)}\n`,
  "rules.json": `${JSON.stringify(RULES, null, 2)}\n`,
  "script.js": SCRIPT,
};

/** Writes the files where they are missing, or others. @returns whether any was. @throws {Error} when it cannot. */
export async function keepWithoutWebRtc(folder: string): Promise<boolean> {
  await Deno.mkdir(folder, { recursive: true });
  let isUndone = false;
  for (const [name, text] of Object.entries(WITHOUT_WEBRTC)) {
    isUndone = await writeIfChanged(join(folder, name), text) || isUndone;
  }
  return isUndone;
}

/** Removes the service workers that a profile has from a browser with WebRTC, before a browser without it starts. */
export async function forgetServiceWorkers(profile: string): Promise<void> {
  await removeTree(join(profile, "Default", "Service Worker", "Database"));
}
