/**
 * The folders of each stream's user, made and removed for the web app. Everything is done in folders of root's, where
 * no other user can put a link; the content of another user's folder is only removed, or given away by a tool that
 * follows no link.
 */
import { join } from "node:path";
import { channelDir } from "../../channel/media/hls.ts";
import {
  captureKey,
  displayKey,
  displaySizeFile,
  type Paths,
  picturesFolder,
  slotPaths,
} from "../../paths.ts";
import { DISPLAYS } from "../../display/display.ts";
import { packProfile, unpackProfile } from "../../browser/profile_archive.ts";
import { muteCommand, soundQuestion } from "../../live/programs/commands/audio.ts";
import { commandAtDisplay } from "../../display/shared_memory.ts";
import { grabMotion, grabScreen, type PictureKind } from "../../display/screen_grabs.ts";
import { newXauthority } from "../../display/xauth.ts";
import type { StreamId } from "../../model/id.ts";
import { parseSize, storedStream } from "../../model/schema.ts";
import { programFile, type ProgramFiles, writePrograms } from "../supervisor/program_files.ts";
import { KeyedQueue, Semaphore } from "../tools/concurrency.ts";
import type { Identity } from "../os/exec.ts";
import { ensureFolder, giveTo, type Owner, removeTree, writeIfChanged } from "../os/files.ts";
import { errorText, log } from "../tools/log.ts";
import type { MemoryGroups } from "../os/memory_group.ts";
import type { BytesRunner, OutputReader } from "../os/process.ts";
import { commandAs, ownerOf } from "../os/users.ts";
import type { Broker, Needs } from "./protocol.ts";
import type { Repair, Repairs } from "./repairs.ts";
import type { StreamUsers } from "./stream_users.ts";

export interface StreamFoldersParts {
  paths: Paths;
  programFiles: ProgramFiles;
  users: StreamUsers;
  /** The users of the programs that all streams share. */
  shared: SharedUsers;
  /** Null: memory cannot be limited. */
  memory: MemoryGroups | null;
  /** One less than the number of the first display. */
  displayBase: number;
  machine: FoldersMachine;
  repairs: Repairs;
}

/** The functions of the machine that the folders need. */
export interface FoldersMachine {
  removeStaleDisplay(display: number): Promise<void>;
  /** Whether the X server of a user answers on a display. */
  isUp(display: number, uid: number): Promise<boolean>;
  runBytes: BytesRunner;
  readOutput: OutputReader;
  /** @throws {Error} when something that the start has promised is not there, and cannot be put back. */
  checkGuards(): Promise<void>;
  /** Closes the network to a stream's user; the start of its browser opens the permitted part. @throws {Error} */
  restrict(uid: number): Promise<void>;
}

export interface SharedUsers {
  web: Identity;
  media: Identity;
  vncProxy: Identity;
  front: Identity;
  capture: Identity;
}

/** Thumbnails that are captured at once: the web app asks for fewer. */
const CAPTURES = 4;

/** Displays that are watched at once, by an ffmpeg each. */
const WATCHES = 16;

/** Milliseconds to go through the files of a profile. */
const MEASURE_MS = 10_000;

/** Minutes without a read or write after which a temporary file is left over: crash dumps, mostly. */
const STALE_MINUTES = 24 * 60;

/** Milliseconds for a sound server's answer. */
const SOUND_MS = 4000;

/** The queue of streams that look for a free user; no stream has this id. */
const KEY = "users:";

export class StreamFolders implements Broker {
  #parts: StreamFoldersParts;
  #displays = new Map<StreamId, number>();
  #queue = new KeyedQueue();
  #captures = new Semaphore(CAPTURES);
  #watches = 0;
  #removals = 0;

  constructor(parts: StreamFoldersParts) {
    this.#parts = parts;
  }

  prepare(id: StreamId, needs: Needs): Promise<boolean> {
    return this.#queue.run(id, () => this.#prepare(id, needs));
  }

  release(id: StreamId): Promise<void> {
    return this.#queue.run(id, () => this.#release(id));
  }

