/** A trial of programs for a check: with an own user, folder and display, and without remains. */
import { join } from "node:path";
import { type Config, uidRangeOf } from "../../config.ts";
import { DISPLAYS, isDisplayFree, removeStaleDisplay } from "../../display/display.ts";
import { newXauthority } from "../../display/xauth.ts";
import { type Identity, isRoot } from "../../machine/os/exec.ts";
import { giveTo, removeTree, writeFileAtomic } from "../../machine/os/files.ts";
import { kill, killOrphans, RUN_MARKER } from "../../machine/os/orphans.ts";
import { run, type RunResult } from "../../machine/os/process.ts";
import { makeSocketFolder, SOCKET_FOLDER } from "../run_dir.ts";
import {
  commandAs,
  currentUser,
  EVERYBODYS_FOLDERS,
  numberedUser,
  pickUid,
  type UidRange,
  usersOf,
} from "../../machine/os/users.ts";

/** Milliseconds that programs get to end by themselves. */
const END_MS = 2000;

export class Trial implements AsyncDisposable {
  readonly folder: string;
  readonly display: number;
  readonly user: Identity;
  #env: Record<string, string>;
  #isOver = false;
  #running = new Set<Deno.ChildProcess>();

  private constructor(folder: string, display: number, user: Identity) {
    this.folder = folder;
    this.display = display;
    this.user = user;
    this.#env = {
      [RUN_MARKER]: folder,
      HOME: folder,
      TMPDIR: folder,
      XDG_RUNTIME_DIR: folder,
      DISPLAY: `:${display}`,
      XAUTHORITY: this.xauthority,
      PATH: "/usr/local/bin:/usr/bin:/bin",
      LANG: "C.UTF-8",
    };
  }

  /** Opens a trial: as root with a free user of UID_RANGE, as a stream's; else with our own user. */
  static async open(config: Config): Promise<Trial> {
    const user = isRoot() ? await freeUser(uidRangeOf(config)) : await currentUser();
    await makeSocketFolder(SOCKET_FOLDER);
    const display = await freeDisplay(config.DISPLAY_BASE);
    await removeStaleDisplay(display);
    // a folder in root's own TMPDIR would be out of the user's reach
    const folder = await Deno.makeTempDir({ dir: "/tmp", prefix: "browser-stream-doctor-" });
    await giveTo(user, folder);
    const trial = new Trial(folder, display, user);
    await writeFileAtomic(trial.xauthority, newXauthority() as Uint8Array<ArrayBuffer>, 0o600);
    await giveTo(user, trial.xauthority);
    return trial;
  }

  /** Whether the trial was ended: later findings of checks have no meaning. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get xauthority(): string {
    return join(this.folder, "xauthority");
  }

  /** Runs a program as the user to its end. @throws {ProcessError} */
  async run(argv: string[], timeoutMs: number): Promise<RunResult> {
    this.#refuseIfOver();
    const MAX_OUTPUT = 4 * 1024 * 1024;
    const options = { timeoutMs, env: this.#env, clearEnv: true, cwd: this.folder, maxOutput: MAX_OUTPUT };
    return await run(commandAs(this.user, argv), options);
  }

  /**
   * Starts a program that does not end by itself, and waits for `isDone`. Returns null; or, when the program ended
   * before, or the time is over, the last lines of its output.
   */
  async start(argv: string[], isDone: () => Promise<boolean>, limitMs: number): Promise<string | null> {
    this.#refuseIfOver();
    const [program, ...args] = commandAs(this.user, argv);
    const said = join(this.folder, "said");
    const script = 'exec "$@" >"$0" 2>&1'; // a file: a pipe would have to be read until the end
    const child = new Deno.Command("/bin/sh", {
      args: ["-c", script, said, program, ...args],
      env: this.#env,
      clearEnv: true,
      cwd: this.folder,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    let hasEnded = false;
    this.#running.add(child);
    child.status.then(() => {
      hasEnded = true;
      this.#running.delete(child);
    });
    for (const end = performance.now() + limitMs; performance.now() < end && !hasEnded;) {
      if (await isDone()) return null;
      await new Promise((done) => setTimeout(done, 100));
    }
    const lines = (await Deno.readTextFile(said).catch(() => "")).trim().split("\n").filter(Boolean);
    const reason = hasEnded ? "it ended" : `nothing after ${limitMs / 1000} s`;
    return [reason, ...lines.slice(-3).map((line) => line.slice(0, 300))].join("; ");
  }

  /** Throws after the end: a program that starts while the others are ended would stay. */
  #refuseIfOver(): void {
    if (this.#isOver) throw new Error("interrupted");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await killOrphans(this.folder, END_MS);
    // a child that is just becoming its program has no marker for a moment
    for (const child of this.#running) {
      kill(child.pid, "SIGKILL");
      await child.status;
    }
    await removeStaleDisplay(this.display);
    await removeTree(this.folder);
  }
}

async function freeUser(range: UidRange): Promise<Identity> {
  const { uids, isWhole } = await usersOf(range, EVERYBODYS_FOLDERS);
  return numberedUser(await pickUid(range, isWhole ? "doctor" : null, uids));
}

/** A display that no stream gets soon: streams take the first. @throws {Error} when no display is free. */
async function freeDisplay(base: number): Promise<number> {
  for (let display = base + DISPLAYS; display > base; display--) {
    if (await isDisplayFree(display)) return display;
  }
  throw new Error("no X display is free");
}
