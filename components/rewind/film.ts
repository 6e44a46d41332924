/** Plays lists of the past in a video element by hls.js, which is loaded with the first of them. */
import type HlsType from "hls.js";

declare const Hls: typeof HlsType | undefined;

/** Seconds of film that are loaded ahead for a second of watching. */
const AHEAD = 40;

export interface FilmEvents {
  /** The film's moment, in Unix s, with each picture of the screen. */
  onmoment: (at: number) => void;
  /** The list's end. */
  onend: () => void;
  onfail: (problem: string) => void;
}

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

export class Film {
  #library: string;
  #hls: HlsType | null = null;
  #frame = 0;
  #number = 0;

  /** @param library the address of hls.js. */
  constructor(library: string) {
    this.#library = library;
  }

  /** Ends the one before. */
  async play(video: HTMLVideoElement, list: string, rate: number, events: FilmEvents): Promise<void> {
    this.stop();
    const number = ++this.#number;
    try {
      await loadLibrary(this.#library);
    } catch (error) {
      return events.onfail((error as Error).message);
    }
    if (number !== this.#number) return;
    if (!Hls?.isSupported()) return events.onfail("This browser plays no film here. Step by the arrow keys.");
    const hls = this.#hls = new Hls({
      maxBufferLength: AHEAD * rate,
      maxMaxBufferLength: 600,
      // events are the bar's; as cues they would need a text track by an address that our pages may not load
      enableDateRangeMetadataCues: false,
      enableID3MetadataCues: false,
      enableEmsgMetadataCues: false,
    });
    hls.on(
      "hlsError" as never,
      ((_: unknown, { fatal }: { fatal: boolean }) => {
        if (fatal) events.onfail("The film could not be played on. Try again, or step by the arrow keys.");
      }) as never,
    );
    video.muted = true;
    video.onended = () => events.onend();
    hls.attachMedia(video);
    hls.loadSource(list);
    // a new source sets it back
    video.onplaying = () => void (video.playbackRate = rate);
    video.play().catch(() => {}); // begins when there is something, or says so by an error
    const follow = () => {
      const date = hls.playingDate;
      if (date && video.currentTime > 0) events.onmoment(Math.floor(date.getTime() / 1000));
      this.#frame = requestAnimationFrame(follow);
    };
    this.#frame = requestAnimationFrame(follow);
  }

  setRate(video: HTMLVideoElement, rate: number): void {
    video.onplaying = () => void (video.playbackRate = rate);
    video.playbackRate = rate;
    if (this.#hls) this.#hls.config.maxBufferLength = AHEAD * rate;
  }

  stop(): void {
    this.#number++;
    cancelAnimationFrame(this.#frame);
    this.#hls?.destroy();
    this.#hls = null;
  }
}
