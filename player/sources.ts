/** Where the feed is taken from: the media server itself if this browser reaches it, else the proxy. */
import { lastSequence } from "../lib/model/segments.ts";
import { store, stored } from "./kept.ts";
import { fetchText, type TextResponse } from "./fetch_text.ts";

/** The limit is short, because a firewall that drops packets must not delay the picture. */
const DIRECT_LIMIT_MS = 1500;
const PROXY_LIMIT_MS = 5000;
/** How long a media server that was out of reach is not asked again. */
const AVOID_MS = 3_600_000;
const AVOID_KEY = "player-direct-failed";

export interface FeedUrls {
  proxy: string;
  /** Empty: there is only the proxy. */
  direct: string;
}

/**
 * The address to play now; null when its playlist still ends where it stood still before.
 * @param stuckAt the sequence number of that end, -1 if there was none.
 */
export async function pickSource({ proxy, direct }: FeedUrls, stuckAt: number): Promise<string | null> {
  if (direct && !isAvoided()) {
    const answer = await fetchText(direct, DIRECT_LIMIT_MS).catch(() => null);
    if (answer === null) store(AVOID_KEY, String(Date.now()));
    else if (movesOn(answer, stuckAt)) return direct;
  }
  if (stuckAt < 0) return proxy;
  const answer = await fetchText(proxy, PROXY_LIMIT_MS).catch(() => null);
  return answer !== null && movesOn(answer, stuckAt) ? proxy : null;
}

function movesOn({ status, text }: TextResponse, stuckAt: number): boolean {
  const last = status === 200 ? lastSequence(text) : -1;
  return last >= 0 && last !== stuckAt;
}

function isAvoided(): boolean {
  const since = Date.now() - Number(stored(AVOID_KEY) || 0);
  return since >= 0 && since < AVOID_MS;
}
