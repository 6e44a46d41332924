/**
 * An extension of ours that takes WebRTC from all pages, where the kernel does not judge what they send: Chromium has no
 * switch for it. It has no process, only this script, which Chromium runs in each document before the document's own
 * scripts (docs/decisions/browser-pages.md, "The kernel judges, too").
 */

const MANIFEST = {
  manifest_version: 3,
  name: "Without WebRTC",
  version: "1",
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

const SCRIPT = `for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete self[name];\n`;

/** The extension's files by name. */
export const WITHOUT_WEBRTC: Readonly<Record<string, string>> = {
  "manifest.json": `${JSON.stringify(MANIFEST, null, 2)}\n`,
  "script.js": SCRIPT,
};
