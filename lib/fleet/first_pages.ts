/** Looks for started browsers, so that each opens its stream's page; lets streams' helpers talk to their browsers. */
import type { Browsers } from "../browser/hubs.ts";
import type { FirstPage } from "../live/page/first_page.ts";
import type { StreamId } from "../model/id.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import type { Timings } from "../timings.ts";

export interface FirstPagesParts {
  /** The first pages of the started streams that are to run, and of a page under trial. */
  running(): readonly FirstPage[];
  browsers: Browsers;
  /** The number of people in a stream's browser by VNC, for the stream's helpers. */
  viewers(id: StreamId): number;
  limits: Pick<Timings, "browserLookMs" | "browserRestMs">;
  elapsed(): number;
}

/** The least milliseconds between two looks for streams whose helpers are to be let in. */
const SERVE_MS = 500;

export class FirstPages implements Part {
  #parts: FirstPagesParts;
  #loop = new Loop("first pages not opened");
  #serveAt = 0;

  constructor(parts: FirstPagesParts) {
    this.#parts = parts;
  }

  start(): void {
    const { running, limits: { browserLookMs, browserRestMs } } = this.#parts;
    const isComplete = () => running().every(({ isConnected }) => isConnected);
    this.#loop.start(() => isComplete() ? browserRestMs : browserLookMs, () => this.round());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#parts.running().map((first) => first.close()));
    await this.#parts.browsers.stop();
  }

  /** Looks for browsers that were started. */
  round(): void {
    const { running, browsers, viewers, elapsed } = this.#parts;
    const all = running();
    if (elapsed() >= this.#serveAt) {
      this.#serveAt = elapsed() + SERVE_MS;
      void browsers.serve(all.map(({ id }) => id), viewers);
    }
    for (const first of all) first.look(() => this.#loop.wake());
  }
}
