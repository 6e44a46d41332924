/** What viewers see while a page is reloaded or broken, judged by the display's pictures, 25 a second. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { PageCover } from "../../../lib/live/page/cover.ts";
import { reloadPage } from "../../../lib/live/page/autoreload.ts";
import { openPage } from "../../../lib/browser/open_page.ts";
import { inSoak } from "../../support/soak.ts";
import { allProcesses, treesOf } from "../../../lib/machine/os/process_table.ts";
import { Cover } from "../../../lib/display/x11/cover.ts";
import { grab } from "../../support/grab.ts";
import { loneBrowser, type Place, sharedBrowser } from "../../support/lone_browser.ts";
import { aGround, aKeptStream } from "../../support/ground.ts";
import { until } from "../../support/same.ts";
import { tellTime } from "../../support/times.ts";

const [GREEN, BLUE] = ["0,160,0", "0,0,160"];
const SLATE = "16,32,32"; // as grab rounds it

/** A page that is white until it has fetched what it shows: green, blue, green… */
let loads = 0;
let status = 200;
/** How long it takes to fetch that. */
let fetchMs = 100;
let server: Deno.HttpServer<Deno.NetAddr>;
let url = "";

function place(): Place[] {
  return [{ port: server.addr.port, space: "public" }];
}

let browser = sharedBrowser((after) => {
  server = after.use(Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const headers = { "content-type": "text/html" };
    if (pathname === "/colour") {
      await new Promise((done) => setTimeout(done, fetchMs));
      return new Response(loads % 2 ? "rgb(0,160,0)" : "rgb(0,0,160)");
    }
    if (pathname !== "/") return new Response("", { status: 404 });
    if (status !== 200) return new Response("<body style='background:red'>", { status, headers });
    loads++;
    const script =
      `fetch("/colour").then((a) => a.text()).then((colour) => document.body.style.background = colour)`;
    return new Response(`<!doctype html><body style="background:white"><script>${script}</script>`, {
      headers,
    });
  }));
  url = `http://wall.test:${server.addr.port}/`;
  return Promise.resolve({ "wall.test": place() });
});

function openCover(): Promise<Cover> {
  const NO_KEY = new Uint8Array(16); // the lone browser's display asks for none
  return Cover.open(join("/tmp/.X11-unix", browser().display.replace(":", "X")), NO_KEY);
}

/** Opens the page in a new tab, as the page's keeper does for one that crashed. */
async function openAnew(): Promise<void> {
  const old = await browser().control.pages();
  const tab = await browser().control.openTab();
  for (const one of old) await browser().control.closeTab(one.id);
  await using page = await browser().control.connect(tab);
  await openPage(page, url);
}

/** The page, painted green. */
async function atGreen(): Promise<void> {
  status = 200;
  loads = 0;
  await openAnew();
  await until("the page to be green", async () => (await colours()).join() === GREEN);
}

async function colours(): Promise<string[]> {
  const pictures = await (await grab(browser().display)).end();
  return [pictures.at(-1)!];
}

const reloads = () => ({
  browser: browser().control,
  minutes: 1,
  openCover,
  isTakenOver: () => Promise.resolve(false),
  showsBroken: false,
  acceptedStatuses: [],
});
const NEVER = new AbortController().signal;

Deno.test("a reload is invisible: every picture is of before or of after", async () => {
  await atGreen();
  fetchMs = 1000; // Chromium itself keeps the old picture for half a second
  await using plain = await grab(browser().display);
  {
    await using page = await browser().control.connectFirst();
    await page.evaluate("location.reload()");
  }
  await until("the page to be blue", async () => (await colours()).join() === BLUE);
  assert.ok(
    (await plain.end()).some((picture) => picture !== GREEN && picture !== BLUE),
    "the test's page flashes",
  );

  await using covered = await grab(browser().display);
  await reloadPage(reloads(), NEVER);
  // else the film may end before its next picture
  await until("the page to be seen", async () => (await colours()).join() === GREEN);
  assert.deepEqual(await covered.end(), [BLUE, GREEN]);
  fetchMs = 100;
});

