/**
 * Pixels go from display to browser and encoder by System V shared memory (MIT-SHM), which ffmpeg makes with mode 0777,
 * and Chromium with 0606: every user of the machine could see a stream's picture there, and paint over it. So the programs
 * of a stream that use it share it with each other alone.
 */
import { isRoot, joinSharedMemory, leaveSharedMemory } from "../os/exec.ts";
import { sleep } from "../system/time.ts";
import { processOf } from "../os/users.ts";

/** The display's program. */
const DISPLAY = "Xvnc";
/** Milliseconds that the display gets to be there. */
const DISPLAY_MS = 15_000;
const PAUSE_MS = 20;

/**
 * A command line that root runs where the shared memory of a user's display is. Elsewhere the display would take another
 * one's number for it: ffmpeg then gets a black picture, and the display paints into what is not ffmpeg's.
 */
export async function commandAtDisplay(uid: number, argv: string[]): Promise<string[]> {
  const pid = isRoot() ? processOf(uid, DISPLAY) : null;
  if (pid === null) return argv;
  const place = `/proc/${pid}/ns/ipc`;
  const [its, ours] = await Promise.all(
    [place, "/proc/self/ns/ipc"].map((path) => Deno.readLink(path).catch(() => "")),
  );
  return its === ours || its === "" ? argv : ["/usr/bin/nsenter", `--ipc=${place}`, "--", ...argv];
}

/**
 * Goes to where the shared memory of a user's display is. Where the kernel does not let us, all share one: a display
 * without MIT-SHM is none for ffmpeg, which loses its connection then. Only before we give up root.
 */
export async function joinDisplay(uid: number): Promise<void> {
  // a place of its own, so that nothing is left in everybody's whatever comes next
  if (!leaveSharedMemory()) return;
  for (const deadline = performance.now() + DISPLAY_MS; performance.now() < deadline; await sleep(PAUSE_MS)) {
    // one of the user's own, so that the worst a page's code can show us is another place of its own
    const pid = processOf(uid, DISPLAY);
    if (pid !== null) return void joinSharedMemory(pid);
  }
}
