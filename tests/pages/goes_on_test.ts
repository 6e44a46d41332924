/** An address that goes on by itself, to what a screen shows in another way, or to another program. */
import { strict as assert } from "node:assert";
import type { Browser, Page } from "playwright-core";
import type { BrowserControl } from "../../lib/browser/client.ts";
import { openPage } from "../../lib/browser/open_page.ts";
import { schemeAsked, watchApps } from "../../lib/live/page/looks/other_apps.ts";
import { PageDresser } from "../../lib/live/page/dresser.ts";
import { launchShell } from "../support/browser.ts";
import { devtoolsOf } from "../support/devtools_of.ts";
import { aGround, aKeptStream } from "../support/ground.ts";
import { same } from "../support/same.ts";

const ANSWERS: Record<string, [type: string, body: string]> = {
  "/on-its-way": ["text/html", "<!doctype html>"],
  "/picture": ["image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="90"/>'],
  "/meeting": ["text/html", '<!doctype html><script>location.href = "zoommtg://join"</script>here'],
};

let browser: Browser;
let server: Deno.HttpServer<Deno.NetAddr>;
Deno.test.beforeAll(async () => {
  browser = await launchShell();
  server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    const [type, body] = ANSWERS[new URL(url).pathname] ?? ["text/plain", ""];
    return new Response(body, { headers: { "content-type": type } });
  });
});
Deno.test.afterAll(async () => {
  await browser.close();
  await server.shutdown();
});

/** Opens an address in a tab, as at a stream's start, for a further page and for Try it; and lets it go on from there. */
async function goOn(page: Page, to: string): Promise<AsyncDisposable> {
  const control = { connect: () => devtoolsOf(page) } as unknown as BrowserControl;
  const world = aGround();
  const live = aKeptStream(world);
  live.tell = (_kind, text) => assert.fail(text);
  const dresser = new PageDresser({ live, ground: world.ground, browser: control, display: 0 });
  await dresser.dress({ id: "" });
  {
    using opening = await devtoolsOf(page);
    await openPage(opening, `http://127.0.0.1:${server.addr.port}/on-its-way`, { isBehind: true });
  }
  await page.evaluate((to) => location.replace(to), to);
  return { [Symbol.asyncDispose]: () => dresser.close() };
}

Deno.test("an address that goes on to a picture shows it as a screen should", async () => {
  const page = await browser.newPage();
  await using _tab = await goOn(page, "/picture");
  await same(() => page.evaluate("document.documentElement.getAttribute('viewBox')"), "0 0 160 90");
  await page.close();
});

Deno.test("a page after the first stays when it asks for another program, and whoever listens hears of it", async () => {
  const page = await browser.newPage();
  using listener = await devtoolsOf(page);
  const asked: (string | null)[] = [];
  listener.listen((method, params) => {
    if (method === "Runtime.bindingCalled") asked.push(schemeAsked(method, params));
  });
  await listener.send("Runtime.enable");
  await watchApps(listener);
  await using _tab = await goOn(page, "/meeting");
  await same(() => asked, ["zoommtg"]);
  await same(() => page.evaluate("document.body.innerText"), "here");
  await page.close();
});
