import { strict as assert } from "node:assert";
import { clientFile } from "../../../lib/takeover/client_files.ts";

Deno.test("files of the client are forwarded, folders and everything else are not", () => {
  for (
    const path of ["/vnc.html", "/core/rfb.js", "/app/images/icons/novnc-16x16.png", "/app/locale/de.json"]
  ) {
    assert.equal(clientFile(path), path);
  }
  const refused = [
    "",
    "/",
    "/core",
    "/core/",
    "/utils/launch.sh",
    "/.js",
    "/core/.js",
    "/../rfb.js",
    "/core/rfb.js/",
  ];
  for (const path of [...refused, "/%2e%2e/rfb.js", "/core/rfb.js?x", "/a\\b.js", "/RFB.JS"]) {
    assert.equal(clientFile(path), null, path);
  }
});
