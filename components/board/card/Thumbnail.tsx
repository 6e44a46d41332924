import { useEffect, useRef, useState } from "preact/hooks";
import { isAtRest } from "../../../lib/model/answers/status.ts";
import type { Connection } from "../../client/connection.ts";
import { streamLinks } from "../../../lib/model/links.ts";
import { Icon } from "../../ui/Icon.tsx";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";

/** The pause between two requests to capture a thumbnail while there is none. */
const ASK_EVERY_MS = 30_000;
/** A thumbnail that could not be loaded is tried again after this time. */
const RETRY_MS = 30_000;
const IMAGE = {
  width: 640,
  height: 360,
  loading: "lazy",
  decoding: "async",
  draggable: false,
  // upstream's Fresh would put the build's id into its address
  "data-fresh-disable-lock": true,
} as const;
const NONE: ReadonlySet<string> = new Set();

interface ThumbnailProps {
  id: string;
  name: string;
  status: StreamStatus;
  /** Whether a command under way shows its expected state: there is no picture to ask for yet. */
  isExpected?: boolean;
  /** Failed thumbnails are tried again when the service answers again. */
  connection: Connection;
}

/**
 * The last thumbnail of a stream. A newer image is loaded behind it and takes its place when it is loaded, so that
 * the card never blinks; an image that cannot be loaded changes nothing.
 */
export function Thumbnail({ id, name, status, isExpected = false, connection }: ThumbnailProps) {
  const { thumbAt, state } = status;
  const isThere = thumbAt !== undefined;
  const isAsked = !isThere && !isExpected && !isAtRest(state);
  const asks = useAsks(isAsked);
  const query = isThere ? `at=${thumbAt}` : asks > 0 ? `ask=${asks}` : null;
  const wanted = query === null ? null : `${streamLinks(id).thumbnail}?${query}`;
  const [shown, setShown] = useState(isThere ? wanted : null);
  // A set, because both images may fail: with one entry they would replace each other in an endless loop.
  const [failed, setFailed] = useState(NONE);
  const first = useRef<HTMLImageElement>(null);
  const fail = (url: string | null) => url !== null && setFailed((urls) => new Set(urls).add(url));

  useEffect(() => setFailed(NONE), [connection]);
  useEffect(() => {
    if (connection !== "up" || failed.size === 0) return;
    const timer = setTimeout(() => setFailed(NONE), RETRY_MS);
    return () => clearTimeout(timer);
  }, [connection, failed]);

  // The image may have failed before this page's script ran.
  useEffect(() => {
    const image = first.current;
    if (image?.complete && image.naturalWidth === 0 && image.currentSrc) fail(shown);
  }, []);

  const isShowing = shown !== null && !failed.has(shown);
  const isNewer = wanted !== null && wanted !== shown && !failed.has(wanted);
  return (
    <>
      {!isShowing && (
        <span class="no-thumbnail">
          <Icon name="thumbnail" />
          {/* the link's name, also where the following words have no room */}
          <span class="hidden">Play {name}</span>
          <span>
            {wanted !== null && /Out$/.test(connection)
              ? "Log in again to see the picture"
              : "No picture yet"}
          </span>
        </span>
      )}
      {isShowing && (
        <img
          key={shown}
          ref={first}
          src={shown}
          alt={`Thumbnail of ${name}`}
          {...IMAGE}
          onError={() => fail(shown)}
        />
      )}
      {isNewer && (
        <img
          key={wanted}
          class="is-loading"
          src={wanted}
          alt=""
          {...IMAGE}
          // without a thumbnail the image is only a placeholder
          onLoad={() => isThere && setShown(wanted)}
          onError={() => fail(wanted)}
        />
      )}
    </>
  );
}

/**
 * The number of requests, which counts up while there is no thumbnail. The first one waits for the script: its answer is
 * a placeholder that nobody sees, and each such SVG is a document of its own.
 */
function useAsks(isNeeded: boolean): number {
  const [asks, setAsks] = useState(0);
  useEffect(() => {
    if (!isNeeded) return;
    const ask = () => setAsks((count) => count + 1);
    ask();
    const timer = setInterval(() => document.hidden || ask(), ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return isNeeded ? asks : 0;
}
