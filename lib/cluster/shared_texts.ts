/** Texts that all nodes share, each a record of one bucket: access tokens, walls, receivers of messages, the sessions' secret. */
import { notKnown, type SharedText } from "../store/shared_text.ts";
import { happensWithin } from "../machine/tools/time.ts";
import { type Bucket, ConflictError } from "./buckets.ts";

/** Milliseconds until a text that another node wrote has come here. */
const NEWS_MS = 2000;

class Text implements SharedText {
  onchange: () => void = () => {};
  text: string | null = null;
  revision = 0;
  #key: string;
  #bucket: Bucket;
  #news = Promise.withResolvers<void>();

  constructor(key: string, bucket: Bucket) {
    this.#key = key;
    this.#bucket = bucket;
  }

  take(text: string | null, revision: number): void {
    if (revision <= this.revision) return;
    this.revision = revision;
    this.text = text;
    const { resolve } = this.#news;
    this.#news = Promise.withResolvers();
    resolve();
    this.onchange();
  }

  async put(text: string, known: string | null): Promise<boolean> {
    if (known !== this.text) return false;
    const { revision } = this;
    try {
      this.take(text, await this.#bucket.put(this.#key, text, known === null ? 0 : revision));
      return true;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw notKnown(error);
      const isNew = async () => {
        while (this.revision <= revision) await this.#news.promise;
      };
      await happensWithin(NEWS_MS, isNew());
      return false;
    }
  }
}

export class SharedTexts {
  #bucket: Bucket;
  #texts = new Map<string, Text>();

  private constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  /** Follows the texts until the signal aborts. @throws {AwayError} */
  static async open(bucket: Bucket, signal: AbortSignal): Promise<SharedTexts> {
    const texts = new SharedTexts(bucket);
    await bucket.watch(({ key, text, revision }) => texts.#of(key).take(text, revision), signal);
    return texts;
  }

  /** @param key of a-z and "-". */
  of(key: string): SharedText {
    return this.#of(key);
  }

  #of(key: string): Text {
    let text = this.#texts.get(key);
    if (!text) this.#texts.set(key, text = new Text(key, this.#bucket));
    return text;
  }
}
