/**
 * Follows a channel as a player does, for minutes and over faults, and says what broke RFC 8216's live rules or the
 * headers that we promise (docs/iptv.md): polls the playlist, fetches every segment when it is listed, and asks for it again
 * some time after it left. Ours, as its rules are (live_rules.ts); what is in the segments, ffprobe and FFmpeg judge.
 */
import { intervals, LiveRules, type Update } from "./live_rules.ts";
import type { Segment } from "./media_playlist.ts";
import { until } from "./same.ts";
import { pause } from "./within.ts";
import { PACKET } from "./transport_checker.ts";

const POLL_MS = 200;
const ANSWER_MS = 5000;
/**
 * How long a segment is there after it left the list. RFC 8216 6.2.2 asks for its duration and the list's, 9 s here;
 * nginx-rtmp deletes what is older than two lists, 7-8 s after it left. No player is that late: it would have had the
 * segment in hand before it was the list's first.
 */
const STAYS_MS = 6000;
/** After a fault the list has stood still, so its segments were older when they left. */
const AFTERMATH_MS = 30_000;
/** A player has some segments in hand, so one that cannot be had is asked for again. */
const SEGMENT_TRIES = 4;

export interface Fault {
  what: string;
  from: number;
  /** When a segment behind the break was listed. */
  to: number;
  /** Longest time without a new segment, in milliseconds. */
  gap: number;
}

export interface ChannelReport {
  problems: string[];
  polls: number;
  segments: number;
  faults: Fault[];
  /** Times between new segments, in milliseconds, apart from the faults; shortest first. */
  intervals: number[];
  /** What each segment lasts that was new after the first look, in seconds. */
  durations: number[];
  /** What was new after the first look, in its order, if it was recorded. */
  parts: Part[];
}

/** A segment as a player got it. */
export interface Part extends Segment {
  bytes: Uint8Array;
}

export interface ChannelWatch {
  /** Does what breaks the channel; resolves when it is listed again, behind an EXT-X-DISCONTINUITY. */
  fault(what: string, action: () => unknown): Promise<Fault>;
  /** Resolves when so many more segments were listed, behind those of the first look. */
  segments(count: number): Promise<void>;
  end(): Promise<ChannelReport>;
}

