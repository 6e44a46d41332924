/**
 * Makes the programs follow each stream's desired state, and where it asks for that, its viewers and its plan. Work on one
 * stream is queued, so a stop never meets a start halfway; different streams go side by side.
 */
import type { Broker, Needs } from "../broker/protocol.ts";
import { noSuchStream, ServiceError } from "../errors.ts";
import type { Paths } from "../paths.ts";
import { readSpec, specFile, type StreamSpec, writeSpec } from "../pipeline/spec.ts";
import type { AddEvent } from "../model/events.ts";
import type { StreamId } from "../model/id.ts";
import {
  affectedPrograms,
  HELPER_PROGRAMS,
  isAlive,
  PIPELINE_PROGRAMS,
  PROGRAM_KINDS,
  type ProgramKind,
  PROGRAMS,
  wantedHelpers,
} from "../model/programs.ts";
import type { Stream } from "../model/schema.ts";
import type { Recreation } from "../model/status.ts";
import type { StreamStore } from "../store/streams.ts";
import type { Supervisor } from "../supervisor/control.ts";
import { controlName, groupName, groupsOf, programName } from "../supervisor/program_files.ts";
import type { ProgramStatus } from "../supervisor/status.ts";
import { BackgroundQueue, KeyedQueue, type WorkOptions } from "../system/concurrency.ts";
import { removeTree } from "../system/files.ts";
import { errorText, log } from "../system/log.ts";
import type { Part } from "../system/part.ts";
import type { Slots } from "../live/slots.ts";
import type { Demand } from "./demand.ts";
import { stopPrograms } from "../live/programs/stop_programs.ts";

export interface ReconcilerParts {
  store: StreamStore;
  supervisor: Supervisor;
  status: ProgramStatus;
  slots: Slots;
  broker: Broker;
  paths: Pick<Paths, "specsDir">;
  /** Whether somebody watches a stream that runs only then. */
  demand: Pick<Demand, "isWanted" | "began" | "rests" | "whyStopped">;
  /** What is wrong with the place of a page's address, or null: what a name means may have changed. */
  placeProblem(url: string): Promise<string | null>;
  addEvent: AddEvent;
  now: () => number;
  elapsed: () => number;
}

/**
 * How many streams are brought up at once after a restart or import: Chromium's start takes a whole core for 2 s, and half
 * of a stream's start is waiting.
 */
const SIDE_BY_SIDE = 3;

type Client = WorkOptions["client"];

/** Operations on one stream that may wait for the one under way, which takes some seconds. */
const MAX_WAITING = 20;

export class Reconciler implements Part {
  #parts: ReconcilerParts;
  #queue = new KeyedQueue();
  #background = new BackgroundQueue(SIDE_BY_SIDE);
  #specs = new Map<StreamId, StreamSpec & { steadyStart: number }>();
  /** Resolves when the specs of before, and their displays, are known. */
  #adopted: Promise<void> = Promise.resolve();
  #problems = new Map<StreamId, string>();
  #operations = new Map<StreamId, number>();
  #recreations = new Map<StreamId, Recreation>();

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  /** The settings that the stream's programs were started with; undefined while it is stopped. */
  spec(id: StreamId): StreamSpec | undefined {
    return this.#specs.get(id);
  }

  /** When the stream's programs were started, in ms of the steady clock; undefined while it is stopped. */
  startedAt(id: StreamId): number | undefined {
    return this.#specs.get(id)?.steadyStart;
  }

  /** Why the last start of the stream did not work, or null. */
  problem(id: StreamId): string | null {
    return this.#problems.get(id) ?? null;
  }

  /** How far the stream's recreation is, or why the last one failed; null if there is none. */
  recreation(id: StreamId): Recreation | null {
    return this.#recreations.get(id) ?? null;
  }

  /** Whether something is being done with the stream right now. */
  isBusy(id: StreamId): boolean {
    return this.#queue.isBusy(id);
  }

  /** Counts what was done to a stream's programs: between two that are equal, we have restarted none. */
  operations(id: StreamId): number {
    return this.#operations.get(id) ?? 0;
  }

  /** Restores every desired state in the background, after the service, or the web app alone, was started. */
  start(): void {
    this.restore().catch((error) => log("error", "streams not restored", { error: errorText(error) }));
  }

  /** Starts no further work in the background; resolves when the work under way has ended. */
  async stop(): Promise<void> {
    this.#background.stop();
    await this.settled();
  }

  /** Resolves when all that was asked for so far is done. */
  async settled(): Promise<void> {
    await this.#background.settled();
    await this.#queue.settled();
    await this.#parts.store.settled();
  }

