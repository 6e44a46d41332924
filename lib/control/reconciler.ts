/**
 * Brings the actual programs to each stream's desired state. Work on one stream is queued, so a stop never meets a
 * start halfway; different streams go side by side.
 */
import { join } from "node:path";
import { removeSink } from "../pipeline/audio.ts";
import { readSpec, specFile, type StreamSpec, writeSpec } from "../pipeline/spec.ts";
import type { Slots } from "./slots.ts";
import { noSuchStream, ServiceError } from "../errors.ts";
import { channelDir } from "../media/hls.ts";
import type { Paths } from "../paths.ts";
import {
  controlName,
  groupName,
  groupsOf,
  HELPER_PROGRAMS,
  PIPELINE_PROGRAMS,
  programFile,
  type ProgramFiles,
  type ProgramKind,
  programName,
  writePrograms,
} from "../supervisor/program_files.ts";
import type { Supervisor } from "../supervisor/control.ts";
import type { Program, ProgramStatus } from "../supervisor/status.ts";
import { removeTree } from "../system/files.ts";
import { errorText, log } from "../system/log.ts";
import type { Runner } from "../system/process.ts";
import type { VncTokens } from "../vnc/tokens.ts";
import { type ImportSummary, planImport } from "../streams/backup.ts";
import { changedStream, streamFromBody } from "../streams/change.ts";
import { KeyedQueue } from "../system/concurrency.ts";
import { programsToRestart, wantedHelpers } from "../streams/affected_programs.ts";
import { BackgroundQueue } from "../system/concurrency.ts";
import type { StreamStore } from "../streams/store.ts";
import type { Stream } from "../streams/schema.ts";

export interface ReconcilerParts {
  store: StreamStore;
  supervisor: Supervisor;
  status: ProgramStatus;
  slots: Slots;
  tokens: VncTokens;
  /** What is kept of a stream's pictures goes with it. */
  thumbnails: { remove(id: string): Promise<void> };
  programFiles: ProgramFiles;
  paths: Paths;
  run: Runner;
  now: () => number;
}

/** How many streams are brought up at once after a restart or import: Chromium's start takes a whole core for 2 s. */
const SIDE_BY_SIDE = 2;

/** One is enough but for a program that ends by itself at that very moment. */
const STOP_ROUNDS = 5;

const ALIVE = ["RUNNING", "STARTING", "BACKOFF"];

export class Reconciler {
  #parts: ReconcilerParts;
  #queue = new KeyedQueue();
  #background = new BackgroundQueue(SIDE_BY_SIDE);
  #specs = new Map<string, StreamSpec>();
  #problems = new Map<string, string>();
  /** Streams that are being deleted. */
  #leaving = new Set<string>();

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  /** When the stream was started (Unix ms), or null. */
  startedAt(id: string): number | null {
    return this.#specs.get(id)?.startedAt ?? null;
  }

  /** What the stream's programs were told, while it runs. */
  spec(id: string): StreamSpec | undefined {
    return this.#specs.get(id);
  }

  /** Why the last start of the stream did not work, or null. */
  problem(id: string): string | null {
    return this.#problems.get(id) ?? null;
  }

  /** Whether something is being done with the stream right now. */
  isBusy(id: string): boolean {
    return this.#queue.isBusy(id);
  }

