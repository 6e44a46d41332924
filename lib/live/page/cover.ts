/**
 * The picture that viewers see while a stream's page is broken: the last good picture, a slate, or the page as it is.
 * While the page is good, its display keeps a copy of itself every now and then; no picture leaves the X server.
 */
import { untilShown } from "./looks/painted.ts";
import { slatePixels } from "./looks/slate.ts";
import type { Stream } from "../../model/schema.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import type { Kept, ScreenCover } from "../../display/x11/cover.ts";
import type { StartedPage } from "./started_page.ts";

/** Ticks that a restarted browser gets to open its page. */
const BARE_TICKS = 3;

/** The cover that a display is to have. Pure. */
export function wantedCover(
  isGood: boolean,
  viewers: number,
  { whileBroken }: Pick<Stream, "whileBroken">,
): "nothing" | "last" | "slate" {
  // a person in the browser wants to see the fault
  if (isGood || viewers > 0 || whileBroken === "page") return "nothing";
  return whileBroken;
}

interface Pictures {
  cover: ScreenCover | null;
  /** Pictures of the last look at a good page, and of the look before: that page is known to have stayed good. */
  newest: Kept | null;
  good: Kept | null;
  slate: { picture: Kept; name: string } | null;
  /** The slate with the earlier name; it may still be shown. */
  oldSlate: Kept | null;
  shown: Kept | null;
}

const NO_PICTURES: Readonly<Pictures> = {
  cover: null,
  newest: null,
  good: null,
  slate: null,
  oldSlate: null,
  shown: null,
};

/** One display's cover, for one start of its stream. */
export class PageCover {
  #started: StartedPage;
  #isGood: boolean | null = null;
  /** A cover is about to be shown. */
  #isCovering = false;
  /** The good page has been painted on the display. */
  #isPainted = false;
  /** The browser's window is gone, and the page was not seen since. */
  #isBare = false;
  #bareTicks = 0;
  /** Whether viewers hear the page; null: that is unknown, as an earlier web app may have covered it. */
  #isHeard: boolean | null = null;
  #soundPid = 0;
  #pictures: Pictures = { ...NO_PICTURES };
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(started: StartedPage) {
    this.#started = started;
  }

