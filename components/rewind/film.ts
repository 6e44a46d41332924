/** Plays lists of the past in a video element by hls.js, which is loaded with the first of them. */
import type HlsType from "hls.js";
import type { Events, Fragment } from "hls.js";

declare const Hls: typeof HlsType | undefined;

/** A picture's time is this much less than it was at most, in s. */
const LATE = 0.01;

let library: Promise<void> | undefined;

/** Loads hls.js once. @param src its address. @throws {Error} */
function loadLibrary(src: string): Promise<void> {
  return library ??= new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = src;
    script.onload = () => done();
    script.onerror = () => {
      library = undefined;
      script.remove();
      fail(new Error("The player could not be loaded. Reload the page, then try again."));
    };
    document.head.append(script);
  });
}

/** A channel's film, which others may hold: films.ts keeps those of a wall in step. Moments are Unix times in s. */
export class Film {
  /** The moment of the picture that is on the screen; null: there is none yet. */
  shown: number | null = null;
  /** Why it does not go on. */
  problem: string | null = null;
  #library: string;
  #hls: HlsType | null = null;
  #number = 0;
  #video: HTMLVideoElement | null = null;
  #parts: readonly Fragment[] = [];
  #speed = 1;
  #isHeld = false;
  /** Nothing of the list's time is kept. */
  #isEmpty = false;

  /** @param library the address of hls.js. */
  constructor(library: string) {
    this.#library = library;
  }

  /** Whether it has come to its end, or there is nothing to come. */
  get isOver(): boolean {
    return this.problem !== null || this.#isEmpty || this.#parts.length > 0 && this.#video!.ended;
  }

  /** Whether it could go on at once. */
  get isReady(): boolean {
    const video = this.#video;
    return video !== null && !video.seeking && video.readyState >= video.HAVE_FUTURE_DATA;
  }

  /** How far it is, to parts of a second. Null: its list is not there yet. */
  get time(): number | null {
    return this.#parts.length === 0 ? null : this.#momentOf(this.#video!.currentTime);
  }

  /** Begins, and ends the one before. @param speed of the list. @param onframe is called with each picture, and problem. */
  async play(video: HTMLVideoElement, list: string, speed: number, onframe: () => void): Promise<void> {
    this.stop();
    const number = this.#number;
    Object.assign(this, { shown: null, problem: null });
    const fail = (problem: string) => {
      if (number !== this.#number) return;
      this.problem = problem;
      onframe();
    };
    try {
      await loadLibrary(this.#library);
    } catch (error) {
      return fail((error as Error).message);
    }
    if (number !== this.#number) return;
    if (!Hls?.isSupported()) return fail("This browser plays no film here. Step by the arrow keys.");
    [this.#video, this.#speed] = [video, speed];
    // events are the bar's; as cues they would need a text track by an address that our pages may not load
    const hls = this.#hls = new Hls({
      enableDateRangeMetadataCues: false,
      enableID3MetadataCues: false,
      enableEmsgMetadataCues: false,
    });
    hls.on("hlsError" as Events.ERROR, (_, { fatal, response }) => {
      if (fatal && this.#parts.length === 0 && response?.code === 404) {
        this.#isEmpty = true;
        onframe();
      } else if (fatal) fail("The film could not be played on. Try again, or step by the arrow keys.");
    });
    hls.on(
      "hlsLevelLoaded" as Events.LEVEL_LOADED,
      (_, { details }) => void (this.#parts = details.fragments),
    );
    video.muted = true;
    video.onended = onframe;
    hls.attachMedia(video);
    hls.loadSource(list);
    if (!this.#isHeld) this.#run();
    const tell = (time: number) => {
      if (number !== this.#number) return;
      if (this.#parts.length > 0) {
        this.shown = Math.floor(this.#momentOf(time + LATE));
        onframe();
      }
      follow();
    };
    const follow = () => {
      if ("requestVideoFrameCallback" in video) {
        video.requestVideoFrameCallback((_, { mediaTime }) => tell(mediaTime));
      } else requestAnimationFrame(() => tell((video as HTMLVideoElement).currentTime));
    };
    follow();
  }

  /** Stands, or goes on. */
  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    if (isHeld) this.#video?.pause();
    else this.#run();
  }

  /** Goes to a moment, or to the next one that it has. */
  seek(at: number): void {
    const part = this.#parts.find((part) => dateOf(part) + part.duration * this.#speed > at);
    if (part) this.#video!.currentTime = part.start + Math.max(0, at - dateOf(part)) / this.#speed;
  }

  stop(): void {
    this.#number++;
    this.#hls?.destroy();
    this.#hls = null;
    Object.assign(this, { shown: null });
    [this.#parts, this.#isHeld, this.#isEmpty] = [[], false, false];
  }

  #run(): void {
    this.#video?.play().catch(() => {}); // begins when there is something, or says so by an error
  }

  /** The list has a date at each part's beginning, from where time goes by faster. */
  #momentOf(time: number): number {
    const part = this.#parts.findLast(({ start }) => start <= time) ?? this.#parts[0];
    return dateOf(part) + Math.max(0, time - part.start) * this.#speed;
  }
}

function dateOf({ programDateTime }: Fragment): number {
  return programDateTime! / 1000;
}
