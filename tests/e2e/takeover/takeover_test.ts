/** What a person in a stream's browser can do, and cannot; and how the page comes back. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { Browser } from "../../../lib/browser/client.ts";
import { newestFrame, playlistUrl } from "../../support/channel.ts";
import { type HostilePages, serveHostile } from "../../support/hostile_pages.ts";
import { fetchPlaylist, isColour, pixel } from "../../support/media.ts";
import { RemoteBrowser } from "../../support/remote_browser.ts";
import type { RfbViewer } from "../../support/rfb.ts";
import { KEY } from "../../support/rfb_keys.ts";
import { temporaryPolicies } from "../../support/own_policies.ts";
import { same, until } from "../../support/same.ts";
import { sharedService, type TestService } from "../../support/service.ts";
import { pause } from "../../support/within.ts";
import { enter, tokenOf } from "../../support/takeover.ts";
import { inSoak } from "../../support/soak.ts";

const { installed: POLICIES, ...policies } = temporaryPolicies();
const PAGE_CHECK_MS = 2000;
/** Four looks in the time in which a page may go on by itself, as in production. */
const LOOKS = { pageCheckMs: PAGE_CHECK_MS, pageLookMs: PAGE_CHECK_MS / 4 };

const serviceTest = sharedService({
  ...policies,
  timings: { ...LOOKS, pageAwayMs: 500, statusCacheMs: 500 },
});

/** Another site, which is on this machine and so has to be one of the stream's. */
let other: HostilePages;
Deno.test.beforeAll(() => void (other = serveHostile()));
Deno.test.afterAll(async () => await other[Symbol.asyncDispose]());

/**
 * The shared stream's browser, on its page alone, painted and with the focus, whatever the test before did to it. Chromium
 * drops keys while a page is being loaded, though its address is shown already.
 */
async function atHome(service: TestService): Promise<{ id: string; browser: RemoteBrowser }> {
  const { id } = await service.sharedStream({ name: "Wall", loginOrigins: other.url });
  await until("the browser to be sent home", async () => {
    return (await service.api("POST", `/api/streams/${id}/home`)).ok;
  });
  const browser = new RemoteBrowser(service, id);
  await browser.untilOnlyPage(service.pageUrl);
  await browser.untilTakesKeys();
  return { id, browser };
}

/** Keeps the watch away, as while somebody is there: what the test opens stays open. */
async function asViewer(service: TestService, id: string): Promise<RfbViewer> {
  return await enter(service, await tokenOf(service, id));
}

/**
 * Opens an address in a tab of its own, since Chromium cuts the connection to the error page of a page of its own.
 * @returns Chromium's error.
 */
async function navigateTab(control: Browser, url: string): Promise<string | undefined> {
  const tab = await control.openTab();
  try {
    await using page = await control.connect(tab);
    return (await page.send<{ errorText?: string }>("Page.navigate", { url })).errorText;
  } finally {
    await control.closeTab(tab.id);
  }
}

serviceTest("the policies are installed, readable, and no file of another service", async (service) => {
  await atHome(service);
  const files = [...Deno.readDirSync(POLICIES)].filter(({ name }) => name.startsWith("browser-stream-"));
  assert.equal(files.length, 1);
  assert.equal(Deno.statSync(join(POLICIES, files[0].name)).mode! & 0o777, 0o644);
});

/** An address of each kind, and more of these kinds; the page's own follows what ends in a scheme. */
const BLOCKED = [
  ...["file:///etc/passwd", "chrome://policy/", "view-source:", "data:text/html,hi"],
  ...["http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal/"],
];
/** Fails if one of the addresses is opened. */
async function assertBlocked(service: TestService, addresses: readonly string[]): Promise<void> {
  const { id, browser: { control } } = await atHome(service);
  await using _viewer = await asViewer(service, id);
  const open: string[] = [];
  for (const address of addresses) {
    const url = /^(?:view-source|filesystem):$/.test(address) ? address + service.pageUrl : address;
    const errorText = await navigateTab(control, url);
    if (errorText !== "net::ERR_BLOCKED_BY_ADMINISTRATOR") open.push(`${url} ${errorText}`);
  }
  assert.deepEqual(open, []);
}

serviceTest(
  "an address that is no web page, or a machine's secrets, is not opened; web pages and the blank page are",
  async (service) => {
    await assertBlocked(service, BLOCKED);
    const { id, browser: { control } } = await atHome(service);
    await using _viewer = await asViewer(service, id);
    for (const url of ["about:blank", other.url, service.pageUrl]) {
      assert.equal(await navigateTab(control, url), undefined, url);
    }
  },
);

/** From now on `typed` in the page is what was typed into it. */
async function listen(browser: RemoteBrowser): Promise<void> {
  const add = "({ key }) => globalThis.typed += key.length === 1 ? key : ''";
  await browser.evaluate(`globalThis.typed = ""; void (globalThis.onkeydown = ${add})`);
}

type Chord = (number | string)[];

