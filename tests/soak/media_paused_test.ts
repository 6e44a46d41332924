/** The media server takes nothing for a minute: what the encoder has not sent does not pile up in memory. */
import { strict as assert } from "node:assert";
import { DEFAULT_TIMINGS } from "../../lib/timings.ts";
import { processEntry } from "../../lib/machine/os/process_table.ts";
import { untilPageShown } from "../support/channel.ts";
import { listedSequence, programPids } from "../support/faults.ts";
import { residentMiB } from "../support/memory.ts";
import { childrenOf } from "../support/proc.ts";
import { startService } from "../support/service.ts";
import { pause } from "../support/within.ts";

const PAUSED_MS = 60_000;
const MORE_MIB = 32;
const NEVER = 3600;

/** Nobody ends the paused server, and nobody replaces the encoder: else neither would be paused for a minute. */
const PATIENCE = {
  life: { ...DEFAULT_TIMINGS.life, stoppedMs: NEVER * 1000 },
  probe: { ...DEFAULT_TIMINGS.probe, misses: NEVER },
  encoderSilentSeconds: NEVER,
};

Deno.test("a media server that is paused for a minute costs the encoder no memory, and the channel is back", async () => {
  const service = await startService({ timings: PATIENCE });
  try {
    const { id } = await service.create({ name: "Clock", fps: 25 });
    await untilPageShown(service, id, 0, { limitMs: 30_000 });
    await pause(10_000); // until the encoder has all that it works with
    const before = await programPids(service);
    const media = before.get("media")!;
    const watched = [`encoder-${id}`, "capture"];
    const memory = (pids: Map<string, number>) =>
      watched.map((name) => pids.has(name) ? residentMiB(pids.get(name)!) : 0);
    const base = memory(before);
    assert.ok(base.every((mib) => mib > 0));

    const paused = [media, ...childrenOf(media)];
    for (const pid of paused) Deno.kill(pid, "SIGSTOP");
    const last = listedSequence(service, id);
    const most = [...base];
    for (const end = Date.now() + PAUSED_MS; Date.now() < end; await pause(500)) {
      memory(await programPids(service)).forEach((mib, at) => most[at] = Math.max(most[at], mib));
    }
    const states = paused.map((pid) => processEntry(pid)?.state);
    assert.deepEqual(states, paused.map(() => "T"), "the media server was not paused all the time");
    assert.ok(listedSequence(service, id) <= last + 1, "there was a new segment");
    const after = await programPids(service);
    const isSame = watched.every((name) => after.get(name) === before.get(name));
    assert.ok(isSame, "one was restarted: what it had before is not known");
    watched.forEach((name, at) => {
      const text = `${name}: ${base[at].toFixed(0)} MiB became ${most[at].toFixed(0)}`;
      console.log(text);
      assert.ok(most[at] <= base[at] + MORE_MIB, text);
    });

    for (const pid of paused) Deno.kill(pid, "SIGCONT");
    await untilPageShown(service, id, last + 1, { limitMs: 30_000 });
    await service.untilState(id, "running");
  } finally {
    await service.stop();
  }
});