/** Begins to follow the channel of a playlist. @param isRecorded whether the segments are kept, each 100 kB to 1 MB. */
export function watchChannel(url: string, isRecorded = false): ChannelWatch {
  const rules = new LiveRules();
  const problems: string[] = [];
  const faults: Fault[] = [];
  const visits = new Set<Promise<void>>();
  let hasEnded = false;
  let polls = 0;
  let fetched = 0;
  const parts: Part[] = [];
  const isFaulty = () => faults.some(({ to }) => to === Infinity);

  function report(problem: string): void {
    if (!problems.includes(problem)) problems.push(problem);
  }

  function visit(work: Promise<void>): void {
    const done = work.catch((error) => report(String(error))).finally(() => visits.delete(done));
    visits.add(done);
  }

  async function poll(): Promise<void> {
    polls++;
    const response = await get(url).catch(() => null);
    const file = await response?.bytes().catch(() => null);
    if (!response?.ok || !file) {
      if (!isFaulty()) report(`the playlist was answered with ${response?.status ?? "nothing"}`);
      return;
    }
    expectHeaders(
      response,
      { "cache-control": /^no-cache, no-store$/, "content-type": PLAYLIST_TYPE },
      report,
    );
    const update = rules.add(file, performance.now());
    if (update) follow(update);
  }

  function follow({ added, removed }: Update): void {
    for (const segment of added) visit(fetchListed(segment));
    for (const segment of removed) visit(askAfterwards(segment));
  }

  async function fetchListed(segment: Segment): Promise<void> {
    const { uri, duration } = segment;
    for (let left = SEGMENT_TRIES; left > 0; left--) {
      const response = await get(new URL(uri, url).href).catch(() => null);
      const bytes = await response?.bytes().catch(() => null);
      if (response?.ok && bytes) {
        fetched++;
        if (isRecorded) parts.push({ ...segment, bytes });
        expectHeaders(response, SEGMENT_HEADERS, report);
        const problem = transportStreamProblem(bytes);
        if (problem) report(`${uri}: ${problem}`);
        return;
      }
      if (!isFaulty()) {
        return report(`${uri} is listed and was answered with ${response?.status ?? "nothing"}`);
      }
      await pause(duration * 1000 / 2);
    }
    report(`${uri} was listed and could not be had`);
  }

  async function askAfterwards({ uri }: Segment): Promise<void> {
    for (const end = performance.now() + STAYS_MS; performance.now() < end;) {
      if (hasEnded) return;
      await pause(POLL_MS);
    }
    const response = await get(new URL(uri, url).href, "HEAD").catch(() => null);
    if (response?.ok || faults.some(({ from }) => performance.now() - from < AFTERMATH_MS)) return;
    report(
      `${uri} was answered with ${response?.status ?? "nothing"} ${STAYS_MS / 1000} s after it left the list`,
    );
  }

  const polling = (async () => {
    while (!hasEnded) {
      const start = performance.now();
      await poll();
      await pause(Math.max(0, start + POLL_MS - performance.now()));
    }
  })();

  return {
    async fault(what, action) {
      const breaks = rules.newest!.segments.at(-1)!.discontinuity;
      const fault = { what, from: performance.now(), to: Infinity, gap: NaN };
      faults.push(fault);
      await action();
      const behind = () => rules.updates.find(({ added }) => added.some((one) => one.discontinuity > breaks));
      await until(`a segment behind the break after ${what}`, behind);
      fault.to = behind()!.at;
      const times = rules.updates.map(({ at }) => at).filter((at) => at <= fault.to);
      const first = times.findLastIndex((at) => at < fault.from);
      fault.gap = Math.max(...times.slice(first + 1).map((at, index) => at - times[first + index]));
      return fault;
    },
    async segments(count) {
      const listed = () => rules.updates.slice(1).reduce((sum, { added }) => sum + added.length, 0);
      const enough = listed() + count;
      await until(`${count} new segments`, () => listed() >= enough);
    },
    async end() {
      hasEnded = true;
      await polling;
      await Promise.all(visits);
      const firstLook = rules.updates[0].added.at(-1)!.sequence;
      return {
        problems: [...rules.problems, ...problems],
        polls,
        segments: fetched,
        faults,
        intervals: intervals(rules.updates, faults).sort((a, b) => a - b),
        durations: rules.updates.slice(1).flatMap(({ added }) => added).map(({ duration }) => duration),
        parts: parts.filter(({ sequence }) => sequence > firstLook).sort((a, b) => a.sequence - b.sequence),
      };
    },
  };
}

const PLAYLIST_TYPE = /^(application\/vnd\.apple\.mpegurl|audio\/mpegurl)$/i;
const SEGMENT_HEADERS = {
  "cache-control": /^max-age=300, immutable$/,
  "content-type": /^video\/mp2t$/i,
  "content-length": /^\d+$/,
  "accept-ranges": /^bytes$/,
};

function get(url: string, method = "GET"): Promise<Response> {
  return fetch(url, { method, signal: AbortSignal.timeout(ANSWER_MS) });
}

function expectHeaders(
  { headers, url }: Response,
  wanted: Record<string, RegExp>,
  report: (problem: string) => void,
): void {
  const kind = url.endsWith(".ts") ? "segments" : "the playlist";
  for (const [name, pattern] of Object.entries(wanted)) {
    const value = headers.get(name);
    // what an access token opened is for its client alone
    const prefix = name === "cache-control" && new URL(url).pathname.startsWith("/t/") ? "private, " : "";
    const isGood = value?.startsWith(prefix) && pattern.test(value.slice(prefix.length));
    if (!isGood) report(`${name} of ${kind} is ${value}`);
  }
}

/** What is wrong with the bytes of a segment, or null: whole packets, and the tables first (3.2). */
export function transportStreamProblem(bytes: Uint8Array): string | null {
  if (bytes.length === 0 || bytes.length % PACKET !== 0) return `${bytes.length} bytes are no whole packets`;
  for (let at = 0; at < bytes.length; at += PACKET) {
    if (bytes[at] !== 0x47) return `no packet begins at byte ${at}`;
  }
  const pid = (bytes[1] & 0x1f) << 8 | bytes[2];
  return pid === 0 ? null : `begins with PID ${pid}, not with the program association table`;
}