/** Of each wall one: developer tools, dialogs for files, printing, Chromium's own pages, other windows. */
const CHORDS: Chord[] = [
  [KEY.f12],
  [KEY.control, "o"],
  [KEY.control, "p"],
  [KEY.control, "h"],
  [KEY.control, KEY.shift, "N"],
  [KEY.shift, KEY.escape],
];
/** Fails if keys open something. */
async function assertOpensNothing(service: TestService, chords: readonly Chord[]): Promise<void> {
  const { id, browser } = await atHome(service);
  await using _viewer = await asViewer(service, id);
  using keyboard = await browser.hand();
  const seen: string[] = [];
  let isListening = false;
  for (const chord of chords) {
    if (!isListening) await listen(browser);
    await keyboard.press(...chord);
    // the page has the focus still, or a tab is in front, whose address is no page of anybody's
    for (const key of "xy") {
      await until(`the page to have ${key} after ${chord}`, async () => {
        if ((await browser.addresses()).length > 1) return true;
        await keyboard.press(KEY.escape); // Chromium says that the developer tools are not allowed
        await keyboard.press(key);
        return (await browser.evaluate<string>("typed")).endsWith(key);
      });
    }
    const addresses = await browser.addresses();
    seen.push(...addresses);
    isListening = addresses.length === 1;
    if (!isListening) await atHome(service);
  }
  const names = service.processes(/^(\/usr\/bin\/)?(x-terminal|xterm|sh|bash|xdg-open)\b/);
  assert.deepEqual(names, [], "a terminal or shell was started");
  for (const url of seen) {
    assert.doesNotMatch(url, /^devtools:/, "the developer tools are open");
  }
  const slots = [...Deno.readDirSync(join(service.runDir, "slots"))].map(({ name }) => name);
  for (const slot of slots) {
    const home = [...Deno.readDirSync(join(service.runDir, "slots", slot, "home"))].map(({ name }) => name);
    assert.ok(!home.includes("Downloads"), "something was downloaded");
  }
}

serviceTest(
  "keys of a browser and of a desktop open nothing",
  (service) => assertOpensNothing(service, CHORDS),
);

serviceTest("F7 is nobody's key: it puts no cursor on the pages", async (service) => {
  const { id, browser } = await atHome(service);
  await using _viewer = await asViewer(service, id);
  using keyboard = await browser.hand();
  await browser.evaluate("globalThis.keys = []; void (globalThis.onkeydown = ({ key }) => keys.push(key))");
  await keyboard.press(KEY.f7);
  await keyboard.press("x");
  await same(() => browser.evaluate<string>("keys.join()"), "x");
});

serviceTest("Ctrl+L leads to no address bar: an address that is typed goes to the page", async (service) => {
  const { id, browser } = await atHome(service);
  await using _viewer = await asViewer(service, id);
  using keyboard = await browser.hand();
  await listen(browser);
  await keyboard.press(KEY.control, "l");
  await keyboard.type("file:///etc/passwd");
  await keyboard.press(KEY.enter);
  await same(() => browser.evaluate<string>("typed"), "lfile:///etc/passwd");
  assert.deepEqual(await browser.addresses(), [service.pageUrl]);
});

serviceTest("a download is cancelled", async (service) => {
  const { browser } = await atHome(service);
  const states: unknown[] = [];
  await using page = await browser.page();
  page.onevent = (method, { state }) => method === "Page.downloadProgress" && states.push(state);
  await page.send("Page.enable");
  await page.send("Page.navigate", { url: `${other.url}download` });
  await until("the download to end", () => states.includes("canceled"));
  assert.ok(!states.includes("completed"), String(states));
});

serviceTest("the last window closed by Ctrl-W: the browser comes back within 30 s", async (service) => {
  const { id, browser } = await atHome(service);
  const pid = await service.programPid(`browser-${id}`);
  using keyboard = await browser.hand();
  await keyboard.press(KEY.control, "w");
  await until("a new browser", async () => {
    return await service.programPid(`browser-${id}`).catch(() => pid) !== pid;
  });
  await browser.untilOnlyPage(service.pageUrl);
});

/** Lets the page do something that never returns. */
function inPage(browser: RemoteBrowser, expression: string): Promise<unknown> {
  return browser.evaluate(`void setTimeout(() => { ${expression} }, 100)`).catch(() => {});
}

serviceTest("a dialog that nobody answers is dismissed", async (service) => {
  const { browser } = await atHome(service);
  await inPage(browser, 'alert("stay"); document.title = "answered"');
  await until("the dialog to be dismissed", async () => {
    return await browser.evaluate("document.title").catch(() => "") === "answered";
  });
});

