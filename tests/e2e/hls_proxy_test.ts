/** A real channel through the proxy, while its media server has a bad time. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { DEFAULT_TIMINGS } from "../../lib/timings.ts";
import { playlistUrl, untilPageShown } from "../support/channel.ts";
import { namesIn } from "../support/fixture.ts";
import { fetchPlaylist, probe } from "../support/media.ts";
import { inSoak } from "../support/soak.ts";
import { childrenOf } from "../support/proc.ts";
import { same, until } from "../support/same.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { tellTime } from "../support/times.ts";

// a media server that is stopped stays so for a while: nobody ends it
const life = { ...DEFAULT_TIMINGS.life, stoppedMs: 60_000 };
const serviceTest = sharedService({ timings: { life } });

/** The shared channel's playlist, when it is on. */
async function channel(service: TestService): Promise<string> {
  const { id } = await service.sharedStream({ name: "Watch me" });
  await untilPageShown(service, id, 0);
  return playlistUrl(service, id);
}

/** The address of the newest segment. */
async function newestSegment(playlist: string): Promise<string> {
  const { segments } = (await fetchPlaylist(playlist))!;
  return new URL(segments.at(-1)!.uri, playlist).href;
}

serviceTest("segments are the media server's, byte by byte", async (service) => {
  const segment = await newestSegment(await channel(service));
  const theirs = segment.replace(`${service.url}/api/hls`, service.mediaUrl);
  const [ours, original] = await Promise.all(
    [segment, theirs].map(async (address) => await (await fetch(address)).bytes()),
  );
  assert.ok(ours.length > 1000);
  assert.deepEqual(ours, original);
});

inSoak(serviceTest)(
  "segments are kept for as long as they are listed, and then removed from memory",
  async (service) => {
    // the longest: eight of them are listed for 32 s
    const fields = { fps: 5, gop: 20, scale: "320x180", audio: false };
    await using stream = await service.temporaryStream({ name: "Long", ...fields });
    const folder = join(service.runDir, "hls/live", stream.id);
    const listed = new Set<string>();
    const missing = new Set<string>();
    // the media server looks every 44 s, for those older than that
    await until("the first segment to be removed", async () => {
      const playlist = await fetchPlaylist(playlistUrl(service, stream.id));
      const names = await namesIn(folder);
      for (const { uri } of playlist?.segments ?? []) {
        listed.add(uri);
        if (!names.includes(uri)) missing.add(uri);
      }
      const [first] = listed;
      return first !== undefined && !names.includes(first);
    });
    assert.deepEqual([...missing], []);
    assert.ok(listed.size > 8, `${listed.size} segments`);
  },
);

serviceTest("the proxy passes on what players and caches need", async (service) => {
  const url = await channel(service);
  const playlist = await fetch(url);
  await playlist.text();
  assert.equal(playlist.headers.get("cache-control"), "no-cache, no-store");
  assert.match(playlist.headers.get("content-type")!, /mpegurl/);
  const part = await fetch(await newestSegment(url), { headers: { range: "bytes=0-187" } });
  const bytes = await part.bytes();
  assert.equal(part.status, 206);
  assert.equal(part.headers.get("cache-control"), "max-age=300, immutable");
  assert.equal(part.headers.get("content-length"), "188");
  assert.match(part.headers.get("content-range")!, /^bytes 0-187\//);
  assert.equal(bytes[0], 0x47, "MPEG-TS sync byte");
});

/** Pids of nginx's master and workers; the front door is an nginx as well. */
function mediaServer(service: TestService): number[] {
  const [master] = service.processes(/^nginx: master .*nginx\.conf/);
  return [master, ...childrenOf(master)];
}

serviceTest(
  "the media server's own answers are hardened too, and players of other sites may use them",
  async (service) => {
    const ours = await newestSegment(await channel(service));
    for (
      const url of [
        ours.replace(`${service.url}/api/hls`, service.mediaUrl),
        `${service.mediaUrl}/live/none/index.m3u8`,
      ]
    ) {
      const answer = await fetch(url);
      await answer.body?.cancel();
      for (
        const [name, value] of [
          ["x-content-type-options", "nosniff"],
          ["referrer-policy", "no-referrer"],
          ["cross-origin-resource-policy", "cross-origin"],
        ]
      ) assert.equal(answer.headers.get(name), value, `${url} ${name}`);
    }
  },
);

serviceTest("ffprobe plays it, with its ranges", async (service) => {
  const { streams } = await probe(await channel(service));
  assert.deepEqual(streams.map(({ codec_type }) => codec_type).sort(), ["audio", "video"]);
});

serviceTest("a media server that accepts and never answers is a 502", async (service) => {
  const url = await channel(service);
  const [, worker] = mediaServer(service);
  Deno.kill(worker, "SIGSTOP");
  try {
    const ask = async () => {
      const response = await fetch(url);
      await response.text();
      return [response.status, response.headers.get("retry-after")];
    };
    // a playlist may be 200 ms old
    await same(ask, [502, "1"]);
    const start = performance.now();
    assert.deepEqual(await Promise.all(Array.from({ length: 10 }, ask)), Array(10).fill([502, "1"]));
    // 2 s and what a busy machine adds
    tellTime("a 502 of a media server that never answers", (performance.now() - start) / 1000, 2.5);
  } finally {
    Deno.kill(worker, "SIGCONT");
  }
});

// what is answered meanwhile is tests/app/channels_test.ts's and tests/unit/media/hls_proxy_test.ts's
serviceTest("the channel comes back after the media server was killed", async (service) => {
  await channel(service);
  await service.settled();
  const before = mediaServer(service);
  for (const pid of before) Deno.kill(pid, "SIGKILL");
  await until("another media server", () => mediaServer(service).some((pid) => !before.includes(pid)));
  await channel(service);
});
