/**
 * What a viewer's page takes of the processor by the playlist's EXT-X-DISCONTINUITY-SEQUENCE: hls.js with its own defaults
 * plays one recorded channel whose numbers begin with 0, with the days since 2025, and with the seconds since then, as they
 * once did. `deno run -A bench/viewer_page.ts`
 */
import { launchBrowser } from "../tests/support/browser.ts";
import { openHlsPage } from "../tests/support/hls_page.ts";
import { childrenOf } from "../tests/support/proc.ts";
import { recordedChannel } from "../tests/support/recorded_channel.ts";
import { cpu } from "./processes.ts";

const SECONDS = Number(Deno.env.get("BENCH_SECONDS") ?? 20);
const DAY = 86_400;
const NOW = Math.floor((Date.now() - Date.UTC(2025, 0, 1)) / 1000);

/** What a new browser takes while it plays, in % of a core. */
async function share(first: number): Promise<number> {
  await using channel = await recordedChannel("clock");
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/healthz") {
      return new Response("<body>", { headers: { "content-type": "text/html" } });
    }
    const answer = await fetch(channel.origin + pathname);
    if (!pathname.endsWith(".m3u8")) return answer;
    const tag = `$&\n#EXT-X-DISCONTINUITY-SEQUENCE:${first}`;
    return new Response((await answer.text()).replace(/^#EXT-X-MEDIA-SEQUENCE:.*$/m, tag));
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const before = new Set(childrenOf(Deno.pid));
  const browser = await launchBrowser();
  const [main] = childrenOf(Deno.pid).filter((pid) => !before.has(pid));
  await openHlsPage(browser, origin, `${origin}/live/clock/index.m3u8`);
  await new Promise((done) => setTimeout(done, 5000));
  const { browser: taken } = await cpu({ browser: main }, SECONDS * 1000);
  await browser.close();
  return taken;
}

const small = await share(0);
console.log(`0        ${small.toFixed(1)} % of a core`);
for (const [name, first] of [["days", Math.floor(NOW / DAY)], ["seconds", NOW]] as const) {
  const taken = await share(first);
  console.log(
    `${name.padEnd(8)} ${taken.toFixed(1)} % of a core, ${(taken / small).toFixed(1)} times as much`,
  );
}
