/**
 * A media server that plays a recording of 20 s again and again as a live channel, as nginx-rtmp does: no browser, X
 * server or encoder runs for it. It breaks when and how the test says.
 */
import { join } from "node:path";
import { run } from "../../lib/machine/os/process.ts";
import { tempDir } from "./fixture.ts";
import { type Exchange, type FakeUpstream, fakeUpstream } from "./upstream.ts";

export interface RecordedChannel extends AsyncDisposable {
  port: number;
  origin: string;
  /** The number of the newest segment. */
  newest(): number;
  /** The server is gone: connections end and are refused. */
  stop(): Promise<void>;
  /** It is back and goes on with the numbers, behind an EXT-X-DISCONTINUITY. */
  start(): void;
  /** The encoder is gone: the server answers, and nothing new is listed. */
  freeze(): void;
  /** The encoder is back, behind an EXT-X-DISCONTINUITY. */
  thaw(): void;
  /** What was listed so far is deleted, and still listed. */
  deleteSegments(): void;
  /** The channel starts again with small numbers, as after the loss of the run directory. */
  renumber(): void;
  /** Holds back the answers to requests for segments, until the returned function is called. */
  blockSegments(): () => void;
}

const SEGMENT_MS = 1000;
const RECORDED_SECONDS = 20;
/** The list lasts 8 s (templates/nginx.conf). */
const LISTED = 8;
/** nginx-rtmp deletes what is older than two lists. */
const STORED = 2 * LISTED;
/** templates/nginx.conf */
const HEADERS = { "access-control-allow-origin": "*", "cache-control": "no-cache" };

interface Segment {
  name: string;
  part: number;
  isBreak: boolean;
  isDeleted: boolean;
}

/** A test picture that moves, with a running time, and a beep each second: 600 kB in segments of 1 s. */
async function record(): Promise<Uint8Array<ArrayBuffer>[]> {
  await using folder = await tempDir();
  const { code, stderr } = await run([
    ...["/usr/bin/ffmpeg", "-v", "error", "-nostdin"],
    ...["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=10"],
    ...["-f", "lavfi", "-i", "sine=frequency=440:beep_factor=4:sample_rate=48000"],
    ...["-t", String(RECORDED_SECONDS), "-c:v", "libx264", "-preset", "ultrafast", "-profile:v", "baseline"],
    ...["-pix_fmt", "yuv420p", "-g", "10", "-sc_threshold", "0", "-b:v", "150k"],
    ...["-c:a", "aac", "-b:a", "32k", "-ac", "2"],
    ...["-f", "segment", "-segment_time", String(SEGMENT_MS / 1000), "-segment_format", "mpegts"],
    join(folder.path, "%02d.ts"),
  ], { timeoutMs: 60_000 });
  if (code !== 0) throw new Error(`ffmpeg: ${stderr}`);
  return await Promise.all(
    Array.from(
      { length: RECORDED_SECONDS },
      (_, part) => Deno.readFile(join(folder.path, `${String(part).padStart(2, "0")}.ts`)),
    ),
  );
}

let recording: Promise<Uint8Array<ArrayBuffer>[]> | undefined;

/**
 * Starts a channel on a port of its own; the recording is made once for all tests of a file.
 * @param ids it is at /live/{id}/ of each of them.
 */
export async function recordedChannel(...ids: string[]): Promise<RecordedChannel> {
  const parts = await (recording ??= record());
  const bases = ids.map((id) => `/live/${id}/`);
  const segments: Segment[] = [];
  let first = 1000;
  let made = 0;
  let nextPart = 0;
  let isBreakNext = false;
  let isFrozen = false;
  let nextAt = performance.now() - LISTED * SEGMENT_MS;
  let blocked: Promise<void> | null = null;

  /** Lists what has become due, at the pace of the clock. */
  function goOn(): void {
    for (; !isFrozen && nextAt <= performance.now(); nextAt += SEGMENT_MS) {
      // where the recording begins again, its times do too
      const isBreak = isBreakNext || (nextPart === 0 && made > 0);
      // a name never comes again, not even with its number: the proxy's answers may be cached
      segments.push({ name: `${Date.now()}${made++}.ts`, part: nextPart, isBreak, isDeleted: false });
      isBreakNext = false;
      nextPart = (nextPart + 1) % parts.length;
      if (segments.length > STORED) {
        segments.shift();
        first++;
      }
    }
  }

  function playlist(): string {
    const listed = segments.slice(-LISTED);
    const sequence = first + segments.length - listed.length;
    return [
      "#EXTM3U",
      "#EXT-X-VERSION:3",
      `#EXT-X-MEDIA-SEQUENCE:${sequence}`,
      "#EXT-X-TARGETDURATION:1",
      ...listed.flatMap(({ name, isBreak }) => [
        ...(isBreak ? ["#EXT-X-DISCONTINUITY"] : []),
        `#EXTINF:${(SEGMENT_MS / 1000).toFixed(3)},`,
        name,
      ]),
      "",
    ].join("\n");
  }

  async function answer({ path, answer }: Exchange): Promise<void> {
    goOn();
    const base = bases.find((one) => path.startsWith(one));
    if (path === `${base}index.m3u8`) {
      return answer(200, { ...HEADERS, "content-type": "application/vnd.apple.mpegurl" }, playlist());
    }
    const segment = segments.find(({ name }) => path === base + name);
    if (blocked) await blocked;
    if (!segment || segment.isDeleted) return answer(404, { ...HEADERS, "content-type": "text/html" });
    return answer(200, { ...HEADERS, "content-type": "video/mp2t" }, parts[segment.part]);
  }

  function restart(): void {
    isFrozen = false;
    isBreakNext = true;
    nextPart = 0;
    nextAt = performance.now();
  }

  let server: FakeUpstream | null = fakeUpstream(answer);
  const { origin } = server;
  const port = Number(new URL(origin).port);
  const channel: RecordedChannel = {
    port,
    origin,
    newest() {
      goOn();
      return first + segments.length - 1;
    },
    async stop() {
      channel.freeze();
      await server?.[Symbol.asyncDispose]();
      server = null;
    },
    start() {
      server = fakeUpstream(answer, port);
      restart();
    },
    freeze() {
      goOn();
      isFrozen = true;
    },
    thaw: restart,
    deleteSegments() {
      for (const segment of segments) segment.isDeleted = true;
    },
    renumber() {
      segments.length = 0;
      first = 1;
      restart();
    },
    blockSegments() {
      const { promise, resolve } = Promise.withResolvers<void>();
      blocked = promise;
      return () => {
        blocked = null;
        resolve();
      };
    },
    [Symbol.asyncDispose]: () => channel.stop(),
  };
  return channel;
}
