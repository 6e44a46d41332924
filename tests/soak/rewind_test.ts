/** The past of a channel whose whole service is killed twenty times, and that of forty displays on a disk that is full. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { kill, processesOfRun } from "../../lib/machine/os/orphans.ts";
import { namesIn } from "../../lib/machine/os/files.ts";
import { until } from "../support/same.ts";
import { ownEnvironment, SMALL, startService, type TestService } from "../support/service.ts";
import { servePages } from "../support/page.ts";
import { shownAt, spansOf } from "../support/shown_seconds.ts";
import { pause, within } from "../support/within.ts";

const ROUNDS = 20;
const MOMENTS = 200;
const PATIENCE_MS = 60_000;
const LOST_SECONDS = 3;
/** From a browser's start to its page. */
const BLANK_SECONDS = 5;

const now = () => Math.floor(Date.now() / 1000);
const between = (least: number, most: number) => least + Math.floor(Math.random() * (most - least + 1));

async function untilKept(service: TestService, id: string, second: number): Promise<void> {
  const isKept = async () => (await spansOf(service, id)).some(({ to }) => to > second + 1);
  await within("the past to go on", PATIENCE_MS, isKept, 300);
}

/** The files of a stream's past, by their names. */
async function filesOf(service: TestService, id: string): Promise<Map<string, Uint8Array>> {
  const folder = join(service.dataDir, "rewind", id);
  const names = await namesIn(folder);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await Deno.readFile(join(folder, name))] as const)),
  );
}

/** A service that is killed here leaves its server of pages in this process. */
const sanitize = { sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "twenty times all of it is killed at once: three seconds are lost at most, and never what was before",
  sanitize,
  async () => {
    await using pages = servePages();
    await using environment = await ownEnvironment();
    let service = await startService({ environment, streams: SMALL });
    const { id } = await service.create({
      name: "Seconds",
      url: `${pages.url}seconds.html`,
      audio: false,
      fps: 25,
    });
    const began = now();
    for (let round = 0; round < ROUNDS; round++) {
      // a page that is not good yet is covered, and a cover is not kept
      await within("the page", PATIENCE_MS, async () => (await service.status(id)).page?.state === "ok", 300);
      await untilKept(service, id, now());
      await pause(between(4000, 12_000));
      const killedAt = now();
      for (const pid of [service.pid, ...processesOfRun(service.runDir)]) kill(pid, "SIGKILL");
      const left = await filesOf(service, id);
      service = await startService({ environment, streams: SMALL });
      await untilKept(service, id, now());
      const last = killedAt - LOST_SECONDS;
      const kept = JSON.stringify((await spansOf(service, id)).slice(-3));
      assert.equal(await shownAt(service, id, last), last, `round ${round}: ${kept}`);
      const files = await filesOf(service, id);
      for (const [name, bytes] of left) {
        assert.deepEqual(files.get(name)?.subarray(0, bytes.length), bytes, `round ${round}: ${name}`);
      }
    }
    // a browser's first page is blank
    const spans = (await spansOf(service, id)).filter(({ from, to }) =>
      to > began && to - from > BLANK_SECONDS
    );
    assert.ok(spans.length > ROUNDS / 2, `${spans.length} spans`);
    for (let moment = 0; moment < MOMENTS; moment++) {
      const { from, to } = spans[between(0, spans.length - 1)];
      const second = between(from + BLANK_SECONDS, to - 1);
      assert.equal(await shownAt(service, id, second), second, `${second - from} s after a beginning`);
    }
    await until("the status to tell of a change", async () => {
      return ((await service.status(id)).lastChangeAt ?? 0) > Date.now() - 120_000;
    });
    await service.stop();
  },
);
