import { useEffect, useRef, useState } from "preact/hooks";
import type { StreamStatus } from "../../lib/streams/stream.ts";
import { Icon } from "../Icon.tsx";

/** While there is no picture, every so often the service is asked to take one. */
const ASK_EVERY_MS = 30_000;

interface ThumbnailProps {
  id: string;
  name: string;
  status: StreamStatus;
}

/**
 * The last picture of a stream. A newer one is loaded behind it and takes its place when it is there, so that
 * the card never blinks; one that cannot be loaded changes nothing.
 */
export function Thumbnail({ id, name, status }: ThumbnailProps) {
  const asks = useAsks(status.thumbAt === undefined && status.state !== "stopped");
  const wanted = pictureUrl(id, status, asks);
  const [shown, setShown] = useState(wanted);
  const [failed, setFailed] = useState<string | null>(null);
  const first = useRef<HTMLImageElement>(null);

  // It may have failed before this page's script ran.
  useEffect(() => {
    const image = first.current;
    if (image?.complete && image.naturalWidth === 0 && image.currentSrc) setFailed(shown);
  }, []);

  const isShowing = shown !== null && shown !== failed;
  const isNewer = wanted !== null && wanted !== shown && wanted !== failed;
  return (
    <>
      {!isShowing && (
        <span class="no-picture">
          <Icon name="picture" />
          <span>No picture yet</span>
        </span>
      )}
      {isShowing && (
        <img
          key={shown}
          ref={first}
          src={shown}
          alt={`Picture of ${name}`}
          width={640}
          height={360}
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => setFailed(shown)}
        />
      )}
      {isNewer && (
        <img
          key={wanted}
          class="is-loading"
          src={wanted}
          alt=""
          width={640}
          height={360}
          loading="lazy"
          decoding="async"
          draggable={false}
          onLoad={() => setShown(wanted)}
          onError={() => setFailed(wanted)}
        />
      )}
    </>
  );
}

/** @returns null when there is nothing to ask for: a stopped stream without a picture. */
function pictureUrl(id: string, { thumbAt, state }: StreamStatus, asks: number): string | null {
  const url = `/api/streams/${id}/thumb`;
  if (thumbAt !== undefined) return `${url}?at=${thumbAt}`;
  return state === "stopped" ? null : `${url}?ask=${asks}`;
}

/** Counts up while there is no picture. */
function useAsks(isNeeded: boolean): number {
  const [asks, setAsks] = useState(0);
  useEffect(() => {
    if (!isNeeded) return;
    const timer = setInterval(() => document.hidden || setAsks((count) => count + 1), ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return asks;
}