Deno.test("below a cover that goes is what the page painted last, even while its browser paints nothing", async () => {
  await atGreen();
  using cover = await openCover();
  await cover.show(await cover.keep());
  const all = treesOf([browser().pid], allProcesses()).get(browser().pid)!;
  for (const pid of all) Deno.kill(pid, "SIGSTOP");
  try {
    await using pictures = await grab(browser().display);
    await cover.hide();
    await new Promise((seen) => setTimeout(seen, 300));
    assert.deepEqual(await pictures.end(), [GREEN]);
  } finally {
    for (const pid of all) Deno.kill(pid, "SIGCONT");
  }
});

Deno.test("a reload that is stopped half way ends at once, and leaves no cover", async () => {
  await atGreen();
  const stop = new AbortController();
  const done = reloadPage(reloads(), stop.signal);
  const before = loads;
  await until("the reload", () => loads > before);
  const from = performance.now();
  stop.abort();
  await assert.rejects(done, /stopped/);
  tellTime("the end of a reload that is stopped half way", (performance.now() - from) / 1000, 1);
  await until("the page as it is", async () => (await colours()).join() === BLUE);
});

/** The cover of a stream that nobody is in. */
function covers(whileBroken: "last" | "slate" | "page") {
  const world = aGround();
  const { ground, machine, people } = world;
  machine.openCover = openCover;
  const live = aKeptStream(world, { name: "Wall 壁 🌍", whileBroken, audio: false });
  const cover = new PageCover({ live, ground, browser: browser().control, display: 0 });
  return Object.assign(people, {
    pageIs: (isGood: boolean) => cover.pageIs(isGood),
    [Symbol.asyncDispose]: () => cover.close(),
  });
}

async function crash(): Promise<void> {
  await using page = await browser().control.connectFirst();
  page.send("Page.crash").catch(() => {});
  await until("the crash", async () => (await colours()).join() !== GREEN);
}

Deno.test(
  "a page that crashed is covered by the last good picture, until somebody looks or it is good again",
  async () => {
    await atGreen();
    await using broken = covers("last");
    await broken.pageIs(true);
    await crash();
    await broken.pageIs(false);
    assert.deepEqual(await colours(), [GREEN]);
    broken.vnc = 1;
    await broken.pageIs(false);
    assert.notDeepEqual(await colours(), [GREEN]);
    broken.vnc = 0;
    await broken.pageIs(false);
    assert.deepEqual(await colours(), [GREEN]);

    loads = 1;
    await using pictures = await grab(browser().display);
    await openAnew();
    await using page = await browser().control.connectFirst();
    await until(
      "the new page",
      () => page.evaluate<boolean>(`document.body?.style.background === "rgb(0, 0, 160)"`),
    );
    await broken.pageIs(true);
    await until("the new page to be seen", async () => (await colours()).join() === BLUE);
    assert.deepEqual(await pictures.end(), [GREEN, BLUE]);
  },
);

inSoak(Deno.test)(
  "a broken page is covered by a slate with the channel's name, or not at all, as the stream wants it",
  async () => {
    for (const whileBroken of ["slate", "page"] as const) {
      await atGreen();
      await using broken = covers(whileBroken);
      await broken.pageIs(true);
      await crash();
      await broken.pageIs(false);
      const [picture] = await colours();
      assert.equal(picture.split(" ").includes(SLATE), whileBroken === "slate", picture);
      assert.equal((await browser().control.pages()).length, 1);
    }
  },
);

inSoak(Deno.test)("a browser that is killed leaves its last picture on the air", async () => {
  const shared = browser;
  await using own = await loneBrowser(url, { "wall.test": place() });
  browser = () => own;
  try {
    await atGreen();
    await using broken = covers("last");
    await broken.pageIs(true);
    await using pictures = await grab(browser().display);
    browser().kill();
    await until("the browser's end", () => browser().control.pages().then(() => false, () => true));
    await new Promise((settled) => setTimeout(settled, 500));
    // one picture of the bare display may be between the end and the cover
    const others = (await pictures.end()).filter((picture) => picture !== GREEN);
    assert.ok(others.length <= 1, others.join("; "));
    assert.deepEqual(await colours(), [GREEN]);
  } finally {
    browser = shared;
  }
});
