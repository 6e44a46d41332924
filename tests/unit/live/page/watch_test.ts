/** The looks at a stream's page and what follows, with a pretended browser; what follows is decided elsewhere. */
import assert from "node:assert/strict";
import { PageHealth } from "../../../../lib/live/page/health.ts";
import { PageObserver } from "../../../../lib/live/page/observer.ts";
import { PageWatch } from "../../../../lib/live/page/watch.ts";
import { Browser } from "../../../../lib/devtools/client.ts";
import type { Wire } from "../../../../lib/devtools/connection.ts";
import { OPENING_MARK } from "../../../../lib/devtools/open_page.ts";
import { DEFAULT_TIMINGS } from "../../../../lib/timings.ts";
import { pretendedWire } from "../../../support/pretended_wire.ts";
import { aGround, aKeptStream } from "../../../support/ground.ts";
import { until } from "../../../support/same.ts";

const URL = "https://wall.example/board";

/** The watch over one stream's page, whose browser can refuse to say what windows it has. */
function watched() {
  const world = aGround();
  const { clock, machine: { now, elapsed } } = world;
  world.people.vnc = 1;
  const live = aKeptStream(world, { url: URL });
  const state = { refuses: false, tabs: ["A".repeat(32)], opened: 0, looks: 0 };
  const wire = (): Promise<Wire> => {
    const one = pretendedWire((method, params, tell) => {
      const expression = String(params.expression ?? "");
      switch (method) {
        case "Target.getTargets":
          if (state.refuses) one.close();
          return state.refuses
            ? null
            : { targetInfos: state.tabs.map((targetId) => ({ targetId, type: "page", url: URL })) };
        case "Target.createTarget":
          state.opened++;
          state.tabs.push(String(state.opened).repeat(32));
          return { targetId: state.tabs.at(-1) };
        case "Target.closeTarget":
          state.tabs = state.tabs.filter((tab) => tab !== params.targetId);
          return { success: true };
        case "Target.attachToTarget":
          return { sessionId: "1" };
        case "Page.createIsolatedWorld":
          return { executionContextId: 1 };
        case "Runtime.evaluate":
          break;
        default:
          return {};
      }
      if (expression === "location.origin") return { result: { value: "https://wall.example" } };
      if (expression.includes(OPENING_MARK)) {
        state.looks++;
        return { result: { value: { href: URL, status: 200, isOpening: false, isBlank: false } } };
      }
      tell("Page.frameNavigated", { frame: {} });
      return { result: {} };
    });
    return Promise.resolve(one);
  };
  const page = {
    ...{ url: URL, hasLogin: false, isSignedIn: true },
    ...{ accepted: [], acceptedStatuses: [], sites: [], loginOrigins: [] },
  };
  const browser = new Browser(wire);
  const limits = DEFAULT_TIMINGS;
  const health = new PageHealth({ tell: live.tell, now, elapsed });
  const observer = new PageObserver({
    ...{ browser, viewers: () => live.viewers, tell: live.tell, limits, elapsed },
    dress: () => Promise.resolve(),
    isAhead: () => false,
    oomKills: () => Promise.resolve(0),
  });
  const watch = new PageWatch(
    {
      ...{ live, browser, observer, health, limits, elapsed },
      pageIs: () => {},
      hand: {
        pressEscape: () => Promise.resolve(),
        takePointer: () => Promise.resolve(),
        resetZoom: () => Promise.resolve(),
      },
    },
    page,
    1_000_000,
  );
  /** Rounds a second apart, until a look has found the page. */
  const untilSeen = async () => {
    const { looks } = state;
    await until("a look", () => {
      clock.now += limits.pageLookMs;
      watch.tick(page);
      return state.looks > looks;
    });
  };
  return Object.assign(state, { watch, page, health, untilSeen, [Symbol.dispose]: () => watch.close() });
}

Deno.test("a page that was brought home before its browser said what windows it has is left alone", async () => {
  using stream = watched();
  stream.refuses = true;
  stream.watch.tick(stream.page);
  await assert.rejects(stream.watch.home(stream.page), /does not answer/);
  stream.refuses = false;
  await stream.watch.home(stream.page);
  await stream.untilSeen();
  assert.deepEqual([stream.opened, stream.health.page?.state], [0, "ok"]);
});

Deno.test("whoever brings a page home at the same time does it one after the other", async () => {
  using stream = watched();
  stream.tabs = [];
  await Promise.all(Array.from({ length: 3 }, () => stream.watch.home(stream.page)));
  assert.deepEqual(
    [stream.opened, stream.tabs.length],
    [1, 1],
    "the first opens a window, the others use it",
  );
});
