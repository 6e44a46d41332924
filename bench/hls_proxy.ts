/**
 * The HLS proxy against the media server asked directly, and 300 viewers of a running channel. Needs Debian's `wrk`.
 *
 *     deno task build && deno run -A bench/hls_proxy.ts [SECONDS]
 */
import { join } from "node:path";
import { seedPlaylist } from "../lib/media/hls.ts";
import { residentMiB } from "../tests/support/memory.ts";
import { startService, type TestService, until } from "../tests/support/service.ts";
import { watch, type Watched } from "./hls_viewers.ts";
import { median } from "./processes.ts";

const ROUNDS = 7;
/** At a time. Of 300 viewers less than one has a request under way. */
const CONNECTIONS = [4, 16, 64];
const ROUND_SECONDS = 2;
const VIEWERS = 300;
const WATCH_SECONDS = Number(Deno.args[0] ?? 180);
/** Bytes of a second at the bit rates of "Video" and of "Dashboard", and of a page that hardly changes. */
const SEGMENTS = { "1000.ts": 500_000, "2000.ts": 200_000, "3000.ts": 30_000 };

const whole = (value: number) => value.toFixed(0).padStart(6);

interface Load {
  requests: number;
  mib: number;
}

async function wrk(url: string, connections: number): Promise<Load> {
  const args = ["-t1", `-c${connections}`, `-d${ROUND_SECONDS}s`, url];
  const { stdout } = await new Deno.Command("wrk", { args }).output();
  const text = new TextDecoder().decode(stdout);
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(`${url}: ${text}`);
  const [, size, unit] = /Transfer\/sec:\s+([\d.]+)([KMG]?)B/.exec(text)!;
  const scale = { "": 2 ** -20, K: 2 ** -10, M: 1, G: 2 ** 10 }[unit as "" | "K" | "M" | "G"];
  return { requests: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)![1]), mib: Number(size) * scale };
}

/** Puts a channel that stays as it is beside those of the media server. */
async function makeFixture(service: TestService): Promise<void> {
  const dir = join(service.runDir, "hls/live/bench");
  await Deno.mkdir(dir, { recursive: true, mode: 0o755 });
  await Deno.chmod(dir, 0o755);
  const list = Array.from({ length: 8 }, (_, at) => `#EXTINF:1.000,\n${1795241652273 + at}.ts\n`).join("");
  const files: Record<string, Uint8Array> = {
    "index.m3u8": new TextEncoder().encode(seedPlaylist(Date.now()) + list),
  };
  for (const [name, size] of Object.entries(SEGMENTS)) {
    files[name] = new Uint8Array(size);
    for (let at = 0; at < size; at += 50_000) crypto.getRandomValues(files[name].subarray(at, at + 50_000));
  }
  // the media server removes what is old
  const later = Date.now() / 1000 + 86_400;
  for (const [name, bytes] of Object.entries(files)) {
    await Deno.writeFile(join(dir, name), bytes, { mode: 0o644 });
    await Deno.chmod(join(dir, name), 0o644);
    await Deno.utime(join(dir, name), later, later);
  }
  await until("the media server", 10_000, () => isThere(`${service.mediaUrl}/live/bench/index.m3u8`));
}

async function isThere(url: string): Promise<boolean> {
  const answer = await fetch(url).catch(() => null);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}

async function compare(service: TestService, name: string, connections: number): Promise<void> {
  const urls = {
    proxy: `${service.url}/api/hls/live/bench/${name}`,
    "media server": `${service.mediaUrl}/live/bench/${name}`,
  };
  type Party = keyof typeof urls;
  const loads: Record<Party, Load[]> = { proxy: [], "media server": [] };
  for (const url of Object.values(urls)) await wrk(url, connections); // until the compilers have seen it
  for (let round = 0; round < ROUNDS; round++) {
    for (const who of Object.keys(urls) as Party[]) loads[who].push(await wrk(urls[who], connections));
  }
  const speed = (who: Party) =>
    `${whole(median(loads[who].map(({ requests }) => requests)))} requests/s ` +
    `${whole(median(loads[who].map(({ mib }) => mib)))} MiB/s`;
  const ratios = loads.proxy.map(({ requests }, round) => requests / loads["media server"][round].requests);
  const [middle, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  console.log(
    `${name.padEnd(11)}${whole(connections)} connections: proxy ${speed("proxy")}, media server ` +
      `${speed("media server")}, ratio ${middle.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`,
  );
}

async function watchers(service: TestService): Promise<void> {
  const { id } = await service.create({ name: "Crowd", url: `${service.pageUrl}moving.html` });
  await until("the stream to run", 30_000, async () => (await service.status(id)).state === "running");
  await new Promise((done) => setTimeout(done, 8000));
  const pid = service.processes(/ serve *$/)[0];
  const playlist = `${service.url}/api/hls/live/${id}/index.m3u8`;
  const watched: Watched = { segments: 0, bytes: 0, late: 0, errors: 0, took: [], spare: [] };
  const before = residentMiB(pid);
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(residentMiB(pid)), 1000);
  const start = performance.now();
  await Promise.all(Array.from({ length: VIEWERS }, async (_, at) => {
    await new Promise((done) => setTimeout(done, at / VIEWERS * 1000));
    await watch(playlist, start + WATCH_SECONDS * 1000, watched);
  }));
  clearInterval(sampling);
  const third = Math.ceil(memory.length / 3);
  const thirds = [0, 1, 2].map((at) => median(memory.slice(at * third, (at + 1) * third)).toFixed(0));
  const { segments, bytes, late, errors, took, spare } = watched;
  took.sort((a, b) => a - b);
  const rate = (bytes / 2 ** 20 / WATCH_SECONDS).toFixed(1);
  const slow = took[Math.floor(took.length * 0.99)].toFixed(0);
  console.log(
    `${VIEWERS} viewers for ${WATCH_SECONDS} s: ${segments} segments, ${rate} MiB/s, ${late} late, ${errors} errors`,
  );
  console.log(
    `a segment took ${median(took).toFixed(1)} ms, 99th percentile ${slow} ms; ` +
      `least time to spare ${Math.min(...spare).toFixed(0)} ms`,
  );
  const [a, b, c] = thirds;
  const most = Math.max(...memory).toFixed(0);
  console.log(
    `memory of the web app, MiB: ${before.toFixed(0)}; in the thirds ${a}, ${b}, ${c}; at most ${most}`,
  );
}

const service = await startService({ env: { LOG_LEVEL: "info" } });
try {
  console.log(`load average before: ${Deno.loadavg().map((load) => load.toFixed(1)).join(" ")}`);
  await makeFixture(service);
  for (const name of ["index.m3u8", ...Object.keys(SEGMENTS)]) {
    for (const connections of CONNECTIONS) await compare(service, name, connections);
  }
  if (WATCH_SECONDS > 0) await watchers(service);
} finally {
  await service.stop();
}
