import { strict as assert } from "node:assert";
import { restartPreview } from "../../../components/form/restartPreview.ts";
import type { Draft } from "../../../components/form/draft.ts";
import { storedValue } from "../../../components/form/validation.ts";
import { publicStream } from "../../../lib/model/schema.ts";
import { aStream } from "../../support/fixture.ts";

const WITH_LOGIN = { user: "max", pass: "secret" };

const CASES: [what: string, stream: Record<string, unknown>, changes: Draft, preview: RegExp | string][] = [
  ["no change", {}, {}, ""],
  ["a name", {}, { name: "Wall" }, "Nothing restarts."],
  ["a group", {}, { group: "Ops" }, "Nothing restarts."],
  ["the past", {}, { rewind: false }, "Nothing restarts."],
  ["who may look at the past", {}, { rewindFor: "viewers" }, "Nothing restarts."],
  ["a delay", {}, { delay: "20" }, "Nothing restarts."],
  [
    "the encoder's numbers",
    {},
    { bitrate: "3M", audio: false },
    "Saving restarts the encoder: viewers see a gap of some seconds.",
  ],
  ["the same rate written otherwise", { bitrate: "3M" }, { bitrate: "3m" }, "Nothing restarts."],
  [
    "the address",
    {},
    { url: "http://other.example/" },
    "Saving restarts the browser: viewers see the page being opened again.",
  ],
  ["the pace", {}, { fps: "5" }, /^Saving restarts the browser and the encoder: viewers see a gap/],
  ["the page's size", {}, { resolution: "1920x1080" }, /the display, the browser and the encoder/],
  [
    "a first login",
    {},
    { user: "max" },
    /^Saving restarts the browser: .* Signing in on the page is switched on\.$/,
  ],
  [
    "another password",
    WITH_LOGIN,
    { pass: "new" },
    "Viewers notice nothing. Signing in on the page is tried again.",
  ],
  ["a cleared login", WITH_LOGIN, { user: "", pass: "" }, /^Saving restarts the browser: .* switched off\.$/],
  ["a user without the password", WITH_LOGIN, { user: "" }, /tried again\.$/],
  ["the address of a page with login", WITH_LOGIN, { url: "http://o.example" }, /browser: .* tried again\.$/],
  ["reloads", {}, { autoReload: true }, "Viewers notice nothing. Regular reloads begin."],
  ["the pause of reloads that are off", {}, { autoReloadInterval: "5" }, "Nothing restarts."],
  ["the pause of reloads", { autoReload: true }, { autoReloadInterval: "5" }, /begins again\.$/],
  ["anything of a stopped stream", { desiredState: "stopped" }, { fps: "5" }, /stopped: there is nothing/],
];

for (const [what, fields, changes, preview] of CASES) {
  Deno.test(`what saving restarts: ${what}`, () => {
    const said = restartPreview(publicStream(aStream(fields)), changes, storedValue);
    if (typeof preview === "string") assert.equal(said, preview);
    else assert.match(said, preview);
  });
}
