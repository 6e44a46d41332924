/** A camera's stream of pictures in a real browser: its page never ends loading, and nothing waits for that. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { reloadPage } from "../../../lib/live/page/autoreload.ts";
import type { FirstLook } from "../../../lib/live/page/first_look.ts";
import { mediaText, showMedia } from "../../../lib/live/page/looks/media_page.ts";
import { loadBehind } from "../../../lib/live/page/open_behind.ts";
import { openPage } from "../../../lib/browser/open_page.ts";
import { Cover } from "../../../lib/display/x11/cover.ts";
import { otherPixels, sharedBrowser } from "../../support/lone_browser.ts";
import { same, until } from "../../support/same.ts";
import { GREEN, zooServer } from "../../support/zoo.ts";

let url = "";
const browser = sharedBrowser((after) => {
  const server = after.use(zooServer());
  const port = Number(new URL(server.url).port);
  url = `http://wall.test:${port}/zoo/camera`;
  return Promise.resolve({ "wall.test": [{ port, space: "public" }] });
});

/** A camera's answer goes on for a moment after its page. */
const options = { sanitizeOps: false, sanitizeResources: false };

const NEVER = new AbortController().signal;

/** As long as it holds, no limit of seconds ends a wait: what waits for the page to load waits for ever. */
function withoutLimits(): Disposable {
  const { setTimeout } = globalThis;
  const LIMIT_MS = 1000, FOREVER_MS = 2 ** 31 - 1;
  const patient = (call: () => void, ms = 0) => setTimeout(call, ms > LIMIT_MS ? FOREVER_MS : ms);
  Object.assign(globalThis, { setTimeout: patient });
  return { [Symbol.dispose]: () => void Object.assign(globalThis, { setTimeout }) };
}

/** Waits until the work is over. */
async function over<T>(what: string, work: Promise<T>): Promise<T> {
  let isOver = false;
  const done = work.finally(() => isOver = true);
  done.catch(() => {});
  await until(what, () => isOver);
  return await done;
}

Deno.test(
  "a camera in a tab behind has loaded with its first picture: for its turn, and for Try it",
  options,
  async () => {
    using _patient = withoutLimits();
    const tab = await browser().control.openTab(true);
    const loaded = loadBehind(browser().control, tab, {
      url,
      login: { url, loginOrigins: "", user: "", pass: "" },
      accepted: [],
      dress: () => Promise.resolve(),
      answered: () => {},
      limits: { answerMs: Infinity, loadMs: Infinity, lookMs: 50, settleMs: 0 },
      elapsed: () => performance.now(),
    }, NEVER);
    const { look, certificate } = await over("the camera to have loaded", loaded);
    const { isLoaded, isBlank, error, status, contentType } = look as FirstLook;
    assert.deepEqual({ isLoaded, isBlank, error, status, certificate }, {
      isLoaded: true,
      isBlank: false,
      error: "",
      status: 200,
      certificate: null,
    });
    assert.match(mediaText(contentType) ?? "", /^a camera/);
    await browser().control.closeTab(tab.id);
  },
);

Deno.test(
  "a reload of a camera's page is over with its first picture, and uncovers the display",
  options,
  async () => {
    await using page = await browser().control.connectFirst();
    await showMedia(page, 30); // as a stream's lasting connection does
    await openPage(page, url);
    const isGreen = async () => await otherPixels(browser().display, GREEN) < 0.2;
    await same(isGreen, true);
    using _patient = withoutLimits();
    const { promise: covered, resolve } = Promise.withResolvers<Cover>();
    const reload = reloadPage({
      browser: browser().control,
      minutes: 1,
      showsBroken: false,
      acceptedStatuses: [],
      isTakenOver: () => Promise.resolve(false),
      openCover: async () => {
        const socket = join("/tmp/.X11-unix", browser().display.replace(":", "X"));
        const cover = await Cover.open(socket, new Uint8Array(16)); // the lone browser's display has no key
        resolve(cover);
        return cover;
      },
    }, NEVER);
    await over("the reload", reload);
    assert.equal((await covered).isOpen, false, "the cover is gone");
    await same(isGreen, true);
    await page.send("Page.navigate", { url: "about:blank" }); // it would go on
  },
);
