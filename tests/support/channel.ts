/** The test page's channel, as a viewer checks it. */
import { blockLevels, fetchPlaylist, type Frame, frames, isColour, pixel } from "./media.ts";
import { paintedTime } from "./painted_time.ts";
import { lookEveryMs, patience } from "./same.ts";
import { within } from "./within.ts";
import { type Reachable } from "./service.ts";

/** The test page's background. */
export const PAGE_COLOUR = [0xd0, 0x20, 0x60];
const SIZE = { width: 1280, height: 720 };
/** Of pictures that are looked at again and again: a small one takes a test a third of the time to decode. */
const LOOK = { width: 320, height: 180 };

/** The colour at a point of the page, whatever size its picture is decoded in. */
function colourAt(frame: Frame, x: number, y: number): [number, number, number] {
  const part = frame.width / SIZE.width;
  return pixel(frame, Math.floor(x * part), Math.floor(y * part));
}

/** Whether a frame shows the test page: its colour where nothing else is. */
export function showsPage(frame: Frame): boolean {
  return isColour(colourAt(frame, 1100, 600), PAGE_COLOUR);
}

/** The time that the test page has painted, Unix ms modulo 2^32; null where it cannot be read. @param height of the frame. */
export function shownTime(frame: Frame, height: number): number | null {
  const { width } = frame;
  return paintedTime(blockLevels(frame, 0.55 * width, 0.1 * height, 0.4 * width, 0.4 * height));
}

/** Whether two frames differ where the page moves. */
export function isMoving(first: Frame, second: Frame): boolean {
  return !isColour(colourAt(first, 320, 150), colourAt(second, 320, 150));
}

export function playlistUrl(service: Reachable, id: string): string {
  return `${service.url}/api/hls/live/${id}/index.m3u8`;
}

/**
 * Waits until segments newer than `after` show the page, moving; returns the newest sequence number.
 * @param url of the channel, where it is not the one without a token. @param limitMs where that is what is tested.
 */
export async function untilPageShown(
  service: Reachable,
  id: string,
  after: number,
  { limitMs = patience(), url = playlistUrl(service, id) }: { limitMs?: number; url?: string } = {},
): Promise<number> {
  let newest = after;
  await within(`${id} to show the page`, limitMs, async () => {
    const playlist = await fetchPlaylist(url);
    if (!playlist || playlist.segments.length === 0) return false;
    const last = playlist.sequence + playlist.segments.length - 1;
    if (last <= newest) return false;
    newest = last;
    const segment = playlist.segments.at(-1)!;
    const seen = await frames(new URL(segment.uri, url).href, LOOK.width, LOOK.height, 10);
    return seen.length >= 10 && showsPage(seen[0]) && isMoving(seen[0], seen[9]);
  }, lookEveryMs());
  return newest;
}

/** Of the segment that was decoded last: looks come back sooner than there is another one. */
let decoded: { key: string; frame: Promise<Frame | undefined> } | undefined;

/** A picture of the newest segment; undefined while there is none. */
export async function newestFrame(
  service: Reachable,
  id: string,
  { width, height } = SIZE,
): Promise<Frame | undefined> {
  const url = playlistUrl(service, id);
  const newest = (await fetchPlaylist(url))?.segments.at(-1);
  if (!newest) return undefined;
  const { href } = new URL(newest.uri, url);
  const key = `${href} ${width}x${height}`;
  if (decoded?.key !== key) {
    decoded = { key, frame: frames(href, width, height, 1).then(([frame]) => frame, () => undefined) };
  }
  return await decoded.frame;
}
