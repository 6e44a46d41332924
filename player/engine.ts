/** Gives a video the picture of one channel: by the instant view, by hls.js, or by the browser's own HLS. */
import type HlsType from "hls.js";
import type { HlsConfig } from "hls.js";
import { type InstantView, playInstant } from "./instant.ts";
import { stallWatch } from "./stall.ts";

/** Defined by hls.js's own script, which an old browser or a broken network may not have loaded. */
declare const Hls: typeof HlsType | undefined;

export interface EngineOptions {
  hls: Partial<HlsConfig>;
  /** Plays the video, with sound or without. */
  play(): void;
  /** The picture is lost, or it has not come. */
  onlost(): void;
  /** The instant view cannot be played here, but HLS perhaps. */
  onfail(): void;
}

/** Whether the script of hls.js is there. */
export const hasHlsScript = () => typeof Hls !== "undefined";

export function engineOf(video: HTMLVideoElement, { hls: config, play, onlost, onfail }: EngineOptions) {
  const stall = stallWatch();
  let hls: HlsType | null = null;
  let instant: InstantView | null = null;
  let isAttached = false;

  const lost = () => isAttached && onlost();

  function begin() {
    isAttached = true;
    stall.start(performance.now());
  }

  video.addEventListener("ended", lost);
  // only the native player reports here what hls.js reports as its own error
  video.addEventListener("error", () => hls === null && instant === null && lost());

  return {
    /** Tells whether the picture stands still. */
    stall,
    /** Whether there is a picture, or one is on its way. */
    isAttached: () => isAttached,
    /** @param path of the transport stream. @param library address of mpegts.js. */
    attachInstant(path: string, library: string): void {
      begin();
      instant = playInstant(video, path, library, { onready: play, onlost: lost, onfail });
    },
    /** @param query of the requests of hls.js. @returns false: this browser cannot play the playlist. */
    attachHls(playlist: string, query = ""): boolean {
      if (typeof Hls !== "undefined" && Hls.isSupported()) {
        begin();
        const { Events } = Hls;
        hls = new Hls(config);
        hls.on(Events.MANIFEST_PARSED, () => play());
        hls.on(
          Events.LEVEL_LOADED,
          (_, { details }) => stall.playlistLoaded(details.endSN, details.targetduration, performance.now()),
        );
        hls.on(Events.ERROR, (_, { fatal }) => fatal && lost());
        hls.loadSource(playlist + query);
        hls.attachMedia(video);
        return true;
      }
      if (!video.canPlayType("application/vnd.apple.mpegurl")) return false;
      begin();
      video.src = playlist;
      play();
      return true;
    },
    /** Loads nothing more: nobody sees the picture. */
    halt(): void {
      if (hls) hls.stopLoad();
      if (instant) instant.destroy();
    },
    /** Takes the picture away. */
    detach(): void {
      if (!isAttached) return;
      isAttached = false;
      if (hls) hls.destroy();
      hls = null;
      if (instant) instant.destroy();
      instant = null;
      video.removeAttribute("src");
      video.load();
    },
  };
}