  /** The stream; undefined: it is not to run. */
  get #stream(): Stream | undefined {
    const { stream } = this.#started.live;
    return stream?.desiredState === "running" ? stream : undefined;
  }

  /** Takes the cover away; resolves when nothing is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pictures.cover?.[Symbol.dispose]();
    await this.#work;
  }

  /** Takes the pid of the stream's sound server; 0: it is down. One that was started again is not muted any more. */
  soundServerIs(pid: number): void {
    if (pid !== this.#soundPid) this.#isHeard = null;
    this.#soundPid = pid;
  }

  /** Takes the result of a look at the page. Resolves when the display is as it should be. */
  pageIs(isGood: boolean): Promise<void> {
    const stream = this.#stream;
    return stream ? this.#queue(stream, isGood) : Promise.resolve();
  }

  /** Whether the display shows the stream's page: painted, no empty window, and without a cover. */
  get showsPage(): boolean {
    return this.#isGood === true && this.#isPainted && this.#pictures.shown === null;
  }

  /** Whether viewers see a cover, or are about to. */
  get isShown(): boolean {
    return this.#isCovering || this.#pictures.shown !== null;
  }

  /**
   * Covers and uncovers a broken page as people come and go.
   * @returns whether the page is worth a look: it may be back in a browser that was restarted.
   */
  tick(): boolean {
    const stream = this.#stream;
    if (!stream || this.#isGood !== false) return false;
    this.#queue(stream, false);
    // at first the new browser is left alone to open its page
    return this.#isBare && ++this.#bareTicks >= BARE_TICKS;
  }

  /** Queues the changes of the cover: a picture must be there before it is shown. */
  #queue(stream: Stream, isGood: boolean): Promise<void> {
    this.#isGood = isGood;
    if (isGood) this.#isBare = false;
    else this.#isPainted = false;
    return this.#work = this.#work.then(() => this.#settle(stream, isGood)).catch((error) =>
      // the display is being restarted
      log("debug", "display not covered", { stream: stream.id, error: errorText(error) })
    );
  }

  async #settle(stream: Stream, isGood: boolean): Promise<void> {
    if (this.#isClosed) return;
    if (isGood && !this.#isPainted) {
      await untilShown(this.#started.browser);
      if (!this.#isGood) return;
      this.#isPainted = true;
    }
    const viewers = this.#started.live.viewers;
    const cover = await this.#opened().catch(async (error) => {
      // nothing lies over the page
      if (!this.#isClosed) await this.#setHeard(stream, true);
      throw error;
    });
    const pictures = this.#pictures;
    const wanted = wantedCover(isGood, viewers, stream);
    if (wanted === "nothing") {
      if (pictures.shown !== null) {
        await cover.hide();
        pictures.shown = null;
        log("info", "display uncovered", { stream: stream.id });
      } else if (isGood && viewers === 0) await this.#keep(cover);
      return await this.#setHeard(stream, true);
    }
    // a page that was never good has no good picture
    const last = wanted === "last" ? pictures.good ?? pictures.newest : null;
    const picture = last ?? await this.#slate(stream, cover);
    if (pictures.shown === picture) return await this.#setHeard(stream, false);
    await this.#show(cover, picture);
    pictures.shown = picture;
    if (pictures.oldSlate !== null) cover.forget(pictures.oldSlate);
    pictures.oldSlate = null;
    log("info", "display covered", { stream: stream.id, with: last === null ? "slate" : "last" });
    await this.#setHeard(stream, false);
  }

  /** A cover is no picture of the past. */
  async #show(cover: ScreenCover, picture: Kept): Promise<void> {
    const { live } = this.#started;
    this.#isCovering = true;
    try {
      await live.recording.hold("cover").catch((error) =>
        log("warn", "a cover may be kept as a picture of the past", {
          stream: live.id,
          error: errorText(error),
        })
      );
      await cover.show(picture);
    } finally {
      this.#isCovering = false;
    }
  }

  /** Viewers who do not see the page do not hear it either. The next look tries again after a failure. */
  async #setHeard({ id, audio }: Stream, isHeard: boolean): Promise<void> {
    if (!audio || this.#isHeard === isHeard) return;
    this.#isHeard = null;
    const pid = this.#soundPid;
    const { broker } = this.#started.ground.machine;
    await broker[isHeard ? "unmute" : "mute"](id).then(
      () => {
        if (pid === this.#soundPid) this.#isHeard = isHeard;
      },
      (error) => log("debug", "sound not set", { stream: id, error: errorText(error) }),
    );
  }

  /** The newest picture may show a page that was breaking just then; the picture before is known to be good. */
  async #keep(cover: ScreenCover): Promise<void> {
    const pictures = this.#pictures;
    const old = pictures.good;
    pictures.good = pictures.newest;
    pictures.newest = null;
    if (old !== null) cover.forget(old);
    pictures.newest = await cover.keep();
  }

  async #slate(stream: Stream, cover: ScreenCover): Promise<Kept> {
    const pictures = this.#pictures;
    if (pictures.slate?.name === stream.name) return pictures.slate.picture;
    const pixels = await slatePixels(this.#started.browser, stream.name, cover.size);
    pictures.oldSlate = pictures.slate?.picture ?? null;
    pictures.slate = { picture: await cover.load(pixels), name: stream.name };
    return pictures.slate.picture;
  }

  /** The connection to the display: a new connection after a restart, which loses the pictures. */
  async #opened(): Promise<ScreenCover> {
    if (this.#pictures.cover?.isOpen) return this.#pictures.cover;
    this.#pictures = { ...NO_PICTURES };
    const { ground: { machine }, display } = this.#started;
    const cover = await machine.openCover(display);
    if (this.#isClosed) {
      cover[Symbol.dispose]();
      throw new Error("the stream was stopped");
    }
    cover.onbare = () => {
      const stream = this.#stream;
      if (!stream || this.#isClosed) return;
      this.#isBare = true;
      this.#bareTicks = 0;
      this.#queue(stream, false);
    };
    return this.#pictures.cover = cover;
  }
}
