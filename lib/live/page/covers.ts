/**
 * What viewers see while a stream's page is broken: the last good picture, a slate, or the page as it is. While the page
 * is good, its display keeps a copy of itself every now and then; no picture leaves the X server. The page watchdog says
 * what it sees by `pageIs`, its only call.
 */
import type { StreamId } from "../../model/id.ts";
import type { Stream } from "../../model/schema.ts";
import { errorText, log } from "../../system/log.ts";
import type { Part } from "../../system/part.ts";
import { Loop } from "../../system/time.ts";
import type { Kept, ScreenCover } from "../../x11/cover.ts";
import { type Started, StreamEntries } from "../stream_entries.ts";

/** Between two rounds that look whether somebody came to, or left, a broken page. */
const ROUND_MS = 1000;

/** Rounds that a browser which was restarted gets to open its page. */
const BARE_ROUNDS = 3;

export interface CoveredStream extends Started {
  display: number;
  name: string;
  whileBroken: Stream["whileBroken"];
}

export interface PageCoversParts {
  /** A stream that runs and is wanted to. */
  stream(id: StreamId): CoveredStream | undefined;
  /** How many people are in the stream's browser by VNC. */
  viewers(id: StreamId): number;
  openCover(display: number): Promise<ScreenCover>;
  /** The slate as pixels. @throws {Error} when the browser draws none. */
  drawSlate(stream: CoveredStream, size: { width: number; height: number }): Promise<Uint8Array>;
  /** Has the page watchdog look at a page at its next round. */
  lookSoon(id: StreamId): void;
  /** Resolves when a page that is good again is on its display, or takes too long. */
  painted(id: StreamId): Promise<void>;
}

/** What is to lie over a display. Pure. */
export function wantedCover(
  isGood: boolean,
  viewers: number,
  { whileBroken }: Pick<Stream, "whileBroken">,
): "nothing" | "last" | "slate" {
  // whoever is there has come to see what is wrong
  if (isGood || viewers > 0 || whileBroken === "page") return "nothing";
  return whileBroken;
}

interface Entry {
  isGood: boolean;
  /** What is good has been painted on the display. */
  isPainted: boolean;
  /** The browser's window is gone, and the page was not seen since. */
  isBare: boolean;
  bareRounds: number;
  cover: ScreenCover | null;
  /** Of the last look at a good page; and of the one before, which is known to have stayed good. */
  newest: Kept | null;
  good: Kept | null;
  slate: { picture: Kept; name: string } | null;
  /** Of another name; it may still be shown. */
  oldSlate: Kept | null;
  shown: Kept | null;
  work: Promise<void>;
}

const NO_PICTURES = { cover: null, newest: null, good: null, slate: null, oldSlate: null, shown: null };

function newEntry(): Entry {
  const page = { isGood: true, isPainted: false, isBare: false, bareRounds: 0 };
  return { ...page, ...NO_PICTURES, work: Promise.resolve() };
}

export class PageCovers implements Part {
  #parts: PageCoversParts;
  #entries = new StreamEntries<CoveredStream, Entry>(newEntry, (_, { cover }) => cover?.[Symbol.dispose]());
  #loop = new Loop("displays not covered");

