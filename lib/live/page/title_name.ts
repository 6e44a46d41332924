/** Names a stream by its page's title, once, if nobody has set its name. */
import type { DevTools } from "../../browser/client.ts";
import { worldOf } from "../../browser/document.ts";
import { withTimeout } from "../../machine/tools/time.ts";
import { nameOfTitle } from "../../model/entered/title_name.ts";
import type { Stream } from "../../model/schema.ts";
import type { StartedPage } from "./started_page.ts";

/** A title has to stay so long, in ms: until then many pages have "Loading…". */
const STAYS_MS = 3000;

/** Most characters of a title that are read. */
const MOST_READ = 500;

/** In our world of the page: its title; null: it is no page of text, or has not loaded. */
function titleOf(most: number): string | null {
  const isPage = /^(text\/html|application\/xhtml\+xml)$/.test(document.contentType);
  return isPage && document.readyState === "complete" ? document.title.slice(0, most) : null;
}

export class TitleName {
  #started: StartedPage;
  #title = "";
  /** When the title was first seen, in ms of the steady clock. */
  #since = 0;

  constructor(started: StartedPage) {
    this.#started = started;
  }

  /** Takes a look at a good page of the stream's own address. @throws {Error} when the page does not answer. */
  async see(page: DevTools, frameId: string): Promise<void> {
    const { live, ground: { machine, config: { TIMINGS } } } = this.#started;
    if (!live.stream?.nameFollowsTitle) return;
    const ask = await worldOf(page, frameId, "browser-stream-title");
    const found = await withTimeout(TIMINGS.pageSilentMs, ask(`(${titleOf})(${MOST_READ})`));
    const title = typeof found === "string" ? found.slice(0, MOST_READ) : "";
    const now = machine.elapsed();
    if (title !== this.#title) [this.#title, this.#since] = [title, now];
    if (title !== "" && now - this.#since >= STAYS_MS) await this.#name(title);
  }

  /** The revision stays: whoever edits the stream just now has a form without its name. */
  async #name(title: string): Promise<void> {
    const { live, ground: { store } } = this.#started;
    let given: string | null = null;
    await store.change((streams) => {
      given = null;
      const before = streams.find(({ id }) => id === live.id);
      if (!before?.nameFollowsTitle) return streams;
      const others = streams.filter((stream) => stream !== before);
      const name = nameOfTitle(title, new Set(others.map((stream) => stream.name)));
      if (name === null) return streams;
      given = name;
      const { nameFollowsTitle: _, ...stream } = before;
      return streams.map((one) => one === before ? { ...stream, name } as Stream : one);
    });
    if (given !== null) live.tell("stream", `Its name is now “${given}”, as its page's title.`);
  }
}
