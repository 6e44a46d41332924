/** A page that fills its storage: its profile is emptied, which is said, and the stream list never suffers. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { serveGreedyPage } from "../support/greedy_page.ts";
import { run } from "../../lib/machine/os/process.ts";
import { within } from "../support/within.ts";
import { startService } from "../support/service.ts";
import type { StreamEvent } from "../../lib/model/answers/shapes.ts";

/** The least that may be set. */
const LIMIT_MB = 50;
/** An answer to a change of the list, while the page writes as fast as it can. */
const CHANGE_MS = 2000;

async function megabytesIn(folder: string): Promise<number> {
  const { stdout } = await run(["/usr/bin/du", "-s", "-B1", folder], { timeoutMs: 10_000 });
  return Number.parseInt(stdout) / 1e6;
}

Deno.test("a page that stores too much loses its profile with a reason, and the list is written all along", async () => {
  await using page = serveGreedyPage();
  const service = await startService({
    env: { PROFILE_LIMIT_MB: String(LIMIT_MB) },
    timings: { profileCheckMs: 2000, statusCacheMs: 200 },
  });
  try {
    const { id } = await service.create({ name: "Greedy", url: page.url, fps: 5, audio: false });
    const events = async (): Promise<StreamEvent[]> =>
      (await (await service.api("GET", `/api/streams/${id}/events`)).json()).events;
    // another one's settings: whoever changes this one's waits for what is done with it
    const { id: other } = await service.create({ name: "List 0", desiredState: "stopped" });
    let changes = 0;
    let slowestMs = 0;
    const changeList = async () => {
      const name = `List ${++changes}`;
      const from = performance.now();
      assert.equal((await service.api("PATCH", `/api/streams/${other}`, { name })).status, 200);
      const tookMs = performance.now() - from;
      slowestMs = Math.max(slowestMs, tookMs);
      assert.ok(tookMs < CHANGE_MS, `a change took ${tookMs} ms`);
      const list = await Deno.readTextFile(join(service.dataDir, "streams/streams.json"));
      assert.ok(list.includes(`"${name}"`), "the list was not written");
    };
    let told: StreamEvent | undefined;
    await within("the page to have stored too much", 90_000, async () => {
      told = (await events()).find(({ kind, level }) => kind === "profile" && level === "warn");
      if (told) return true;
      await changeList();
    }).catch((error) => {
      throw new Error(`${error.message}; it has stored ${page.stored} MiB`);
    });
    page.isGreedy = false;
    const opened = page.opened;
    const [, megabytes] = /^The page stored (\d+) MB, more than the 50 MB it may: its profile is emptied\.$/
      .exec(told!.text)!;
    assert.ok(
      Number(megabytes) > LIMIT_MB && page.stored > 20,
      `${megabytes} MB, ${page.stored} were stored`,
    );

    await within("the page to be opened again", 40_000, async () => {
      await changeList();
      return page.opened > opened;
    });
    await service.untilState(id, "running");
    const texts = (await events()).map(({ text }) => text);
    assert.ok(
      texts.slice(texts.indexOf(told!.text)).some((text) => /profile was emptied/.test(text)),
      texts.join("\n"),
    );
    const left = await megabytesIn(join(service.dataDir, "profiles", id));
    assert.ok(left < LIMIT_MB, `the profile has ${left} MB`);
    assert.ok(changes > 5, `the list was changed ${changes} times only`);
    console.log(
      `${page.stored} MiB were stored; ${changes} changes, the slowest in ${slowestMs.toFixed(0)} ms`,
    );
  } finally {
    await service.stop();
  }
});