  constructor(parts: PageCoversParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start(ROUND_MS, () => this.round());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    const works = [...this.#entries].map(([, { work }]) => work);
    this.#entries.clear();
    await Promise.all(works);
  }

  /** What the page watchdog has just seen of a page. Resolves when the display is as it should be. */
  pageIs(id: StreamId, isGood: boolean): Promise<void> {
    const stream = this.#parts.stream(id);
    if (!stream) {
      this.#entries.forget(id);
      return Promise.resolve();
    }
    return this.#queue(this.#entries.of(stream), stream, isGood);
  }

  /** Whether the display shows the stream's page, painted; not an empty window, and nothing that covers it. */
  showsPage(id: StreamId): boolean {
    const entry = this.#entries.get(id);
    return entry !== undefined && entry.isGood && entry.isPainted && entry.shown === null;
  }

  /** Covers and uncovers broken pages as people come and go, and forgets streams that were stopped. */
  round(): void {
    for (const [id] of this.#entries) {
      const stream = this.#parts.stream(id);
      if (!stream) {
        this.#entries.forget(id);
        continue;
      }
      const entry = this.#entries.of(stream);
      if (!entry.isGood) {
        // at first the new browser is left alone to open its page
        if (entry.isBare && ++entry.bareRounds >= BARE_ROUNDS) this.#parts.lookSoon(id);
        this.#queue(entry, stream, false);
      }
    }
  }

  /** One after the other: a picture must be there before it is shown. */
  #queue(entry: Entry, stream: CoveredStream, isGood: boolean): Promise<void> {
    entry.isGood = isGood;
    if (isGood) entry.isBare = false;
    else entry.isPainted = false;
    return entry.work = entry.work.then(() => this.#settle(entry, stream, isGood)).catch((error) =>
      // a display that is being restarted
      log("debug", "display not covered", { stream: stream.id, error: errorText(error) })
    );
  }

  async #settle(entry: Entry, stream: CoveredStream, isGood: boolean): Promise<void> {
    if (this.#entries.get(stream.id) !== entry) return;
    if (isGood && !entry.isPainted) {
      await this.#parts.painted(stream.id);
      if (!entry.isGood) return;
      entry.isPainted = true;
    }
    const viewers = this.#parts.viewers(stream.id);
    const cover = await this.#opened(entry, stream);
    const wanted = wantedCover(isGood, viewers, stream);
    if (wanted === "nothing") {
      if (entry.shown !== null) {
        await cover.hide();
        entry.shown = null;
        log("info", "display uncovered", { stream: stream.id });
      } else if (isGood && viewers === 0) await this.#keep(entry, cover);
      return;
    }
    // a stream that was never good has no picture of that
    const last = wanted === "last" ? entry.good ?? entry.newest : null;
    const picture = last ?? await this.#slate(entry, stream, cover);
    if (entry.shown === picture) return;
    await cover.show(picture);
    entry.shown = picture;
    if (entry.oldSlate !== null) cover.forget(entry.oldSlate);
    entry.oldSlate = null;
    log("info", "display covered", { stream: stream.id, with: last === null ? "slate" : "last" });
  }

  /** The newest picture may already be of a page that was breaking just then; the one before is known to be good. */
  async #keep(entry: Entry, cover: ScreenCover): Promise<void> {
    const old = entry.good;
    entry.good = entry.newest;
    entry.newest = null;
    if (old !== null) cover.forget(old);
    entry.newest = await cover.keep();
  }

  async #slate(entry: Entry, stream: CoveredStream, cover: ScreenCover): Promise<Kept> {
    if (entry.slate?.name === stream.name) return entry.slate.picture;
    const pixels = await this.#parts.drawSlate(stream, cover.size);
    entry.oldSlate = entry.slate?.picture ?? null;
    entry.slate = { picture: await cover.load(pixels), name: stream.name };
    return entry.slate.picture;
  }

  /** The connection to the display, a new one if it was restarted: then its pictures are gone. */
  async #opened(entry: Entry, stream: CoveredStream): Promise<ScreenCover> {
    if (entry.cover?.isOpen) return entry.cover;
    Object.assign(entry, NO_PICTURES);
    const cover = await this.#parts.openCover(stream.display);
    if (this.#entries.get(stream.id) !== entry) {
      cover[Symbol.dispose]();
      throw new Error("the stream was stopped");
    }
    cover.onbare = () => {
      const now = this.#parts.stream(stream.id);
      if (!now) return;
      Object.assign(entry, { isBare: true, bareRounds: 0 });
      this.#queue(entry, now, false);
    };
    return entry.cover = cover;
  }
}
