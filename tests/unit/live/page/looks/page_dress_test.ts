import { strict as assert } from "node:assert";
import {
  continued,
  dress,
  isDressed,
  type PageSettings,
} from "../../../../../lib/live/page/looks/page_dress.ts";
import type { DevTools } from "../../../../../lib/browser/client.ts";

const NONE: PageSettings = {
  url: "https://wall.example.org/a",
  loginOrigins: "https://sso.example.org",
  css: "",
  js: "",
  hideBanners: false,
  hideSelectors: "",
  userAgent: "",
  language: "",
  colorScheme: "auto",
  extraHeaders: "",
  extraCookies: "",
};

const request = (url: string, headers: Record<string, string> = { accept: "*/*" }) => ({
  requestId: "1",
  request: { url, headers },
});

Deno.test("extra headers go to the page's own site and those of its login, and to no other, over redirects too", () => {
  const settings = { ...NONE, extraHeaders: "X-Key: k\nAccept: text/html" };
  const sent = (url: string, headers?: Record<string, string>) => continued(request(url, headers), settings);
  const own = [{ name: "X-Key", value: "k" }, { name: "Accept", value: "text/html" }];
  assert.deepEqual(sent("https://wall.example.org/b?c").headers, own, "instead of the browser's");
  assert.deepEqual(sent("https://sso.example.org/login").headers, own);
  for (
    const url of [
      "https://cdn.example.org/x",
      "http://wall.example.org/a",
      "https://wall.example.org:8443/",
      "data:,",
    ]
  ) {
    assert.equal(JSON.stringify(sent(url)).includes("X-Key"), false, url);
  }
  const redirected = sent("https://cdn.example.org/x", {
    "x-key": "k",
    referer: "https://wall.example.org/",
  });
  assert.deepEqual(redirected.headers, [{ name: "referer", value: "https://wall.example.org/" }]);
});

/** What a page is told. */
async function toldTo(settings: PageSettings, refuse = "") {
  const sent: string[] = [];
  const problems: string[] = [];
  const page = {
    send: (method: string, params: Record<string, unknown>) => {
      if (method === refuse) return Promise.reject(new Error("not known"));
      sent.push(`${method} ${JSON.stringify(params ?? {})}`);
      return Promise.resolve({});
    },
    listen: () => () => {},
  } as unknown as DevTools;
  await dress(page, settings, (text) => problems.push(text));
  return { sent, problems };
}

Deno.test("a stream without such settings needs no session", () => {
  assert.equal(isDressed(NONE), false);
  for (
    const change of [{ css: "a {}" }, { colorScheme: "dark" }, { hideBanners: true }, {
      extraCookies: "a=1",
    }] as const
  ) {
    assert.equal(isDressed({ ...NONE, ...change }), true, JSON.stringify(change));
  }
});

Deno.test("what the browser refuses is told, and the rest is set all the same", async () => {
  const settings: PageSettings = { ...NONE, language: "de-DE, en", colorScheme: "dark", extraCookies: "a=1" };
  const { sent, problems } = await toldTo(settings, "Emulation.setLocaleOverride");
  assert.deepEqual(problems, ["The page's language could not be set: not known"]);
  assert.ok(sent.some((one) => one.includes('"prefers-color-scheme","value":"dark"')));
  assert.ok(sent.some((one) => one.includes('{"name":"a","value":"1","url":"https://wall.example.org/a"}')));
});

Deno.test("a script and a style sheet are two sources in a world of their own", async () => {
  const { sent } = await toldTo({ ...NONE, css: "a { color: red }", js: "}{ nonsense" });
  const sources = sent.filter((one) => one.startsWith("Page.addScriptToEvaluateOnNewDocument"));
  assert.equal(sources.length, 2);
  assert.ok(sources.every((one) => one.includes('"worldName":"browser-stream-settings"')));
  assert.ok(sources[0].includes("color: red") && !sources[0].includes("nonsense"));
});
