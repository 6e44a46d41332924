/** Plays with sound where the browser allows that without a gesture, else muted, else at the first gesture. */
import { store, stored } from "./kept.ts";
import type { Messages } from "./messages.ts";

export interface Sound {
  play(): Promise<void>;
  /** Whether the viewer or the browser turned it off. */
  isOff(): boolean;
  /** Whether nothing plays until someone touches the screen or a key. */
  needsGesture(): boolean;
  /**
   * The viewer touched something: turns the sound on if the browser, not the viewer, had turned it off.
   * @returns whether it had.
   */
  gesture(): boolean;
  toggle(): void;
  /** @param by -1 to 1; the volume goes from 0 to 1. */
  louder(by: number): void;
}

const MUTED_KEY = "player-muted";
const VOLUME_KEY = "player-volume";

/** @param howToTurnOn what to do for sound, for people. */
export function soundOf(video: HTMLVideoElement, messages: Messages, howToTurnOn: string): Sound {
  let isMutedByViewer = stored(MUTED_KEY) === "true";
  let isMutedByBrowser = false;
  let isWaiting = false;
  let isHintShown = false;
  const isOff = () => isMutedByViewer || isMutedByBrowser;
  const volume = Number(stored(VOLUME_KEY));
  if (volume > 0 && volume <= 1) video.volume = volume;

  async function play(): Promise<void> {
    video.muted = isOff();
    try {
      await video.play();
      isWaiting = false;
    } catch (error) {
      // others are the end of this attempt only: a new source, or a video that cannot be decoded
      if ((error as Error).name !== "NotAllowedError") return;
      if (!video.muted) {
        isMutedByBrowser = true;
        return play();
      }
      isWaiting = true;
      messages.state("Touch the picture or press a key to play.");
    }
  }

  function setMuted(isMuted: boolean) {
    isMutedByViewer = isMuted;
    store(MUTED_KEY, String(isMuted));
    isMutedByBrowser = false;
    if (!isMuted && (video.paused || isWaiting)) play();
    else video.muted = isMuted;
  }

  video.addEventListener("playing", () => {
    if (!isMutedByBrowser || isHintShown) return;
    isHintShown = true;
    messages.hint(`Sound is off. ${howToTurnOn}`);
  });

  return {
    play,
    isOff,
    needsGesture: () => isWaiting,
    gesture() {
      if (!isMutedByBrowser && !isWaiting) return false;
      isMutedByBrowser = false;
      messages.hint("");
      play();
      return true;
    },
    toggle: () => setMuted(!isOff()),
    louder(by) {
      video.volume = Math.min(1, Math.max(0, Math.round((video.volume + by) * 10) / 10));
      store(VOLUME_KEY, String(video.volume));
      if (by > 0 && isOff()) setMuted(false);
      messages.hint(`Volume ${Math.round(video.volume * 100)} %`);
    },
  };
}
