/** One stream's page, kept as the service keeps it, in a browser that lives in memory, by a clock of the test. */
import { setImmediate } from "node:timers";
import { PageKeeper } from "../../lib/live/page/keeper.ts";
import type { Around } from "../../lib/live/ground.ts";
import type { Stream } from "../../lib/model/schema.ts";
import { FakeBrowser } from "./fake_browser.ts";
import { aGround, aKeptStream } from "./ground.ts";

/** Of the event loop: as many as a look takes. */
const TURNS = 20;

/** The browser shows the page already. */
export function aKeptPage(fields: Partial<Stream> = {}, around: Partial<Around> = {}) {
  const world = aGround({ around });
  const { ground, machine, clock } = world;
  const live = aKeptStream(world, fields);
  const browser = new FakeBrowser();
  machine.browsers.of = () => browser.control;
  browser.start();
  browser.go(browser.front!, live.stream!.url);
  const keeper = new PageKeeper(live, ground, live.spec!);
  const pass = async (seconds: number) => {
    for (; seconds > 0; seconds--) {
      clock.now += 1000;
      keeper.tick(live.stream!);
      // what a tick begins lives in memory, and takes no time but turns
      for (let turn = 0; turn < TURNS; turn++) await new Promise<void>((done) => void setImmediate(done));
    }
  };
  return { world, browser, live, keeper, pass };
}
