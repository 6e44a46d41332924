import assert from "node:assert/strict";
import { transportStreamProblem, watchChannel } from "../../support/hls_validator.ts";
import { pause } from "../../support/service.ts";

/** One packet of the program association table. */
const SEGMENT = new Uint8Array(188 * 2).fill(0xff);
SEGMENT.set([0x47, 0x40, 0x00]);
SEGMENT.set([0x47, 0x50, 0x00], 188);

/** How the fake channel misbehaves. */
interface Faults {
  playlist?: Record<string, string>;
  segment?: Record<string, string>;
  bytes?: Uint8Array<ArrayBuffer>;
  /** Whether the n-th segment is there. */
  has?: (number: number) => boolean;
  isDown?: () => boolean;
  /** The first segment behind a break. */
  broken?: () => number;
}

/** Far more often than the fake channel changes, which has a new segment every 100 ms. */
const PACE = { poll: 20, stays: 300 };
/** So many that a pause of this process is no jump of the list. */
const LISTED = 40;

function serveChannel(faults: Faults) {
  const start = performance.now();
  const newest = () => 100 + Math.floor((performance.now() - start) / 100);
  const list = () => {
    const first = newest() - LISTED + 1;
    const broken = faults.broken?.() ?? Infinity;
    const segments = Array.from({ length: LISTED }, (_, at) => first + at).map((number) =>
      `${number === broken ? "#EXT-X-DISCONTINUITY\n" : ""}#EXTINF:1.000,\n${number}.ts\n`
    );
    const breaks = broken < first ? 1 : 0;
    return `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:${first}\n#EXT-X-DISCONTINUITY-SEQUENCE:${breaks}\n` +
      `#EXT-X-TARGETDURATION:1\n${segments.join("")}`;
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    if (faults.isDown?.()) return new Response("", { status: 502 });
    const name = new URL(url).pathname.slice(1);
    if (name === "index.m3u8") {
      const headers = {
        "content-type": "application/vnd.apple.mpegurl",
        "cache-control": "no-cache, no-store",
      };
      return new Response(list(), { headers: { ...headers, ...faults.playlist } });
    }
    if (!(faults.has?.(parseInt(name)) ?? true)) return new Response("", { status: 404 });
    const headers = {
      "content-type": "video/mp2t",
      "cache-control": "max-age=300, immutable",
      "accept-ranges": "bytes",
      ...faults.segment,
    };
    return new Response(faults.bytes ?? SEGMENT, { headers });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/index.m3u8`,
    newest,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function watched(faults: Faults, ms = 250) {
  await using channel = serveChannel(faults);
  const watch = watchChannel(channel.url, PACE);
  await pause(ms);
  return await watch.end();
}

Deno.test("validator: a channel that keeps the rules has no problem, and is really polled", async () => {
  const { problems, polls, segments, intervals } = await watched({}, 500);
  assert.deepEqual(problems, []);
  assert.ok(polls >= 3 && segments >= LISTED, `${polls} polls, ${segments} segments`);
  assert.ok(intervals.length >= 1 && intervals[0] > 0);
});

const BAD: [what: string, faults: Faults, problem: RegExp][] = [
  [
    "a playlist that may be cached",
    { playlist: { "cache-control": "no-cache" } },
    /cache-control of the playlist/,
  ],
  [
    "a playlist without its type",
    { playlist: { "content-type": "text/plain" } },
    /content-type of the playlist/,
  ],
  [
    "a segment that must not be cached",
    { segment: { "cache-control": "no-store" } },
    /cache-control of segments/,
  ],
  ["a segment without ranges", { segment: { "accept-ranges": "none" } }, /accept-ranges of segments/],
  ["half a packet", { bytes: SEGMENT.slice(0, 200) }, /200 bytes are no whole packets/],
  ["an empty segment", { bytes: new Uint8Array() }, /0 bytes/],
  [
    "a segment that is not there",
    { has: (number) => number !== 101 },
    /101\.ts is listed and was answered with 404/,
  ],
  [
    "a playlist that goes away",
    { isDown: () => performance.now() % 200 > 100 },
    /playlist was answered with 502/,
  ],
];

for (const [what, faults, problem] of BAD) {
  Deno.test(`validator: ${what} is a problem`, async () => {
    const { problems } = await watched(faults);
    assert.ok(problems.some((text) => problem.test(text)), JSON.stringify(problems));
  });
}

Deno.test("validator: a segment that goes too soon after it left is a problem", async () => {
  await using channel = serveChannel({ has: (number) => number > channel.newest() - LISTED - 1 });
  const watch = watchChannel(channel.url, PACE);
  await pause(1000);
  const { problems } = await watch.end();
  assert.match(problems[0], /\.ts was answered with 404 0\.3 s after it left the list/);
});

Deno.test("validator: a fault may break the channel, and its gap is measured", async () => {
  let downUntil = 0;
  let broken = Infinity;
  await using channel = serveChannel({
    isDown: () => performance.now() < downUntil,
    broken: () => broken,
    has: () => performance.now() > downUntil,
  });
  const watch = watchChannel(channel.url, PACE);
  await pause(500);
  const fault = await watch.fault("a test", () => {
    downUntil = performance.now() + 500;
    broken = channel.newest() + 4;
  }, 5000);
  assert.ok(fault.gap >= 400 && fault.gap < 3000, `${fault.gap}`);
  await pause(300);
  const { problems, faults } = await watch.end();
  assert.deepEqual([problems, faults.length], [[], 1]);
});

Deno.test("validator: a channel that does not come back from a fault is an error", async () => {
  await using channel = serveChannel({});
  const watch = watchChannel(channel.url, PACE);
  await pause(300);
  await assert.rejects(watch.fault("a test", () => {}, 500), /waited 0\.5 s for a segment behind the break/);
  await watch.end();
});

Deno.test("transport stream: packets that are off, and a file that begins with something else", () => {
  assert.equal(transportStreamProblem(SEGMENT), null);
  const off = SEGMENT.slice();
  off[188] = 0;
  assert.match(transportStreamProblem(off)!, /no packet begins at byte 188/);
  assert.match(transportStreamProblem(SEGMENT.slice(188))!, /begins with PID 4096/);
});
