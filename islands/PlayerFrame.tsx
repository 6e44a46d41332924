import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { loginLink } from "../components/client/connection.ts";
import type { GlobalPrefs } from "../components/prefs/prefs.ts";
import { usePrefs } from "../components/prefs/usePrefs.ts";
import { streamLinks } from "../lib/model/links.ts";

const MINUTE_MS = 60_000;
/** A new player that plays nothing after this time (a stopped stream) is shown all the same: it says why. */
const START_MS = 20_000;
/** When the service is away, the frame has the browser's error page and is loaded again after this time. */
const RETRY_MS = 5000;

interface Frame {
  number: number;
  /** The id of the player's first stream. */
  id: string;
}

interface PlayerFrameProps {
  id: string;
  defaults: GlobalPrefs;
}

/**
 * The TV player in a frame that fills the page. If the viewer wants regular reloads, the next player starts behind the
 * present player, which goes when the new picture is there: the viewer sees no reload.
 */
export function PlayerFrame({ id, defaults }: PlayerFrameProps) {
  const { general: { reloadClient, reloadClientTime } } = usePrefs(defaults);
  /** The visible frame, and sometimes the next frame. */
  const frames = useSignal<Frame[]>([{ number: 0, id }]);

  useEffect(() => {
    if (!reloadClient) return;
    const timer = setInterval(addFrame, reloadClientTime * MINUTE_MS);
    return () => clearInterval(timer);
  }, [reloadClient, reloadClientTime]);

  // keys of a remote control go to the player, not to the page around it
  useEffect(() => {
    const focus = () => frameElement(frames.peek()[0].number)?.contentWindow?.focus();
    if (isLoaded(0)) loaded(0); // the frame was loaded before this script ran
    addEventListener("focus", focus);
    addEventListener("keydown", focus);
    return () => {
      removeEventListener("focus", focus);
      removeEventListener("keydown", focus);
    };
  }, []);

  function nextFrame(): Frame {
    return { number: frames.value.at(-1)!.number + 1, id: shownId(id) };
  }

  function addFrame() {
    frames.value = [frames.value[0], nextFrame()];
  }

  function show(number: number) {
    const frame = frames.value.find((one) => one.number === number);
    if (!frame) return;
    // the viewer changed the channel while the new player started
    if (number !== frames.value[0].number && frame.id !== shownId(id)) return drop(number);
    frames.value = [frame];
    frameElement(number)?.contentWindow?.focus();
  }

  function loaded(number: number) {
    const video = videoIn(number);
    const isFirst = frames.value[0].number === number;
    if (!video && isFirst && isLogin(number)) return location.replace(loginLink());
    if (!video) return isFirst ? retry(number) : drop(number);
    if (isFirst) return show(number);
    video.addEventListener("playing", () => show(number), { once: true });
    if (video.currentTime > 0) show(number);
    setTimeout(() => show(number), START_MS);
  }

  function drop(number: number) {
    frames.value = frames.value.filter((one) => one.number !== number);
  }

  function retry(number: number) {
    setTimeout(() => {
      if (frames.value[0].number === number) frames.value = [nextFrame()];
    }, RETRY_MS);
  }

  return (
    <main id="main" class="player-frames">
      {frames.value.map(({ number, id }) => (
        <iframe
          key={number}
          id={frameId(number)}
          src={streamLinks(id).tvPlayer}
          // the page's own title names the channel, which the viewer may change
          title="Player"
          allow="autoplay; fullscreen"
          onLoad={() => loaded(number)}
        />
      ))}
    </main>
  );
}

/** The present stream's id: the player writes a changed channel into this page's address. */
function shownId(id: string): string {
  const [, shown] = /\/player\/([^/]+)$/.exec(location.pathname) ?? [];
  return shown === undefined ? id : decodeURIComponent(shown);
}

const frameId = (number: number) => `player-${number}`;

const frameElement = (number: number) => document.getElementById(frameId(number)) as HTMLIFrameElement | null;

function isLoaded(number: number): boolean {
  const frame = frameElement(number)?.contentDocument;
  return frame?.readyState === "complete" && frame.URL !== "about:blank";
}

/** Whether the session has ended; the login page must not open in a frame that is loaded again. */
function isLogin(number: number): boolean {
  return frameElement(number)?.contentDocument?.location.pathname === "/login";
}

/** Null: the frame does not show the player. */
function videoIn(number: number): HTMLVideoElement | null {
  return frameElement(number)?.contentDocument?.querySelector("video") ?? null;
}