  /** Adds a stream and starts it unless asked not to. @throws {ServiceError} 400. */
  async create(body: unknown): Promise<Stream> {
    let stream!: Stream;
    await this.#parts.store.change((streams) => {
      stream = streamFromBody(body, streams);
      return [...streams, stream];
    });
    log("info", "stream created", { stream: stream.id });
    await this.#queue.run(stream.id, async () => {
      await this.#refreshTokens();
      await this.#follow(stream.id);
    });
    return stream;
  }

  /** Changes a stream; only the programs that need it restart. @throws {ServiceError} 400, 404, 409. */
  update(id: string, body: unknown, keep: boolean): Promise<Stream> {
    return this.#queue.run(id, async () => {
      let after!: Stream;
      await this.#parts.store.change((streams) => {
        const before = streams.find((stream) => stream.id === id) ?? raise(noSuchStream(id));
        after = changedStream(before, body, keep);
        return after === before ? streams : streams.map((stream) => stream.id === id ? after : stream);
      });
      await this.#follow(id);
      return after;
    });
  }

  /** Takes over a list of streams at once; their programs follow in the background. @throws {ServiceError} 400, 409. */
  async import(content: unknown): Promise<ImportSummary> {
    let summary!: ImportSummary;
    await this.#parts.store.change((streams) => {
      const plan = planImport(content, streams);
      summary = plan.summary;
      const known = [...summary.changed.map(({ id }) => id), ...summary.unchanged];
      const leaving = [...this.#leaving].filter((id) => known.includes(id)).map((id) => `"${id}"`);
      if (leaving.length > 0) {
        const what = `Nothing was imported, as these are being deleted: ${leaving.join(", ")}.`;
        throw new ServiceError(409, `${what} Try again in a moment.`);
      }
      return plan.streams;
    });
    const { added, changed } = summary;
    log("info", "streams imported", { added: added.length, changed: changed.length });
    if (added.length > 0) await this.#refreshTokens();
    for (const { id } of [...added, ...changed]) this.#inTurn(id);
    return summary;
  }

  /** Stops a stream and removes all there is of it. @throws {ServiceError} 404. */
  remove(id: string): Promise<void> {
    this.#leaving.add(id);
    return this.#queue.run(id, async () => {
      await this.#desire(id, "stopped");
      const { store, supervisor, programFiles, paths, status, thumbnails } = this.#parts;
      await this.#stop(id);
      await removeTree(programFile(programFiles, id));
      await supervisor.update(groupsOf(id));
      // again: a busy media server may only now have read the encoder's last words, and made its folder anew
      await removeTree(channelDir(paths.hlsDir, id));
      await removeTree(join(paths.profilesDir, id));
      await removeTree(join(paths.logsDir, id));
      await thumbnails.remove(id);
      await store.change((streams) => streams.filter((stream) => stream.id !== id));
      await this.#refreshTokens();
      status.invalidate();
      log("info", "stream deleted", { stream: id });
    }).finally(() => this.#leaving.delete(id));
  }

  /** Wants the stream running and starts what is down; one that runs is left alone. @throws {ServiceError} 404. */
  start(id: string): Promise<void> {
    return this.#queue.run(id, async () => {
      await this.#desire(id, "running");
      await this.#start(id);
    });
  }

  /** @throws {ServiceError} 404. */
  stop(id: string): Promise<void> {
    return this.#queue.run(id, async () => {
      await this.#desire(id, "stopped");
      await this.#stop(id);
    });
  }

  /** @throws {ServiceError} 404. */
  restart(id: string): Promise<void> {
    return this.#queue.run(id, async () => {
      await this.#desire(id, "running");
      await this.#stop(id);
      await this.#start(id);
    });
  }

  /** Begins anew with an empty browser profile; a stopped stream stays stopped. @throws {ServiceError} 404. */
  recreate(id: string): Promise<void> {
    return this.#queue.run(id, async () => {
      const { desiredState } = this.#known(id);
      const { supervisor, programFiles, paths } = this.#parts;
      await this.#stop(id);
      await removeTree(join(paths.profilesDir, id));
      await writePrograms(programFiles, id);
      await supervisor.update(groupsOf(id));
      log("info", "stream recreated", { stream: id });
      if (desiredState === "running") await this.#start(id);
    });
  }

  /** Restarts some programs of a running stream; one that was stopped meanwhile is left alone. */
  restartPrograms(id: string, kinds: ProgramKind[]): Promise<void> {
    return this.#queue.run(id, async () => {
      if (this.#parts.store.get(id)?.desiredState === "running") await this.#apply(id, kinds);
    });
  }

  /** Brings every stream to its desired state after the service, or the web app alone, was started. */
  async restore(): Promise<void> {
    const { store, paths, slots } = this.#parts;
    for (const { id } of store.list()) {
      const spec = await readSpec(paths.specsDir, id);
      if (!spec) continue;
      this.#specs.set(id, spec);
      slots.adopt(id, spec);
    }
    const isStopped = ({ desiredState }: Stream) => desiredState === "stopped";
    // a stop that was cut off comes first: it makes room
    const inTurn = [...store.list().filter(isStopped), ...store.list().filter((one) => !isStopped(one))];
    await Promise.all(inTurn.map(({ id }) => this.#inTurn(id)));
  }

  /** Brings a stream to what is stored; one that was deleted meanwhile is left alone. */
  retry(id: string): Promise<void> {
    return this.#queue.run(id, () => this.#follow(id));
  }

  /** Begins nothing more in the background: the service is about to end. */
  end(): void {
    this.#background.end();
  }

  /** Resolves when everything that was asked for so far is done. */
  async settled(): Promise<void> {
    await this.#background.settled();
    await this.#queue.settled();
    await this.#parts.store.settled();
  }

  /** Brings a stream to what is stored, when it is its turn among those that wait for the same. */
  async #inTurn(id: string): Promise<void> {
    await this.#background.run(() => this.retry(id)).catch((error) =>
      log("error", "stream not stopped", { stream: id, error: errorText(error) })
    );
  }

  /**
   * Brings the programs to what is stored. If that fails for a stream that is wanted, the change that led here is
   * good all the same: its state says what is wrong, and the watch tries again. @throws when it cannot be stopped.
   */
  async #follow(id: string): Promise<void> {
    const stream = this.#parts.store.get(id);
    const isStarted = this.#specs.has(id);
    if (stream?.desiredState === "stopped" && isStarted) await this.#stop(id);
    if (stream?.desiredState !== "running") return;
    try {
      if (isStarted) await this.#apply(id);
      await this.#start(id);
    } catch (error) {
      this.#problems.set(id, errorText(error));
      log("error", "stream not brought to its settings", { stream: id, error: errorText(error) });
    }
  }

  #known(id: string): Stream {
    return this.#parts.store.get(id) ?? raise(noSuchStream(id));
  }

  async #desire(id: string, desiredState: Stream["desiredState"]): Promise<void> {
    if (this.#known(id).desiredState === desiredState) return;
    await this.#parts.store.change((streams) =>
      streams.map((stream) => stream.id === id ? { ...stream, desiredState } : stream)
    );
  }

  async #refreshTokens(): Promise<void> {
    await this.#parts.tokens.sync(this.#parts.store.list().map(({ id }) => id)).catch((error) =>
      log("error", "VNC tokens not written", { error: errorText(error) })
    );
  }

  async #start(id: string): Promise<void> {
    try {
      await this.#startPipeline(id);
      this.#problems.delete(id);
    } catch (error) {
      this.#problems.set(id, errorText(error));
      throw error;
    }
  }

  async #startPipeline(id: string): Promise<void> {
    const { supervisor, status, slots, programFiles } = this.#parts;
    const stream = this.#known(id);
    const programs = await status.programs(0);
    const isAlive = (kind: ProgramKind) => ALIVE.includes(programs.get(programName(kind, id))?.state ?? "");
    const isRunning = this.#specs.has(id) && PIPELINE_PROGRAMS.every(isAlive);
    if (!isRunning) {
      const slot = await slots.take(id);
      await this.#tell({ stream, ...slot, startedAt: this.#parts.now() });
      const changed = await writePrograms(programFiles, id);
      if (changed || !programs.has(programName("encoder", id))) await supervisor.update(groupsOf(id));
    }
    const helpers = wantedHelpers(stream).filter((kind) => !isRunning || kind === "autoreload").filter((
      kind,
    ) => !isAlive(kind));
    const names = isRunning ? [] : [`${groupName(id)}:*`];
    try {
      await supervisor.start([...names, ...helpers.map((kind) => controlName(kind, id))]);
    } finally {
      status.invalidate();
    }
    if (!isRunning) log("info", "stream started", { stream: id, display: this.#specs.get(id)?.display });
  }

  async #stop(id: string): Promise<void> {
    const { supervisor, status, slots, paths, run } = this.#parts;
    const wasKnown = (await status.programs(0)).has(programName("encoder", id));
    const names = [`${groupName(id)}:*`, ...HELPER_PROGRAMS.map((kind) => controlName(kind, id))];
    try {
      // a program that dies with its display just then counts as "not running" and is restarted: look, and stop again
      for (let round = 0; round < STOP_ROUNDS && await this.#isAnyAlive(id); round++) {
        await supervisor.stop(names);
      }
    } finally {
      status.invalidate();
    }
    await removeSink(run, paths.pulseDir, id);
    await removeTree(channelDir(paths.hlsDir, id));
    await removeTree(join(paths.vncDir, `${id}.sock`));
    await removeTree(specFile(paths.specsDir, id));
    this.#specs.delete(id);
    this.#problems.delete(id);
    slots.free(id);
    if (wasKnown) log("info", "stream stopped", { stream: id });
  }

  /** Whether any program of the stream runs, or will be restarted in a moment. */
  async #isAnyAlive(id: string): Promise<boolean> {
    const programs = await this.#parts.status.programs(0);
    return [...PIPELINE_PROGRAMS, ...HELPER_PROGRAMS].some((kind) => {
      const program = programs.get(programName(kind, id));
      return program !== undefined && (ALIVE.includes(program.state) || isToBeRestarted(kind, program));
    });
  }

  /** Tells a running stream's programs the newest settings; restarts `more` and those that were told something else. */
  async #apply(id: string, more: ProgramKind[] = []): Promise<void> {
    const { supervisor, status } = this.#parts;
    const spec = this.#specs.get(id);
    if (!spec) return await this.#start(id);
    const stream = this.#known(id);
    const kinds = [...new Set([...programsToRestart(spec.stream, stream), ...more])];
    await this.#tell({ ...spec, stream });
    const wanted: ProgramKind[] = [...PIPELINE_PROGRAMS, ...wantedHelpers(stream)];
    const names = (list: ProgramKind[]) => list.map((kind) => controlName(kind, id));
    try {
      await supervisor.stop(names(kinds.filter((kind) => !wanted.includes(kind))));
      await supervisor.restart(names(kinds.filter((kind) => wanted.includes(kind))));
    } catch (error) {
      await this.#tell(spec); // so that the next try finds what is different
      throw error;
    } finally {
      status.invalidate();
    }
  }

  async #tell(spec: StreamSpec): Promise<void> {
    await writeSpec(this.#parts.paths.specsDir, spec);
    this.#specs.set(spec.stream.id, spec);
  }
}

/** EXITED on its own: the supervisor restarts a spec's program at its next look. */
function isToBeRestarted(kind: ProgramKind, program: Program): boolean {
  return (PIPELINE_PROGRAMS as readonly string[]).includes(kind) && program.state === "EXITED";
}

function raise(error: Error): never {
  throw error;
}
