/**
 * Pixels go from display to browser and encoder by System V shared memory (MIT-SHM), which ffmpeg makes with mode 0777,
 * and Chromium with 0606: every user of the machine could see a stream's picture there, and paint over it. So the programs
 * of a stream share this memory with each other alone.
 */
import { isRoot, joinSharedMemory } from "../machine/os/exec.ts";
import { sleep } from "../machine/tools/time.ts";
import { processOf } from "../machine/os/users.ts";

/** The program of a display. */
const DISPLAY = "Xvnc";
/** Milliseconds to wait for the display. */
const DISPLAY_MS = 15_000;
const PAUSE_MS = 20;

/**
 * A command line that root runs in the shared memory of a user's display. Elsewhere the number would mean another
 * segment for the display: ffmpeg then gets a black picture, and the display paints into another segment.
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
 * Joins the shared memory of a user's display, as its MIT-SHM needs it, from a namespace of our own: no segment is ever
 * left in the namespace of all users. Only before we give up root.
 */
export async function joinDisplay(uid: number): Promise<void> {
  for (const deadline = performance.now() + DISPLAY_MS; performance.now() < deadline; await sleep(PAUSE_MS)) {
    // a process of the user's own, so that a page's code can only lead us to another namespace of its own
    const pid = processOf(uid, DISPLAY);
    if (pid !== null) return void joinSharedMemory(pid);
  }
}
