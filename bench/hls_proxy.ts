/**
 * The HLS proxy against the media server asked directly. Needs Debian's `wrk`.
 *
 *     deno task build && deno run -A bench/hls_proxy.ts
 */
import { join } from "node:path";
import { seedPlaylist } from "../lib/media/hls.ts";
import { startService, type TestService, until } from "../tests/support/service.ts";
import { median } from "./figures.ts";

const ROUNDS = 7;
/** At a time. Of 300 viewers less than one has a request under way. */
const CONNECTIONS = [4, 16, 64];
const ROUND_SECONDS = 2;
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

const service = await startService({ env: { LOG_LEVEL: "info" } });
try {
  console.log(`load average before: ${Deno.loadavg().map((load) => load.toFixed(1)).join(" ")}`);
  await makeFixture(service);
  for (const name of ["index.m3u8", ...Object.keys(SEGMENTS)]) {
    for (const connections of CONNECTIONS) await compare(service, name, connections);
  }
} finally {
  await service.stop();
}