  /**
   * Changes what is stored of a stream, then brings its programs to it. A stream that was removed is left alone.
   * @throws what `change` throws; then nothing is done.
   */
  apply<Result>(id: StreamId, change: () => Promise<Result>): Promise<Result> {
    return this.#inTurn(id, async () => {
      const result = await change();
      await this.#reconcile(id);
      return result;
    }, { most: MAX_WAITING });
  }

  /** Brings a stream to what is stored, after those that wait already. */
  async reconcileInBackground(id: StreamId): Promise<void> {
    await this.#background.run(() => this.retry(id)).catch((error) =>
      log("error", "stream not stopped", { stream: id, error: errorText(error) })
    );
  }

  /** Brings a stream to what is stored; one that was removed meanwhile is left alone. */
  retry(id: StreamId): Promise<void> {
    return this.#inTurn(id, () => this.#reconcile(id), { kind: "reconcile" });
  }

  // A client that leaves before its work begins is not obeyed; a stop is, since it saves what the others cost.

  /** Wants the stream running and starts what is down; one that runs is left alone. @throws {ServiceError} 404. */
  startStream(id: StreamId, client?: Client): Promise<void> {
    return this.#inTurn(id, async () => {
      await this.#setDesiredState(id, "running");
      if (this.#isWanted(id)) await this.#start(id);
    }, { kind: "start", client, most: MAX_WAITING });
  }

  /** @throws {ServiceError} 404. */
  stopStream(id: StreamId): Promise<void> {
    return this.#inTurn(id, async () => {
      await this.#setDesiredState(id, "stopped");
      const isStarted = this.#specs.has(id);
      await this.#stop(id);
      if (isStarted) this.#parts.addEvent(id, "stream", "Stopped.");
    }, { kind: "stop" });
  }

  /** @throws {ServiceError} 404. */
  restart(id: StreamId, client?: Client): Promise<void> {
    return this.#inTurn(id, async () => {
      await this.#setDesiredState(id, "running");
      this.#parts.addEvent(id, "stream", "Restarting, as somebody asked for it.");
      await this.#stop(id);
      if (this.#isWanted(id)) await this.#start(id);
    }, { kind: "restart", client, most: MAX_WAITING });
  }

  /**
   * Begins to recreate a stream; `recreation` says how far it is.
   * @throws {ServiceError} 404. @throws {NotBegunError} when too much waits.
   */
  async beginRecreate(id: StreamId): Promise<void> {
    this.#known(id);
    const work = this.recreate(id);
    // how it ends is in `recreation`
    work.catch(() => {});
    if (!this.#recreations.has(id) || this.#recreations.get(id)?.step === "failed") {
      this.#recreations.set(id, { step: "waiting" });
    }
    // only one that is refused has ended by now
    await Promise.race([work, Promise.resolve()]).catch((error) => {
      this.#recreations.delete(id);
      throw error;
    });
  }

  /**
   * Starts the stream with an empty browser profile; a stopped stream stays stopped. One that fails half way can be
   * started: what is missing is made then. @throws {ServiceError} 404.
   */
  recreate(id: StreamId): Promise<void> {
    return this.#inTurn(id, async () => {
      this.#known(id);
      const { supervisor, broker, addEvent } = this.#parts;
      const at = (step: Recreation["step"]) => void this.#recreations.set(id, { step });
      try {
        at("stopping");
        await this.#stop(id);
        at("emptying the profile");
        await broker.reset(id);
        await supervisor.update(groupsOf(id));
        addEvent(id, "profile", "The browser's profile was emptied: it begins as on its first day.");
        log("info", "stream recreated", { stream: id });
        at("starting");
        if (this.#isWanted(id)) await this.#start(id);
        this.#recreations.delete(id);
      } catch (error) {
        this.#recreations.set(id, { step: "failed", error: errorText(error) });
        // the watchdog starts it again then
        if (this.#isWanted(id) && !this.#specs.has(id)) this.#problems.set(id, errorText(error));
        log("error", "stream not recreated", { stream: id, error: errorText(error) });
        throw error;
      }
    }, { kind: "recreate", most: MAX_WAITING });
  }

  /** Stops a stream for good, removes all that its programs have on disk, then lets `forget` remove it. @throws {ServiceError} 404. */
  remove(id: StreamId, forget: () => Promise<void>): Promise<void> {
    return this.#inTurn(id, async () => {
      await this.#setDesiredState(id, "stopped");
      const { supervisor, broker, status } = this.#parts;
      await this.#stop(id);
      await broker.disown(id);
      await supervisor.update(groupsOf(id));
      await broker.remove(id);
      await forget();
      this.#operations.delete(id);
      status.invalidate();
      log("info", "stream deleted", { stream: id });
    });
  }

  /** Restarts some programs of a running stream; one that was stopped meanwhile is left alone. */
  restartPrograms(id: StreamId, kinds: ProgramKind[]): Promise<void> {
    return this.#inTurn(id, async () => {
      if (this.#isWanted(id)) await this.#update(id, kinds);
    });
  }

  /** Asks programs of a running stream to end: the supervisor starts them again. */
  endPrograms(id: StreamId, kinds: readonly ProgramKind[]): Promise<void> {
    return this.#command(id, kinds, (names) => this.#parts.supervisor.end(names));
  }

  /** Ends programs of a running stream at once, which do not answer: the supervisor starts them again. */
  killPrograms(id: StreamId, kinds: readonly ProgramKind[]): Promise<void> {
    return this.#command(id, kinds, (names) => this.#parts.supervisor.kill(names));
  }

  /** Leaves programs of a running stream down, until somebody starts them. */
  stopPrograms(id: StreamId, kinds: readonly ProgramKind[]): Promise<void> {
    return this.#command(id, kinds, (names) => this.#parts.supervisor.stop(names));
  }

  /** Restarts a stream that is wanted to run; one that was stopped meanwhile is left alone. */
  restartAll(id: StreamId): Promise<void> {
    return this.#inTurn(id, async () => {
      if (!this.#isWanted(id)) return;
      await this.#stop(id);
      await this.#start(id);
      // not "restart": a person's starts a stopped stream, too
    }, { kind: "repair" });
  }

  #command(
    id: StreamId,
    kinds: readonly ProgramKind[],
    command: (names: string[]) => Promise<void>,
  ): Promise<void> {
    return this.#inTurn(id, async () => {
      if (!this.#isWanted(id)) return;
      await command(kinds.map((kind) => controlName(kind, id)));
      this.#changed(id);
    });
  }

  /** Does work on one stream after what was asked of it before. */
  #inTurn<Result>(id: StreamId, work: () => Promise<Result>, options?: WorkOptions): Promise<Result> {
    return this.#queue.run(id, async () => {
      // else a stream could get the display of one that is not taken over yet
      await this.#adopted;
      return await work();
    }, options);
  }

  /** Brings every stream to its desired state; resolves when that is done. */
  async restore(): Promise<void> {
    const adopting = this.#adopt();
    this.#adopted = adopting.catch(() => {});
    await adopting;
    const { store } = this.#parts;
    const isStopped = ({ desiredState }: Stream) => desiredState === "stopped";
    // a stop that was cut off comes first: it makes room
    const ordered = [...store.list().filter(isStopped), ...store.list().filter((one) => !isStopped(one))];
    await Promise.all(ordered.map(({ id }) => this.reconcileInBackground(id)));
  }

  /** Takes over what an earlier web app has started. */
  async #adopt(): Promise<void> {
    const { store, paths, slots } = this.#parts;
    for (const { id } of store.list()) {
      // one that cannot be read is written anew by the stream's start, and keeps no other down
      const spec = await readSpec(paths.specsDir, id).catch((error) => {
        log("warn", "a started stream's description cannot be read", { stream: id, error: errorText(error) });
        return null;
      });
      if (!spec) continue;
      this.#keep(spec);
      slots.adopt(id, spec);
      // whoever watches may not have asked again yet
      this.#parts.demand.began(id);
    }
  }

  /**
   * Brings the programs to what is stored. If that fails for a stream that is wanted, the change that led here is
   * good all the same: its state says what is wrong, and the watchdog tries again. @throws when it cannot be stopped.
   */
  async #reconcile(id: StreamId): Promise<void> {
    const stream = this.#parts.store.get(id);
    const isStarted = this.#specs.has(id);
    if (!stream) return;
    if (!this.#isWanted(id)) {
      this.#parts.demand.rests(stream);
      this.#problems.delete(id);
      if (!isStarted) return;
      await this.#stop(id);
      this.#parts.addEvent(id, "stream", this.#parts.demand.whyStopped(stream));
      return;
    }
    try {
      if (isStarted) await this.#update(id);
      await this.#start(id);
    } catch (error) {
      this.#problems.set(id, errorText(error));
      log("error", "stream not brought to its settings", { stream: id, error: errorText(error) });
    }
  }

  /** Whether its programs are to run now. */
  #isWanted(id: StreamId): boolean {
    const stream = this.#parts.store.get(id);
    return stream !== undefined && this.#parts.demand.isWanted(stream);
  }

  #known(id: StreamId): Stream {
    const stream = this.#parts.store.get(id);
    if (!stream) throw noSuchStream(id);
    return stream;
  }

  async #setDesiredState(id: StreamId, desiredState: Stream["desiredState"]): Promise<void> {
    this.#recreations.delete(id);
    if (this.#known(id).desiredState === desiredState) return;
    await this.#parts.store.change((streams) =>
      streams.map((stream) => stream.id === id ? { ...stream, desiredState } : stream)
    );
  }

  async #start(id: StreamId): Promise<void> {
    try {
      await this.#startPrograms(id);
      this.#problems.delete(id);
    } catch (error) {
      this.#problems.set(id, errorText(error));
      this.#parts.addEvent(id, "stream", `Could not be started: ${errorText(error)}`, "error");
      throw error;
    }
  }

  async #startPrograms(id: StreamId): Promise<void> {
    const { supervisor, status, slots, broker, demand, placeProblem, addEvent, now } = this.#parts;
    const stream = this.#known(id);
    demand.began(id);
    const programs = await status.programs(0);
    const isUp = (kind: ProgramKind) => isAlive(programs.get(programName(kind, id))?.state ?? "STOPPED");
    const isRunning = this.#specs.has(id) && PIPELINE_PROGRAMS.every(isUp);
    if (!isRunning) {
      const problem = await placeProblem(stream.url);
      if (problem !== null) throw new ServiceError(409, problem);
      const slot = await slots.take(id);
      await this.#writeSpec({ stream, ...slot, startedAt: now() });
      const isNew = await broker.prepare(id, needsOf(stream, slot.display));
      if (isNew || !programs.has(programName("encoder", id))) await supervisor.update(groupsOf(id));
    }
    const helpers = wantedHelpers(stream).filter((kind) => !isUp(kind));
    const names = isRunning ? [] : [`${groupName(id)}:*`];
    try {
      await supervisor.start([...names, ...helpers.map((kind) => controlName(kind, id))]);
    } finally {
      this.#changed(id);
    }
    if (isRunning) return;
    log("info", "stream started", { stream: id, display: this.#specs.get(id)?.display });
    addEvent(id, "stream", "Started.");
  }

  async #stop(id: StreamId): Promise<void> {
    const { supervisor, status, slots, broker, paths } = this.#parts;
    const wasKnown = (await status.programs(0)).has(programName("encoder", id));
    // the browser first: it saves what its page stored, and ends at once where its display does
    const names = [
      controlName("browser", id),
      `${groupName(id)}:*`,
      ...HELPER_PROGRAMS.map((kind) => controlName(kind, id)),
    ];
    try {
      await stopPrograms({ supervisor, status }, id, PROGRAM_KINDS, names);
    } finally {
      this.#changed(id);
    }
    await broker.release(id);
    await removeTree(specFile(paths.specsDir, id));
    this.#specs.delete(id);
    this.#problems.delete(id);
    slots.free(id);
    if (wasKnown) log("info", "stream stopped", { stream: id });
  }

  /** Gives a running stream's programs the newest settings; restarts `more` and those that have other settings. */
  async #update(id: StreamId, more: ProgramKind[] = []): Promise<void> {
    const { supervisor, broker, addEvent } = this.#parts;
    const spec = this.#specs.get(id);
    if (!spec) return await this.#start(id);
    const stream = this.#known(id);
    const affected = affectedPrograms(spec.stream, stream);
    const kinds = [...new Set([...affected, ...more])];
    await this.#writeSpec({ ...spec, stream });
    // of programs that go on as well
    await broker.prepare(id, needsOf(stream, spec.display));
    const wanted = [...PIPELINE_PROGRAMS, ...wantedHelpers(stream)];
    const names = (list: ProgramKind[]) => list.map((kind) => controlName(kind, id));
    try {
      // the browser as well where its display is restarted, as in #stop
      const isFirst = (kind: ProgramKind) => kind === "browser" && kinds.includes("display");
      await supervisor.stop(names(kinds.filter((kind) => !wanted.includes(kind) || isFirst(kind))));
      await supervisor.restart(names(kinds.filter((kind) => wanted.includes(kind))));
      const labels = affected.filter((kind) => wanted.includes(kind)).map((kind) => PROGRAMS[kind].label);
      if (labels.length > 0) {
        addEvent(id, "program", `Restarted, since the settings changed: ${labels.join(", ")}.`);
      }
    } catch (error) {
      await this.#writeSpec(spec); // so that the next try finds what is different
      throw error;
    } finally {
      this.#changed(id);
    }
  }

  /** What supervisord said before does not count any more. */
  #changed(id: StreamId): void {
    this.#operations.set(id, this.operations(id) + 1);
    this.#parts.status.invalidate();
  }

  async #writeSpec(spec: StreamSpec): Promise<void> {
    await writeSpec(this.#parts.paths.specsDir, spec);
    this.#keep(spec);
  }

  #keep(spec: StreamSpec): void {
    const { now, elapsed } = this.#parts;
    const known = this.#specs.get(spec.stream.id);
    const steadyStart = known?.startedAt === spec.startedAt
      ? known.steadyStart
      : elapsed() - Math.max(0, now() - spec.startedAt);
    this.#specs.set(spec.stream.id, { ...spec, steadyStart });
  }
}

/** What root is asked for. */
function needsOf({ resolution, memoryLimitMb }: Stream, display: number): Needs {
  return { display, resolution, memoryLimitMb };
}
