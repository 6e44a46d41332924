/** What a tried page gets of the stream that is edited. */
import { strict as assert } from "node:assert";
import { storedStream, type Stream } from "../../../../lib/model/schema.ts";
import { storedSettings } from "../../../../lib/model/answers/trial_body.ts";

const STORED = storedStream.parse({
  id: "lobby",
  name: "Lobby",
  url: "https://example.org/",
  loginOrigins: "https://sso.example.org",
  extraHeaders: "X-Key: 1",
  extraCookies: "a=1",
  js: "old()",
  pass: "secret",
  css: "a {}",
}) as Stream;

const SECRETS = { extraHeaders: "X-Key: 1", extraCookies: "a=1" };
const LOGIN = { loginOrigins: "https://sso.example.org" };

for (
  const [what, given, url, expected, leftOut] of [
    ["the same page", {}, "https://example.org/", SECRETS, 0],
    ["another page of its site", {}, "https://example.org/x", SECRETS, 0],
    ["its own script", { js: "old()" }, "https://example.org/", SECRETS, 0],
    ["a new script", { js: "steal()" }, "https://example.org/", {}, 2],
    ["another site", {}, "https://example.net/", {}, 2],
    ["a site of its login, which gets no cookies", {}, "https://sso.example.org/", {
      extraHeaders: "X-Key: 1",
    }, 1],
    ["others given", { extraHeaders: "X-Key: 2" }, "https://example.net/", {}, 1],
    ["one cleared", { extraCookies: "" }, "https://example.org/", { extraHeaders: "X-Key: 1" }, 0],
  ] as const
) {
  Deno.test(`stored secrets of an edited stream, tried with ${what}`, () => {
    const result = storedSettings(STORED, given, url);
    assert.deepEqual(result.settings, { ...LOGIN, ...expected });
    assert.equal(result.leftOut.length, leftOut);
  });
}
