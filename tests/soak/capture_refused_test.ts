/** A display that does not tell what changes: the encoder takes every picture itself, and its log says why. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { changedProgram } from "../support/changed_bundle.ts";
import { untilPageShown } from "../support/channel.ts";
import { tempDir } from "../support/fixture.ts";
import { startService } from "../support/service.ts";

const XVNC = '"/usr/bin/Xvnc"';

/** The program, whose X servers lack an extension. @returns its command line. */
async function programWithout(extension: string, folder: string): Promise<string[]> {
  const server = join(folder, "server.sh");
  const script = `#!/bin/sh\nexec /usr/bin/Xvnc "$@" -extension ${extension}\n`;
  await Deno.writeTextFile(server, script, { mode: 0o755 });
  return await changedProgram(folder, XVNC, JSON.stringify(server));
}

// without MIT-SHM as a whole, ffmpeg cannot grab either; each Xvnc has it
Deno.test("capture: without DAMAGE ffmpeg grabs the display, the channel is on the air, and the encoder's log says why", async () => {
  await using folder = await tempDir();
  const service = await startService({ program: await programWithout("DAMAGE", folder.path) });
  try {
    const { id } = await service.create({ name: "Clock", fps: 10 });
    await untilPageShown(service, id, 0, { limitMs: 30_000 });
    const { text } = await (await service.api("GET", `/api/streams/${id}/log/encoder`)).json();
    assert.deepEqual((text as string).split("\n").filter((line) => /picture/.test(line)), [
      "ffmpeg takes every picture itself, as others cannot be had: the display has no DAMAGE",
    ]);
  } finally {
    await service.stop();
  }
});
