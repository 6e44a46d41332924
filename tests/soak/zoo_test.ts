/** The page zoo on the air: each kind of page as its author meant it, by its picture and by what its stream says. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { slotPaths } from "../../lib/paths.ts";
import { otherPixels } from "../support/lone_browser.ts";
import { temporaryPolicies } from "../support/own_policies.ts";
import { RemoteBrowser } from "../support/remote_browser.ts";
import { until } from "../support/same.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { GREEN, type Kind, kinds, type ZooServer, zooServer } from "../support/zoo.ts";

const serviceTest = sharedService({
  ...temporaryPolicies(),
  timings: {
    pageLookMs: 500,
    pageCheckMs: 3000,
    pageAwayMs: 1000,
    pageAnswerMs: 1500,
    statusCacheMs: 200,
    // what is wrong stays so while it is looked at
    pageRetryMs: 60_000,
    pageLongestRetryMs: 60_000,
  },
});

/** Streams that show the kinds, each its own part of them. */
const STREAMS = 3;

/** Looks in a row that have to be right, each of which takes a quarter of a second. */
const RIGHT_LOOKS = 2;

class Screen {
  readonly #service: TestService;
  readonly #server: ZooServer;
  readonly #id: string;
  readonly #browser: RemoteBrowser;
  readonly #display: { name: string; xauthority: string };

  private constructor(service: TestService, server: ZooServer, id: string, display: number) {
    this.#service = service;
    this.#server = server;
    this.#id = id;
    this.#browser = new RemoteBrowser(service, id);
    const { xauthority } = slotPaths({ slotsDir: join(service.runDir, "slots") }, display);
    this.#display = { name: `:${display}`, xauthority };
  }

  static async open(service: TestService, server: ZooServer, name: string): Promise<Screen> {
    const fields = { resolution: "1280x720", scale: "320x180", fps: 10, whileBroken: "page" };
    const more = { acceptedStatuses: "403 404", pageSeconds: 10 };
    const { id } = await service.create({ name, url: server.url, ...fields, ...more });
    await service.untilState(id, "running");
    const { display } = JSON.parse(await Deno.readTextFile(join(service.runDir, "streams", `${id}.json`)));
    return new Screen(service, server, id, display);
  }

  /** @returns what is wrong with how a kind is shown; null: nothing. */
  async problem({ name, state, isGreen, next }: Kind): Promise<string | null> {
    this.#server.show(name);
    const before = await this.#document();
    await until("the page to be opened", async () => {
      return (await this.#service.api("POST", `/api/streams/${this.#id}/home`)).ok;
    });
    let seen = "";
    let rightLooks = 0;
    const isRight = async () => {
      const isNew = await this.#document() !== before;
      const { page } = await this.#service.status(this.#id);
      const others = await otherPixels(this.#display.name, GREEN, this.#display.xauthority);
      seen = `${isNew ? "" : "not opened, "}${page?.state} ${page?.status}, ${
        Math.round(100 * (1 - others))
      } % green`;
      const isSo = isNew && page?.state === state && (!isGreen || others < 0.2);
      rightLooks = isSo ? rightLooks + 1 : 0;
      // the first may be of the page before, which is green as well
      return rightLooks > RIGHT_LOOKS;
    };
    const problem = await until(name, isRight).then(
      () => null,
      () => `${name}: ${seen}, wanted ${state}${isGreen ? ", green" : ""}`,
    );
    if (problem !== null || !next) return problem;
    const isNext = async () => await otherPixels(this.#display.name, next, this.#display.xauthority) < 0.2;
    return await until("what comes next", isNext).then(() => null, () => `${name}: its next page never came`);
  }

  /** Another text for each document. */
  async #document(): Promise<string> {
    return await this.#browser.evaluate<string>("`${performance.timeOrigin} ${location.href}`").catch(() =>
      "none"
    );
  }

  async events(): Promise<string> {
    return await (await this.#service.api("GET", `/api/streams/${this.#id}/events`)).text();
  }
}

serviceTest(
  "each kind of page is shown as its author meant it, and its stream says how it is",
  async (service) => {
    const chosen = await kinds();
    const found = await Promise.all(
      Array.from({ length: STREAMS }, async (_, at) => {
        await using server = zooServer();
        const screen = await Screen.open(service, server, `Zoo ${at + 1}`);
        const problems: string[] = [];
        for (const kind of chosen.filter((_, index) => index % STREAMS === at)) {
          const problem = await screen.problem(kind);
          if (problem !== null) problems.push(problem);
        }
        return { problems, events: await screen.events() };
      }),
    );
    assert.deepEqual(found.flatMap(({ problems }) => problems), []);
    const asked = found.flatMap(({ events }) => events.match(/asked for a program for zoommtg:/g) ?? []);
    assert.equal(asked.length, 1, "one event for what a page asked for");
  },
);
