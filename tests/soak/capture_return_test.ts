/** An encoder that had to grab its display has the capture program's pictures again, by itself. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { SOCKETS } from "../../lib/capture/display_sockets.ts";
import { parseConfig } from "../../lib/config.ts";
import { pathsOf, picturesFolder } from "../../lib/paths.ts";
import { parseSpec } from "../../lib/pipeline/spec.ts";
import { untilPageShown } from "../support/channel.ts";
import { within } from "../support/within.ts";
import { startService } from "../support/service.ts";

Deno.test("an encoder that grabs its display since the capture program was away returns to it, once", async () => {
  const service = await startService({ timings: { encoderCheckMs: 1000, encoderReturnMs: 5000 } });
  try {
    const { id } = await service.create({ name: "Clock" });
    const newest = await untilPageShown(service, id, 0, { limitMs: 30_000 });
    const paths = pathsOf(parseConfig(service.env));
    const { display } = parseSpec(await Deno.readTextFile(join(paths.specsDir, `${id}.json`)));
    const isLast = async (pattern: RegExp) => {
      const log = await Deno.readTextFile(join(service.dataDir, "logs", id, "encoder.log"));
      return pattern.test(log.split("\n").findLast((line) => /picture/.test(line)) ?? "");
    };
    // nobody is there to be asked
    await Deno.remove(join(picturesFolder(paths, display), SOCKETS.ask));
    Deno.kill(await service.programPid(`encoder-${id}`), "SIGKILL");
    await within("the encoder to grab its display", 30_000, () => isLast(/takes every picture itself/));
    const grabbed = await untilPageShown(service, id, newest + 1, { limitMs: 15_000 });
    const grabbing = await service.programPid(`encoder-${id}`);

    Deno.kill(service.processes(/ capture$/)[0], "SIGKILL");
    await within("pictures of what changes", 30_000, () => isLast(/taken of what changes/));
    await untilPageShown(service, id, grabbed + 2, { limitMs: 15_000 });
    const returned = await service.programPid(`encoder-${id}`);
    assert.notEqual(returned, grabbing);
    const { events } = await (await service.api("GET", `/api/streams/${id}/events`)).json();
    const told = (events as { text: string; count: number }[]).filter(({ text }) =>
      /the capture program works again/.test(text)
    );
    assert.deepEqual(told.map(({ count }) => count), [1]);
  } finally {
    await service.stop();
  }
});
