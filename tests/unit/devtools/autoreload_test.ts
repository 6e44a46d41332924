/** For how long viewers see the picture of before, by what a page comes back with. */
import assert from "node:assert/strict";
import { reloadPage } from "../../../lib/devtools/autoreload.ts";
import { Browser } from "../../../lib/devtools/client.ts";
import type { Cover } from "../../../lib/x11/cover.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { pretendedWire } from "../../support/pretended_wire.ts";

/** What a page's frames tell while it loads: the page is frame A. */
const LOADED: [name: string, frameId: string][] = [["DOMContentLoaded", "A"], ["load", "A"], [
  "networkIdle",
  "A",
]];

/** A browser whose page comes back with this status at each reload. */
function answering(status: number, told: typeof LOADED): Browser {
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
    if (expression !== "location.reload()") return { result: { value: true } };
    loads++;
    tell("Page.frameNavigated", { frame: {} });
    for (const [name, frameId] of told) {
      tell("Page.lifecycleEvent", { name, frameId, loaderId: frameId === "A" ? `${loads}` : frameId });
    }
    return { result: {} };
  });
  return new Browser(() => Promise.resolve(wire));
}

/** The seconds of cover at a reload, up to a minute. */
async function coveredSeconds(status: number, acceptedStatuses: number[], told = LOADED): Promise<number> {
  using clock = new FakeClock();
  const from = clock.now();
  let uncoveredAt = Infinity;
  const cover = {
    keep: () => Promise.resolve(1),
    show: () => Promise.resolve(),
    [Symbol.dispose]: () => void (uncoveredAt = clock.now()),
  } as unknown as Cover;
  const done = reloadPage({
    ...{ browser: answering(status, told), minutes: 1, openCover: () => Promise.resolve(cover) },
    ...{ isTakenOver: () => Promise.resolve(false), showsBroken: false, acceptedStatuses },
  }, new AbortController().signal);
  await clock.advance(60_000);
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
  const seconds = await coveredSeconds(200, [], [["DOMContentLoaded", "A"], ["firstPaint", "A"]]);
  assert.ok(seconds > 4 && seconds < 7, `${seconds} s`);
});

Deno.test("a page is covered until it has loaded itself, not the first of its frames", async () => {
  const frame: typeof LOADED = [["DOMContentLoaded", "B"], ["load", "B"], ["networkIdle", "B"]];
  assert.ok(await coveredSeconds(200, [], frame) > 14);
  assert.ok(await coveredSeconds(200, [], [...frame, ...LOADED]) < 4);
});
