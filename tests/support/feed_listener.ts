/** Listens to /api/events as a program does. */
import { strict as assert } from "node:assert";
import { EventParser } from "../../components/client/eventParser.ts";
import { withTimeout } from "../../lib/machine/tools/time.ts";
import { patience } from "./same.ts";
import type { FeedData, FeedEvent } from "../../lib/model/answers/shapes.ts";

export class FeedListener implements AsyncDisposable {
  /** All text so far. */
  text = "";
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  #decoder = new TextDecoder();
  #parser = new EventParser();
  #events: FeedEvent[] = [];

  constructor(answer: Response) {
    assert.equal(answer.status, 200);
    this.#reader = answer.body!.getReader();
  }

  /** The next event; undefined at the end of the connection. */
  async next(): Promise<FeedEvent | undefined> {
    while (this.#events.length === 0) {
      const piece = await this.piece();
      if (piece === undefined) return undefined;
      const events = this.#parser.push(piece);
      this.#events.push(...events.map(({ name, data }) => ({ name, data: JSON.parse(data) }) as FeedEvent));
    }
    return this.#events.shift();
  }

  /** The next event of this name, whatever comes before. */
  async until<Name extends keyof FeedData>(name: Name): Promise<FeedData[Name]> {
    for (let event = await this.next(); event; event = await this.next()) {
      if (event.name === name) return event.data as FeedData[Name];
    }
    assert.fail(`the connection ended without "${name}"`);
  }

  /** What comes next, as text. */
  async piece(): Promise<string | undefined> {
    const { done, value } = await withTimeout(patience(), this.#reader.read(), "nothing was told in time");
    if (done) return undefined;
    const piece = this.#decoder.decode(value, { stream: true });
    this.text += piece;
    return piece;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }
}
