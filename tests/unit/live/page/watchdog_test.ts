/** The looks at a stream's page and what follows, with a pretended browser; what follows is decided elsewhere. */
import assert from "node:assert/strict";
import { PageWatchdog } from "../../../../lib/live/page/watchdog.ts";
import { Browser } from "../../../../lib/devtools/client.ts";
import type { Wire } from "../../../../lib/devtools/connection.ts";
import { OPENING_MARK } from "../../../../lib/devtools/open_page.ts";
import { streamId } from "../../../../lib/model/id.ts";
import { DEFAULT_TIMINGS } from "../../../../lib/timings.ts";
import { pretendedWire } from "../../../support/pretended_wire.ts";
import { until } from "../../../support/same.ts";

const id = streamId("wall");
const URL = "https://wall.example/board";

/** A watchdog of one stream, whose browser can refuse to say what windows it has. */
function watched() {
  const state = { refuses: false, now: 1_000_000, tabs: ["A".repeat(32)], opened: 0, looks: 0, health: "" };
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
  const watchdog = new PageWatchdog({
    running: () => [{
      id,
      url: URL,
      accepted: [],
      acceptedStatuses: [],
      sites: [],
      loginOrigins: [],
      hasLogin: false,
      pageSeconds: 30,
      startedAt: 1_000_000,
    }],
    isKnown: () => true,
    isBusy: () => false,
    viewers: () => 1,
    browser: () => new Browser(wire),
    oomKills: () => Promise.resolve(0),
    health: {
      find: (_, { state: found }) => void (state.health = found),
      changeTo: () => {},
      forget: () => {},
    },
    addEvent: () => {},
    limits: DEFAULT_TIMINGS,
    elapsed: () => state.now,
  });
  /** Rounds a second apart, until a look has found the page. */
  const untilSeen = async () => {
    const { looks } = state;
    await until("a look", () => {
      state.now += DEFAULT_TIMINGS.pageLookMs;
      watchdog.round();
      return state.looks > looks;
    });
  };
  return Object.assign(state, { watchdog, untilSeen, [Symbol.asyncDispose]: () => watchdog.stop() });
}

Deno.test("a page that was brought home before its browser said what windows it has is left alone", async () => {
  await using stream = watched();
  stream.refuses = true;
  stream.watchdog.round();
  await assert.rejects(stream.watchdog.home(id), /does not answer/);
  stream.refuses = false;
  await stream.watchdog.home(id);
  await stream.untilSeen();
  assert.deepEqual([stream.opened, stream.health], [0, "ok"]);
});

Deno.test("whoever brings a page home at the same time does it one after the other", async () => {
  await using stream = watched();
  stream.tabs = [];
  await Promise.all(Array.from({ length: 3 }, () => stream.watchdog.home(id)));
  assert.deepEqual(
    [stream.opened, stream.tabs.length],
    [1, 1],
    "the first opens a window, the others use it",
  );
});
