/**
 * The HLS proxy against the media server asked directly, and the front door alone against it, too. Needs Debian's `wrk`. The
 * argument is how many rounds.
 *
 *     deno task build && deno run -A bench/hls_proxy.ts 7
 */
import { join } from "node:path";
import { seedPlaylist } from "../lib/media/hls.ts";
import { reserveSlot } from "../tests/support/slot.ts";
import { startService, type TestService } from "../tests/support/service.ts";
import { median } from "./figures.ts";
import { within } from "../tests/support/within.ts";

const ROUNDS = Number(Deno.args[0] ?? 7);
/** At a time. Of 300 viewers less than one has a request under way. */
const CONNECTIONS = [4, 16];
const ROUND_SECONDS = 2;
/** Bytes of a second at the bit rates of "Video" and of "Dashboard", and of a page that hardly changes. */
const SEGMENTS = { "1000.ts": 500_000, "2000.ts": 200_000, "3000.ts": 30_000 };

const BASELINE = "media server";

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
  await within("the media server", 10_000, () => isThere(`${service.mediaUrl}/live/bench/index.m3u8`));
}

async function isThere(url: string): Promise<boolean> {
  const answer = await fetch(url).catch(() => null);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}

/**
 * The front door as it is configured, but it sends the files itself and asks nobody: no web app behind it can be faster.
 * @returns its URL.
 */
async function startDoorAlone(service: TestService, started: AsyncDisposableStack): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "bs-bench-" });
  started.defer(() => Deno.remove(folder, { recursive: true }));
  const [port] = started.use(reserveSlot()).ports;
  const hls = join(service.runDir, "hls");
  const configured = await Deno.readTextFile(join(service.dataDir, "config/front.conf"));
  const settings = configured
    .replaceAll(join(service.runDir, "front"), folder)
    .replace(`:${new URL(service.url).port};`, `:${port};`)
    .replace("daemon off;", "daemon off; user root;") // whoever else may not read the segments
    .replace(
      "http {",
      "http { sendfile on; tcp_nopush on; types { application/vnd.apple.mpegurl m3u8; video/mp2t ts; }",
    )
    .replace("proxy_pass http://$backend;", `root ${hls};`);
  const path = join(folder, "front.conf");
  await Deno.writeTextFile(path, settings);
  const door = new Deno.Command("nginx", { args: ["-c", path], stdin: "null" }).spawn();
  started.defer(async () => {
    door.kill("SIGTERM");
    await door.status;
  });
  const url = `http://127.0.0.1:${port}`;
  await within("the door alone", 10_000, () => isThere(`${url}/live/bench/index.m3u8`));
  return url;
}

async function compare(urls: Record<string, string>, name: string, connections: number): Promise<void> {
  const loads = new Map(Object.keys(urls).map((who) => [who, [] as Load[]]));
  for (const url of Object.values(urls)) await wrk(url, connections); // until the compilers have seen it
  for (let round = 0; round < ROUNDS; round++) {
    for (const [who, done] of loads) done.push(await wrk(urls[who], connections));
  }
  const baseline = loads.get(BASELINE)!;
  const columns = [...loads].map(([who, done]) => {
    const speed = `${who} ${whole(median(done.map(({ requests }) => requests)))} requests/s ` +
      `${whole(median(done.map(({ mib }) => mib)))} MiB/s`;
    if (who === BASELINE) return speed;
    const ratios = done.map(({ requests }, round) => requests / baseline[round].requests);
    const [middle, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
    return `${speed}, ratio ${middle.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
  });
  console.log(`${name.padEnd(11)}${whole(connections)} connections: ${columns.join("; ")}`);
}

const service = await startService({ env: { LOG_LEVEL: "info" } });
const started = new AsyncDisposableStack();
try {
  console.log(`load average before: ${Deno.loadavg().map((load) => load.toFixed(1)).join(" ")}`);
  await makeFixture(service);
  const door = await startDoorAlone(service, started);
  for (const name of ["index.m3u8", ...Object.keys(SEGMENTS)]) {
    const urls = {
      proxy: `${service.url}/api/hls/live/bench/${name}`,
      "door alone": `${door}/live/bench/${name}`,
      [BASELINE]: `${service.mediaUrl}/live/bench/${name}`,
    };
    for (const connections of CONNECTIONS) await compare(urls, name, connections);
  }
} finally {
  await started.disposeAsync();
  await service.stop();
}
