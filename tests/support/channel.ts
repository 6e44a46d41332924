/** The test page's channel, as a viewer checks it. */
import { strict as assert } from "node:assert";
import { fetchPlaylist, type Frame, frames, isColour, pixel } from "./media.ts";
import { patience } from "./same.ts";
import { within } from "./within.ts";
import { type Reachable } from "./service.ts";

/** The test page's background. */
export const PAGE_COLOUR = [0xd0, 0x20, 0x60];
const SIZE = { width: 1280, height: 720 };

/** Whether a frame shows the test page: its colour where nothing else is. */
export function showsPage(frame: Frame): boolean {
  return isColour(pixel(frame, 1100, 600), PAGE_COLOUR);
}

/** Whether two frames differ where the page moves. */
export function isMoving(first: Frame, second: Frame): boolean {
  return !isColour(pixel(first, 320, 150), pixel(second, 320, 150));
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
    const seen = await frames(new URL(segment.uri, url).href, SIZE.width, SIZE.height, 10);
    return seen.length >= 10 && showsPage(seen[0]) && isMoving(seen[0], seen[9]);
  });
  return newest;
}

/** A picture of the newest segment; undefined while there is none. */
export async function newestFrame(
  service: Reachable,
  id: string,
  { width, height } = SIZE,
): Promise<Frame | undefined> {
  const url = playlistUrl(service, id);
  const newest = (await fetchPlaylist(url))?.segments.at(-1);
  return newest && (await frames(new URL(newest.uri, url).href, width, height, 1).catch(() => []))[0];
}

/** The newest sequence number of a channel that is on. */
export async function newestSequence(service: Reachable, id: string): Promise<number> {
  const playlist = await fetchPlaylist(playlistUrl(service, id));
  assert.ok(playlist, `${id} has no playlist`);
  return playlist.sequence + playlist.segments.length - 1;
}