  reset(id: StreamId): Promise<void> {
    return this.#queue.run(id, async () => {
      if (this.#displays.has(id)) throw new Error(`${id} has not been stopped`);
      const { paths, programFiles, users } = this.#parts;
      const profile = join(paths.profilesDir, id);
      const owner = await ownerOf(profile);
      await removeTree(profile);
      if (owner !== null) await this.#queue.run(KEY, () => users.makeProfile(id, owner));
      await writePrograms(programFiles, id, this.#parts.shared.web);
    });
  }

  disown(id: StreamId): Promise<void> {
    return this.#queue.run(id, async () => {
      await this.#release(id);
      await removeTree(programFile(this.#parts.programFiles, id));
    });
  }

  async remove(id: StreamId): Promise<void> {
    await this.#queue.run(id, () => this.#remove(id));
    this.#removals++;
  }

  /** The number of streams that were removed so far. */
  get removals(): number {
    return this.#removals;
  }

  /** Removes everything that a stream has left, unless it runs. @param keepsPast whether its past and its exports stay. */
  removeLeftover(id: StreamId, keepsPast = false): Promise<void> {
    return this.#queue.run(id, async () => {
      if (!this.#displays.has(id)) await this.#remove(id, keepsPast);
    });
  }

  /** Removes the left-over temporary files of running streams. @throws {Error} when the removal fails. */
  async removeTemporaryFiles(): Promise<void> {
    const { paths, users, machine: { runBytes } } = this.#parts;
    for (const [id, display] of [...this.#displays]) {
      const user = await users.of(id);
      if (!user) continue;
      const { tempDir } = slotPaths(paths, display);
      // as the stream's user, who may put links there; but not the database that Chromium keeps open
      const old = ["-mmin", `+${STALE_MINUTES}`, "-amin", `+${STALE_MINUTES}`];
      const find = ["/usr/bin/find", tempDir, "-xdev", "-type", "f", ...old, "!", "-name", "settings.dat"];
      await runBytes(commandAs(user, [...find, "-delete"]), {
        timeoutMs: MEASURE_MS,
        clearEnv: true,
        cwd: "/",
        maxOutput: 64 * 1024,
      });
    }
  }

  async measure(id: StreamId): Promise<number> {
    const { users, paths, machine: { runBytes } } = this.#parts;
    const user = await users.of(id);
    const profile = join(paths.profilesDir, id);
    if (!user || await ownerOf(profile) === null) return 0;
    const display = this.#displays.get(id);
    // temporary files and crash dumps count, too: they are in the run directory, which is memory
    const folders = [profile, ...(display === undefined ? [] : [slotPaths(paths, display).folder])];
    // as the stream's user: that user makes and removes files meanwhile
    const du = ["/usr/bin/du", "--summarize", "--block-size=1", "--one-file-system", "--", ...folders];
    const { stdout, stderr } = await runBytes(commandAs(user, du), {
      timeoutMs: MEASURE_MS,
      clearEnv: true,
      cwd: "/",
      maxOutput: 64 * 1024,
    });
    const sums = new TextDecoder().decode(stdout).match(/^\d+/gm);
    if (sums === null) throw new Error(`du: ${stderr.trim().slice(0, 200)}`);
    return sums.reduce((all, bytes) => all + Number(bytes), 0);
  }

  pack(id: StreamId): Promise<Uint8Array<ArrayBuffer>> {
    return this.#queue.run(id, async () => {
      const profile = join(this.#parts.paths.profilesDir, id);
      return await ownerOf(profile) === null ? new Uint8Array() : await packProfile(profile);
    });
  }

  unpack(id: StreamId, packed: Uint8Array<ArrayBuffer>): Promise<void> {
    return this.#queue.run(id, () => unpackProfile(join(this.#parts.paths.profilesDir, id), packed));
  }

  async capture(
    id: StreamId,
    resolution: string,
    kind: PictureKind,
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { owner, screen } = await this.#screen(id, resolution);
    const { runBytes } = this.#parts.machine;
    const run: BytesRunner = async (argv, options) =>
      await runBytes(await commandAtDisplay(owner.user.uid, argv), options);
    return await this.#captures.run(() => grabScreen({ run, ...owner }, screen, kind, signal));
  }

  async *watch(
    id: StreamId,
    resolution: string,
    fps: number,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    if (this.#watches >= WATCHES) throw new Error("too many displays are watched");
    this.#watches++;
    try {
      const { owner, screen } = await this.#screen(id, resolution);
      const { readOutput } = this.#parts.machine;
      const read: OutputReader = async function* (argv, options) {
        yield* readOutput(await commandAtDisplay(owner.user.uid, argv), options);
      };
      yield* grabMotion(read, owner, { ...screen, fps }, signal);
    } finally {
      this.#watches--;
    }
  }

  /** A running stream's display, with its user. @throws {Error} */
  async #screen(id: StreamId, resolution: string) {
    const display = this.#displays.get(id);
    const { width, height } = parseSize(resolution);
    if (display === undefined || width * height > 4096 * 4096) throw new Error(`${id} is not running`);
    const { paths, users, machine: { isUp } } = this.#parts;
    const user = await users.of(id);
    if (!user) throw new Error(`${id} is not running`);
    // otherwise another server there would get the display's key
    if (!await isUp(display, user.uid)) throw new Error(`${id} has no display of its own`);
    const { xauthority } = slotPaths(paths, display);
    return { owner: { user, runDir: paths.runDir, xauthority }, screen: { display, resolution } };
  }

  async hasSound(id: StreamId): Promise<boolean> {
    return await this.#askSound(id, soundQuestion);
  }

  mute(id: StreamId): Promise<void> {
    return this.#setMuted(id, true);
  }

  unmute(id: StreamId): Promise<void> {
    return this.#setMuted(id, false);
  }

  async #setMuted(id: StreamId, isMuted: boolean): Promise<void> {
    const isDone = await this.#askSound(id, (pulseDir) => muteCommand(pulseDir, isMuted));
    if (!isDone) throw new Error(`the sound server of ${id} does not answer`);
  }

  /** Whether a command to a running stream's sound server succeeds. @throws {Error} when the stream does not run. */
  async #askSound(id: StreamId, command: (pulseDir: string) => string[]): Promise<boolean> {
    const display = this.#displays.get(id);
    const { paths, users, machine: { runBytes } } = this.#parts;
    const user = display === undefined ? null : await users.of(id);
    if (display === undefined || !user) throw new Error(`${id} is not running`);
    // as the stream's user: that user controls the socket and its answers
    const ask = commandAs(user, command(slotPaths(paths, display).pulseDir));
    const options = { timeoutMs: SOUND_MS, clearEnv: true, cwd: "/", maxOutput: 64 * 1024 };
    return await runBytes(ask, options).then(({ code }) => code === 0, () => false);
  }

  repairs(after: number): Promise<Repair[]> {
    return Promise.resolve(this.#parts.repairs.after(after));
  }

  async #prepare(id: StreamId, { display, resolution, memoryLimitMb }: Needs): Promise<boolean> {
    const { paths, programFiles, users, displayBase, shared } = this.#parts;
    if (display <= displayBase || display > displayBase + DISPLAYS) {
      throw new Error(`:${display} is no display of ours`);
    }
    if ([...this.#displays].some(([other, one]) => other !== id && one === display)) {
      throw new Error(`:${display} is another stream's`);
    }
    if (!storedStream.pick({ resolution: true }).safeParse({ resolution }).success) {
      throw new Error(`${resolution} is no size of a display`);
    }
    await this.#parts.machine.checkGuards();
    // for the capture program, in a folder that root alone writes to and only that program's group enters
    await writeIfChanged(displaySizeFile(paths, display), resolution);
    const isRunning = this.#displays.get(id) === display;
    if (isRunning) await this.#changeLimit(id, memoryLimitMb);
    const isNew = await writePrograms(programFiles, id, shared.web);
    if (isRunning) return isNew;
    await this.#release(id);
    // one after the other: two searches for a free user at once would find the same user
    const user = await this.#queue.run(KEY, () => users.ensure(id));
    this.#displays.set(id, display);
    try {
      await this.#makeFolders(id, user, { display, memoryLimitMb });
    } catch (error) {
      // else the next request would find a stream that is prepared
      await this.#release(id);
      throw error;
    }
    return isNew;
  }

  /** Makes all that a stream needs before its first program. @throws {Error} when a part fails. */
  async #makeFolders(
    id: StreamId,
    user: Identity,
    { display, memoryLimitMb }: Omit<Needs, "resolution">,
  ): Promise<void> {
    const { paths, shared, machine, memory } = this.#parts;
    await machine.restrict(user.uid);
    await machine.removeStaleDisplay(display);
    await this.#makeSlot(display, user);
    await memory?.limit(id, memoryLimitMb).catch((error) => {
      throw new Error(`the memory limit of ${memoryLimitMb} MiB cannot be set: ${errorText(error)}`);
    });
    await makeShared(join(paths.vncDir, id), 0o2710, { uid: user.uid, gid: shared.vncProxy.gid });
    // root's: neither the web app nor the stream's user can replace a pipe between the web app and the browser
    await removeTree(join(paths.pipesDir, id));
    await ensureFolder(join(paths.pipesDir, id), 0o711);
    await makeShared(join(paths.hubsDir, id), 0o2710, { uid: shared.web.uid, gid: user.gid });
    await makeShared(channelDir(paths.hlsDir, id), 0o2750, { uid: shared.media.uid, gid: shared.web.gid });
    // last: the capture program then looks for all the other folders
    await makeShared(picturesFolder(paths, display), 0o2710, { uid: shared.capture.uid, gid: user.gid });
  }

  /** The kernel refuses a limit below the memory that is in use and cannot be freed: then the old limit stays. */
  async #changeLimit(id: StreamId, megabytes: number): Promise<void> {
    await this.#parts.memory?.limit(id, megabytes).catch((error) =>
      log("warn", "memory limit not changed", { stream: id, megabytes, error: errorText(error) })
    );
  }

  async #makeSlot(display: number, user: Identity): Promise<void> {
    const { paths, shared } = this.#parts;
    const { folder, ...slot } = slotPaths(paths, display);
    await removeTree(folder);
    await Deno.mkdir(folder, { mode: 0o700 });
    const key = newXauthority();
    await Deno.writeFile(slot.xauthority, key, { mode: 0o600, createNew: true });
    await giveTo(user, slot.xauthority);
    for (
      const [copy, { gid }] of [
        [displayKey(paths, display), shared.web],
        [captureKey(paths, display), shared.capture],
      ] as const
    ) {
      await removeTree(copy);
      await Deno.writeFile(copy, key, { mode: 0o640, createNew: true });
      await giveTo({ uid: Deno.uid()!, gid }, copy);
    }
    for (const path of [slot.pulseDir, slot.homeDir, slot.tempDir]) await ensureFolder(path, 0o700, user);
    await giveTo(user, folder); // last: from now on the user can put anything into the folder
  }

  async #remove(id: StreamId, keepsPast = false): Promise<void> {
    await this.#release(id);
    const { paths, users } = this.#parts;
    await users.removeFiles(id); // before the profile, which is the record of the user
    const pasts = keepsPast ? [] : [paths.rewindDir, paths.exportsDir];
    for (const folder of [paths.profilesDir, paths.logsDir, ...pasts]) {
      await removeTree(join(folder, id));
    }
  }

  async #release(id: StreamId): Promise<void> {
    const { paths, users, memory } = this.#parts;
    await users.endProcesses(id);
    const display = this.#displays.get(id);
    for (const folder of [paths.vncDir, paths.pipesDir, paths.hubsDir]) await removeTree(join(folder, id));
    await removeTree(channelDir(paths.hlsDir, id));
    if (display !== undefined) {
      await removeTree(picturesFolder(paths, display));
      await removeTree(slotPaths(paths, display).folder);
      await removeTree(displayKey(paths, display));
      await removeTree(captureKey(paths, display));
      await removeTree(displaySizeFile(paths, display));
      await this.#parts.machine.removeStaleDisplay(display);
    }
    await memory?.remove(id);
    this.#displays.delete(id);
  }
}

/** A new folder for a user and the group of another program. */
async function makeShared(
  path: string,
  mode: number,
  owner: Owner,
): Promise<void> {
  await removeTree(path);
  await ensureFolder(path, mode, owner);
}