inSoak(serviceTest)(
  "what a person leaves there is undone: the browser's search, an open list, a page's size, and the pointer",
  async (service) => {
    const { id, browser } = await atHome(service);
    await browser.evaluate(
      'document.documentElement.style.background = document.body.style.background = "#00a000"',
    );
    const untilThere = (what: string, [x, y]: number[], rgb: number[]) =>
      until(what, async () => {
        const frame = await newestFrame(service, id);
        return frame && isColour(pixel(frame, x, y), rgb);
      });
    // where the browser's search stands, where a list opens, and nothing of the page is
    const [search, list] = [[1050, 36], [700, 470]];
    const scale = () => browser.evaluate<number>("devicePixelRatio");
    await browser.evaluate(`document.body.insertAdjacentHTML("beforeend",
      '<select style="position: fixed; left: 600px; top: 300px; width: 200px; font-size: 40px">' +
        "<option>1<option>2<option>3<option>4</select>")`);
    {
      await using _viewer = await asViewer(service, id);
      using hand = await browser.hand();
      await hand.press(KEY.control, "f");
      await untilThere("the search", search, [255, 255, 255]);
      await hand.click(300, 600);
      await hand.press(KEY.control, "=");
      await until("a larger page", async () => await scale() > 1);
      await same(
        () => browser.evaluate<string>("`${document.hasFocus()} ${!!document.querySelector(':hover')}`"),
        "true true",
      );
      await hand.click(700, 360);
      await untilThere("the open list", list, [238, 238, 238]);
    }
    const painted = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`;
    const isHovered = async () => {
      await using page = await browser.page();
      return await page.evaluate<boolean>(`${painted}.then(() => !!document.querySelector(":hover"))`, {
        awaitPromise: true,
      });
    };
    await same(isHovered, false);
    await untilThere("the page without the search", search, [0, 160, 0]);
    await untilThere("the page without the list", list, [0, 160, 0]);
    await same(scale, 1);
    {
      await using _viewer = await asViewer(service, id);
      using hand = await browser.hand();
      await hand.click(300, 600);
      await same(isHovered, true);
      await browser.evaluate(`void (location.search = "?left")`);
    }
    await browser.untilOnlyPage(service.pageUrl);
    await browser.untilTakesKeys();
    await same(isHovered, false);
  },
);

inSoak(serviceTest)("what an operator does is in the feed, the pointer is not", async (service) => {
  const fields = { name: "Desk", url: `${service.pageUrl}typing.html` };
  await using stream = await service.temporaryStream(fields);
  const browser = new RemoteBrowser(service, stream.id);
  const untilColour = (rgb: number[]) =>
    until(`the colour ${rgb} in the feed`, async () => {
      const frame = await newestFrame(service, stream.id);
      return frame && isColour(pixel(frame, 640, 600), rgb);
    });
  await untilColour([0, 0, 160]);
  using person = await browser.hand();
  await person.point(640, 600);
  const pointedAt = (await fetchPlaylist(playlistUrl(service, stream.id)))!;
  await until("segments after it", async () => {
    const now = await fetchPlaylist(playlistUrl(service, stream.id));
    return now !== null && now.sequence > pointedAt.sequence + 2;
  });
  const frame = (await newestFrame(service, stream.id))!;
  // the arrow is black and white: it would be below and right of its point
  for (const [x, y] of [[641, 603], [642, 606], [644, 608], [643, 610]]) {
    const seen = pixel(frame, x, y);
    assert.ok(isColour(seen, [0, 0, 160]), `${seen} at ${x},${y}`);
  }
  await person.click(640, 100);
  await person.type("green");
  await until("the word", async () => {
    return await browser.evaluate("document.querySelector('input').value") === "green";
  });
  await untilColour([0, 160, 0]);
});

/** What people type in the alphabets of the world, with what a password and a shortcut have. */
const TEXTS = ["привет", "日本語", "zażółć gęślą jaźń", "Grüße 12", "שלום", "สวัสดี", "👩‍👩‍👧 ok", "pä55wörd!"];

inSoak(serviceTest)(
  "every text arrives as it was typed, also on a display that has seen 500 characters",
  async (service) => {
    const { id, browser } = await atHome(service);
    await using viewer = await asViewer(service, id);
    const field = "document.querySelector('input')";
    await browser.evaluate(`document.body.innerHTML = "<input>"; ${field}.focus()`);
    await browser.untilTakesKeys();
    const typed = () => browser.evaluate<string>(`${field}.value`);
    const type = async (text: string, pauseMs: number) => {
      // as the page's client sends it: keys for what a key has, all else as text
      for (const [character] of text.matchAll(/./gsu)) {
        if (/[\x20-\x7e]/.test(character)) viewer.press(character);
        else viewer.socket.send(character);
        await pause(pauseMs);
      }
    };
    for (const text of TEXTS) {
      await browser.evaluate(`${field}.value = ""`);
      await type(text, 100);
      await same(typed, text);
    }
    await browser.evaluate(`${field}.value = ""`);
    const many = Array.from({ length: 500 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join("");
    await type(many, 0);
    await same(typed, many);
    await browser.evaluate(`${field}.value = ""`);
    await type("aяbюcэ", 0);
    await same(typed, "aяbюcэ");
  },
);
