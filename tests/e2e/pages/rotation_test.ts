/** Streams with several pages, in a real browser: what viewers see while one takes the place of another, 25 pictures a second. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { PageDresser } from "../../../lib/live/page/dresser.ts";
import { PageFindings } from "../../../lib/live/page/findings.ts";
import { Rotation } from "../../../lib/live/page/rotation.ts";
import type { Stream } from "../../../lib/model/schema.ts";
import { Cover } from "../../../lib/display/x11/cover.ts";
import { type Certificate, makeIssuer } from "../../support/certificates.ts";
import { tempDir } from "../../support/fixture.ts";
import { aGround, aKeptStream } from "../../support/ground.ts";
import { grab } from "../../support/grab.ts";
import { sharedBrowser } from "../../support/lone_browser.ts";
import { until } from "../../support/same.ts";

const COLOURS = { green: "0,160,0", blue: "0,0,160", red: "160,0,0" };
type Colour = keyof typeof COLOURS;

/** How often each page was asked for, and those that answer 500. */
const loads: Record<Colour, number> = { green: 0, blue: 0, red: 0 };
const broken = new Set<Colour>();
/** Those that answer when the test says so. */
const slow = new Map<Colour, Promise<void>>();
let server: Deno.HttpServer<Deno.NetAddr>;
/** The same pages, with a certificate that is not trusted. */
let secure: Deno.HttpServer<Deno.NetAddr>;
let certificate: Certificate & { fingerprint: string };
let origin = "";

/** A page that is white until it has fetched its colour. */
const PAGE = `<!doctype html><body style="background:white"><script>
fetch(location.pathname + "/colour").then((answer) => answer.text()).then((colour) => document.body.style.background = colour);
</script>`;

/** Answers under way. */
const answering = new Set<Promise<void>>();

async function answer(request: Request): Promise<Response> {
  const [, name, isColour] = new URL(request.url).pathname.split("/");
  if (!Object.hasOwn(COLOURS, name)) return new Response("", { status: 404 });
  const colour = name as Colour;
  if (isColour) {
    const pause = new Promise<void>((done) => setTimeout(done, 300));
    answering.add(pause);
    await pause;
    answering.delete(pause);
    return new Response(`rgb(${COLOURS[colour]})`);
  }
  loads[colour]++;
  await slow.get(colour);
  const status = broken.has(colour) ? 500 : 200;
  return new Response(PAGE, { status, headers: { "content-type": "text/html" } });
}

const browser = sharedBrowser(async (after) => {
  await using dir = await tempDir();
  certificate = await (await makeIssuer(dir.path)).selfSigned("wall.test");
  const place = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  server = after.use(Deno.serve(place, answer));
  secure = after.use(Deno.serve({ ...place, ...certificate }, answer));
  origin = `http://wall.test:${server.addr.port}`;
  return { "wall.test": [server, secure].map(({ addr }) => ({ port: addr.port, space: "public" })) };
});

const urlOf = (colour: Colour) => `${origin}/${colour}`;
const LIMITS = { aheadMs: 3000, loadMs: 5000, lookMs: 50, settleMs: 400 };
const TICK_MS = 100;

/** A rotation of the test's own, which knows what a web app knows. */
function aRotation(...colours: Colour[]) {
  const [first, ...others] = colours.map(urlOf);
  const world = aGround({ env: { TIMINGS: JSON.stringify({ rotation: LIMITS }) } });
  const { ground, machine, people } = world;
  const events: string[] = [];
  ground.addEvent = (_id, _kind, text) => void events.push(text);
  machine.now = Date.now;
  machine.elapsed = () => performance.now();
  machine.openCover = () =>
    Cover.open(join("/tmp/.X11-unix", browser().display.replace(":", "X")), new Uint8Array(16));
  const live = aKeptStream(world, { url: first });
  // shorter turns than people may set
  const set = (fields: Partial<Stream>) => live.stream = { ...live.stream!, ...fields } as Stream;
  set({ morePages: others.join("\n"), pageSeconds: 1 });
  const state = { isBroken: false, moved: 0 };
  const started = { live, ground, display: 0, browser: browser().control };
  const findings = new PageFindings(started);
  Object.defineProperty(findings, "isBroken", { get: () => state.isBroken });
  const dresser = new PageDresser(started);
  dresser.dress = () => Promise.resolve();
  const rotation = new Rotation(started, dresser, findings);
  rotation.onmoved = () => void state.moved++;
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = async () => {
    clearInterval(timer);
    await rotation.close();
  };
  return Object.assign(state, {
    start: () => void (timer = setInterval(() => rotation.tick(live.stream!), TICK_MS)),
    stop,
    set,
    people,
    events,
    next: () => rotation.next(live.stream!),
    pageNow: () => rotation.pageNow(live.stream!),
    [Symbol.asyncDispose]: async () => {
      await stop();
      // nothing is asked for any more
      await using page = await browser().control.connectFirst();
      await page.send("Page.navigate", { url: "about:blank" });
      await Promise.all(answering);
    },
  });
}

/** The page of the first colour in the only tab, painted. */
async function at(colour: Colour): Promise<void> {
  broken.clear();
  const [tab, ...more] = await browser().control.pages();
  for (const { id } of more) await browser().control.closeTab(id).catch(() => {});
  await using page = await browser().control.connect(tab);
  await page.send("Page.navigate", { url: urlOf(colour) });
  await untilSeen(colour);
}

async function untilSeen(colour: Colour): Promise<void> {
  await until(`the page to be ${colour}`, async () => {
    await using film = await grab(browser().display);
    return (await film.end()).at(-1) === COLOURS[colour];
  });
}

Deno.test("pages take turns, each opened anew, and every picture is of one of them", async () => {
  await at("green");
  const before = { ...loads };
  await using it = aRotation("green", "blue", "red");
  await using film = await grab(browser().display);
  it.start();
  await until("three changes", () => it.moved >= 3);
  await untilSeen("green");
  await until("the next page to be known", () => it.next()?.url === urlOf("blue"));
  await it.stop();
  const { green, blue, red } = COLOURS;
  const seen = await film.end();
  assert.deepEqual(seen, seen.map((_, at) => [green, blue, red][at % 3]));
  assert.ok(seen.length >= 4, seen.join(" then "));
  assert.ok(loads.green > before.green && loads.blue > before.blue, JSON.stringify(loads));
  assert.equal((await browser().control.pages()).length, 1, "no tab is left");
  assert.deepEqual(it.events, []);
});
