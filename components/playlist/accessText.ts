/** The list's words about an access token. Pure. */
import { duration } from "../board/boardState.ts";
import type { AccessToken } from "../../lib/model/answers/shapes.ts";

/** Further names are only counted. */
const MAX_NAMES = 3;
/** The service notes a use every ten minutes at most, so that a younger time may mean now. */
const RECENT_MS = 20 * 60_000;

/** @param streams all streams of the service. */
export function scopeText(
  { group, streams: chosen }: Pick<AccessToken, "group" | "streams">,
  streams: readonly { id: string; name: string }[],
): string {
  if (group) return `Group “${group}”`;
  if (!chosen) return "All streams";
  const names = chosen.map((id) => streams.find((stream) => stream.id === id)?.name ?? id);
  if (names.length === 0) return "No stream: its streams were deleted";
  return names.length > MAX_NAMES ? `${names.length} streams` : names.join(", ");
}

/** Whether the token's time is over. @param now Unix ms. */
export function isOver({ expiresAt }: Pick<AccessToken, "expiresAt">, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

export function expiryText(token: Pick<AccessToken, "expiresAt">, now: number): string {
  if (token.expiresAt === null) return "no end";
  const date = new Date(token.expiresAt).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
  });
  return isOver(token, now) ? `ended ${date}` : `until ${date}`;
}

export function lastUseText({ lastUsedAt }: Pick<AccessToken, "lastUsedAt">, now: number): string {
  if (lastUsedAt === null) return "not used yet";
  const ms = now - lastUsedAt;
  return ms < RECENT_MS ? "used within the last 20 min" : `used ${duration(ms / 1000)} ago`;
}
