/** What the programs that stay processes of ours share. */
import { type Paths, vncSocket } from "../../paths.ts";
import type { StreamId } from "../../streams/id.ts";
import { clientsOf } from "../../system/ports.ts";

/** Does a helper's work until it is told to end, and then ends at once, whatever it waits for. */
export async function untilTerminated(work: (signal: AbortSignal) => Promise<void>): Promise<never> {
  const terminated = new AbortController();
  const told = new Promise<void>((done) => terminated.signal.addEventListener("abort", () => done()));
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    Deno.addSignalListener(name, () => terminated.abort());
  }
  await Promise.race([work(terminated.signal), told]);
  Deno.exit(0);
}

/** Whether somebody is in the stream's browser by VNC. */
export async function isTakenOver(paths: Paths, id: StreamId): Promise<boolean> {
  return await clientsOf(vncSocket(paths, id)) > 0;
}
