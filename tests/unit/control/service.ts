/** A stream lifecycle on a real store, over a supervisord in memory. */
import { Slots } from "../../../lib/control/slots.ts";
import { Reconciler } from "../../../lib/control/reconciler.ts";
import { removeThumbnail } from "../../../lib/control/thumbnail_files.ts";
import { StreamStore } from "../../../lib/streams/store.ts";
import { Supervisor } from "../../../lib/supervisor/control.ts";
import { ProgramStatus } from "../../../lib/supervisor/status.ts";
import { setLogLevel } from "../../../lib/system/log.ts";
import { VncTokens } from "../../../lib/vnc/tokens.ts";
import { makePaths, tempDir } from "../../support/fixture.ts";
import { fakeSupervisord } from "../../support/supervisord.ts";

setLogLevel("error");

export const url = "https://example.org/";
const owner = { name: "me", uid: Deno.uid()!, gid: Deno.gid()! };

/** A lifecycle on a real store, over a supervisord in memory. Again on the same folder: the web app's restart. */
export async function aService(dir: string, supervisord?: ReturnType<typeof fakeSupervisord>) {
  const paths = await makePaths(dir);
  const fake = supervisord ?? fakeSupervisord(paths.programsDir);
  const store = await StreamStore.open(paths.streamsFile);
  const clock = { now: 1_000_000 };
  const tokens = new VncTokens(paths, owner);
  const lifecycle = new Reconciler({
    store,
    supervisor: new Supervisor(fake.run, "/supervisord.conf"),
    status: new ProgramStatus(fake.programs, () => clock.now),
    slots: new Slots(52_000 + Deno.pid % 700 * 10, 11_000 + Deno.pid % 800 * 10),
    tokens,
    thumbnails: { remove: (id) => removeThumbnail(paths.streamsDir, id) },
    programFiles: { template: "[program:{{id}}]\n", executable: ["/x"], ...paths },
    paths,
    run: fake.run,
    now: () => clock.now,
  });
  const desired = (id: string) => store.get(id)?.desiredState;
  return { paths, fake, store, clock, tokens, lifecycle, desired };
}

/** One test with a service of its own that goes away. */
export function withService(
  name: string,
  test: (service: Awaited<ReturnType<typeof aService>>, dir: string) => Promise<void>,
) {
  Deno.test(name, async () => {
    await using dir = await tempDir();
    await test(await aService(dir.path), dir.path);
  });
}
