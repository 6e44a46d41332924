/** For how long viewers see the picture of before, by what a page comes back with. */
import assert from "node:assert/strict";
import { reloadPage } from "../../../../lib/live/page/autoreload.ts";
import { Browser } from "../../../../lib/browser/client.ts";
import type { Cover } from "../../../../lib/display/x11/cover.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { pretendedWire } from "../../../support/pretended_wire.ts";

/** What a page's frames tell while it loads: the page is frame A. */
const LOADED: [name: string, frameId: string][] = [["DOMContentLoaded", "A"], ["load", "A"], [
  "networkIdle",
  "A",
]];

type Event = [method: string, params: Record<string, unknown>];

/** What a page tells of a reload: of itself, and how its frames come. */
const FRAMES = (told: typeof LOADED): Event[] => [
  ["Page.frameNavigated", { frame: {} }],
  ...told.map(([name, frameId]): Event => [
    "Page.lifecycleEvent",
    { name, frameId, loaderId: frameId === "A" ? "1" : frameId },
  ]),
];

/** A browser whose page comes back with this status at a reload. @param isOnItsWay whether the page is still to come. */
function answering(status: number, events: Event[], isOnItsWay = false): Browser & { reloads(): number } {
  let loads = 0;
  const wire = pretendedWire((method, params, tell) => {
    const loaderId = String(loads);
    switch (method) {
      case "Target.getTargets":
        return { targetInfos: [{ targetId: "A".repeat(32), type: "page", url: "https://wall.example/" }] };
      case "Target.attachToTarget":
        return { sessionId: "1" };
      case "Page.getFrameTree":
        return { frameTree: { frame: { id: "A", loaderId, securityOrigin: "https://wall.example" } } };
      case "Runtime.enable":
        tell("Runtime.executionContextCreated", {
          context: { id: 1, uniqueId: "1", name: "browser-stream" },
        });
        return {};
      case "Page.createIsolatedWorld":
        return { executionContextId: 1 };
      case "Runtime.evaluate":
        break;
      default:
        return {};
    }
    const expression = String(params.expression);
    if (expression.includes("responseStatus")) return { result: { value: status } };
    if (expression.includes("data-opening")) return { result: { value: isOnItsWay } };
    if (expression !== "location.reload()") return { result: { value: true } };
    loads++;
    for (const [method, params] of events) tell(method, params);
    return { result: {} };
  });
  return Object.assign(new Browser(() => Promise.resolve(wire)), { reloads: () => loads });
}

/** The seconds of cover at a reload, up to six minutes. @param comesAt when a person comes, in seconds. */
async function coveredSeconds(
  status: number,
  acceptedStatuses: number[],
  events = FRAMES(LOADED),
  comesAt = Infinity,
): Promise<number> {
  using clock = new FakeClock();
  const from = clock.now();
  let uncoveredAt = Infinity;
  const cover = {
    keep: () => Promise.resolve(1),
    show: () => Promise.resolve(),
    [Symbol.dispose]: () => void (uncoveredAt = Math.min(uncoveredAt, clock.now())),
  } as unknown as Cover;
  const done = reloadPage({
    browser: answering(status, events),
    minutes: 1,
    openCover: () => Promise.resolve(cover),
    isTakenOver: () => Promise.resolve(clock.now() - from >= comesAt * 1000),
    showsBroken: false,
    acceptedStatuses,
  }, new AbortController().signal);
  await clock.advance(360_000);
  await done;
  return (uncoveredAt - from) / 1000;
}

Deno.test("a page that comes back with an error is covered for half a minute, unless its status is accepted", async () => {
  const wrong: string[] = [];
  for (
    const [status, accepted, isError] of [
      [200, [], false],
      [404, [], true],
      [502, [404], true],
      [404, [403, 404], false],
      [403, [403, 404], false],
    ] as const
  ) {
    const seconds = await coveredSeconds(status, [...accepted]);
    if (isError !== seconds >= 30 || seconds > 40) wrong.push(`${status} of ${accepted}: ${seconds} s`);
  }
  assert.deepEqual(wrong, []);
});

Deno.test("a page with a camera in it, which never ends loading, is covered for some seconds", async () => {
  const seconds = await coveredSeconds(200, [], FRAMES([["DOMContentLoaded", "A"], ["firstPaint", "A"]]));
  assert.ok(seconds > 4 && seconds < 7, `${seconds} s`);
});

Deno.test("a page whose own text never ends is covered for some seconds from its first paint", async () => {
  const seconds = await coveredSeconds(200, [], FRAMES([["firstPaint", "A"]]));
  assert.ok(seconds > 14 && seconds < 18, `${seconds} s`);
});

Deno.test("a page is covered until it has loaded itself, not the first of its frames", async () => {
  const frame: typeof LOADED = [["DOMContentLoaded", "B"], ["load", "B"], ["networkIdle", "B"]];
  assert.ok(await coveredSeconds(200, [], FRAMES(frame)) > 14);
  assert.ok(await coveredSeconds(200, [], FRAMES([...frame, ...LOADED])) < 4);
});

Deno.test("a page that is slow to come back is waited for as long as a desktop browser waits, or until a person comes", async () => {
  const begins: Event = ["Page.frameStartedNavigating", { frameId: "A" }];
  const stops: Event = ["Page.frameStoppedLoading", { frameId: "A" }];
  assert.ok(await coveredSeconds(200, [], [begins]) >= 300);
  assert.ok(await coveredSeconds(200, [], [stops, begins]) >= 300, "the load before ends");
  const visited = await coveredSeconds(200, [], [begins], 100);
  assert.ok(visited >= 100 && visited < 103, `${visited} s`);
  assert.ok(await coveredSeconds(200, [], [begins, stops]) < 15, "a download: no page comes");
});

Deno.test("a page that is still on its way is not reloaded", async () => {
  for (const [isOnItsWay, reloads] of [[true, 0], [false, 1]] as const) {
    using clock = new FakeClock();
    const browser = answering(200, FRAMES(LOADED), isOnItsWay);
    const isTakenOver = () => Promise.resolve(true);
    const openCover = () => Promise.reject(new Error("no cover"));
    const done = reloadPage(
      { browser, minutes: 1, openCover, isTakenOver, showsBroken: false, acceptedStatuses: [] },
      new AbortController().signal,
    );
    await clock.advance(30_000);
    await done;
    assert.equal(browser.reloads(), reloads);
  }
});
