/** Plays lists of the past in a video element by hls.js, which is loaded with the first of them. */
import type HlsType from "hls.js";
import type { Events, Fragment } from "hls.js";

declare const Hls: typeof HlsType | undefined;

/** A picture's time is this much less than it was at most, in s. */
const LATE = 0.01;

export interface FilmEvents {
  /** The moment of the picture that is on the screen, in Unix s. */
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
  #number = 0;

  /** @param library the address of hls.js. */
  constructor(library: string) {
    this.#library = library;
  }

  /** Ends the one before. @param speed of the list. */
  async play(video: HTMLVideoElement, list: string, speed: number, events: FilmEvents): Promise<void> {
    this.stop();
    const number = ++this.#number;
    try {
      await loadLibrary(this.#library);
    } catch (error) {
      return events.onfail((error as Error).message);
    }
    if (number !== this.#number) return;
    if (!Hls?.isSupported()) return events.onfail("This browser plays no film here. Step by the arrow keys.");
    // events are the bar's; as cues they would need a text track by an address that our pages may not load
    const hls = this.#hls = new Hls({
      enableDateRangeMetadataCues: false,
      enableID3MetadataCues: false,
      enableEmsgMetadataCues: false,
    });
    hls.on("hlsError" as Events.ERROR, (_, { fatal }) => {
      if (fatal) events.onfail("The film could not be played on. Try again, or step by the arrow keys.");
    });
    let part: Fragment | null = null;
    hls.on("hlsFragChanged" as Events.FRAG_CHANGED, (_, { frag }) => void (part = frag));
    video.muted = true;
    video.onended = () => events.onend();
    hls.attachMedia(video);
    hls.loadSource(list);
    video.play().catch(() => {}); // begins when there is something, or says so by an error
    const tell = (time: number) => {
      const date = part?.programDateTime;
      if (number !== this.#number) return;
      // the list has a date at each part's beginning, from where time goes by faster
      if (part && date) {
        events.onmoment(Math.floor(date / 1000 + Math.max(0, time - part.start + LATE) * speed));
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

  stop(): void {
    this.#number++;
    this.#hls?.destroy();
    this.#hls = null;
  }
}
