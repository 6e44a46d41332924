/** The work on one stream, one task at a time: a stop never meets a start halfway. Streams go side by side. */
import { noSuchStream } from "../errors.ts";
import type { EventKind, EventLevel } from "../model/answers/events.ts";
import type { StreamId } from "../model/id.ts";
import type { PlanOverride } from "../model/plan/stop_until.ts";
import type { ProgramKind } from "../model/programs.ts";
import type { Stream } from "../model/schema.ts";
import { type WorkOptions, WorkQueue } from "../machine/tools/concurrency.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Demand } from "./demand.ts";
import type { Ground } from "./ground.ts";
import { Pipeline, type PipelineStream, type StartedSpec } from "./programs/pipeline.ts";
import type { Recreation } from "../model/answers/shapes.ts";

type Client = WorkOptions["client"];

/** Operations on one stream that may wait for the operation under way, which takes some seconds. */
const MAX_WAITING = 20;

/** The stream, as far as the work on it knows it. */
interface WorkedStream extends PipelineStream {
  readonly demand: Demand;
}

export class StreamWork {
  #id: StreamId;
  #ground: Ground;
  #demand: Demand;
  #pipeline: Pipeline;
  #queue = new WorkQueue();
  #problem: string | null = null;
  #recreation: Recreation | null = null;
  /** Why a stopped stream waits for room, which starts it; null: it does not. Any other start or stop ends the wait. */
  noRoom: string | null = null;

  constructor(live: WorkedStream, ground: Ground) {
    this.#id = live.id;
    this.#ground = ground;
    this.#demand = live.demand;
    this.#pipeline = new Pipeline(live, ground);
  }

  /** The settings that the programs were started with; null: they are stopped. */
  get spec(): StartedSpec | null {
    return this.#pipeline.spec;
  }

  /** Why the last start did not work, or null. */
  get problem(): string | null {
    return this.#problem;
  }

  /** How far the recreation is, or why the last recreation failed; null: there is none. */
  get recreation(): Recreation | null {
    return this.#recreation;
  }

  /** Whether something is being done right now. */
  get isBusy(): boolean {
    return this.#queue.isBusy;
  }

  /** Whether the programs are to run now. */
  get isWanted(): boolean {
    const stream = this.#stored;
    return stream !== undefined && this.#demand.isWanted(stream);
  }

  /** Counts the operations on the programs: while the number stays, the web app restarts no program. */
  get operations(): number {
    return this.#pipeline.operations;
  }

  /** Resolves when all that was asked for so far is done. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  /** Takes over the programs that an earlier web app has started, before all other work. */
  adopt(): Promise<void> {
    return this.#queue.run(async () => {
      // viewers may not have asked again yet
      if (await this.#pipeline.adopt()) this.#demand.began();
    });
  }

  /**
   * Changes the stored stream, then brings its programs to the change. A removed stream is left alone.
   * @throws the error of `change`; then nothing is done.
   */
  apply<Result>(change: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(async () => {
      const result = await change();
      await this.#reconcile();
      return result;
    }, { most: MAX_WAITING });
  }

  /** Brings the programs to the stored settings. */
  retry(): Promise<void> {
    return this.#queue.run(() => this.#reconcile(), { kind: "reconcile" });
  }

  /** As `retry`, after the other streams that wait. It never fails. */
  async retryInBackground(): Promise<void> {
    await this.#ground.supervision.background.run(() => this.retry()).catch((error) =>
      log("error", "stream not brought to its plan", { stream: this.#id, error: errorText(error) })
    );
  }

  // A request whose client left before its work began is dropped; a stop is done still, since it frees the machine.

  /**
   * Wants the stream running and starts programs that are down; a running stream stays.
   * @param override puts it on the air although its plan has it off. @throws {ServiceError} 404.
   */
  start(client?: Client, override?: PlanOverride): Promise<void> {
    return this.#queue.run(async () => {
      await this.#want("running", override);
      if (this.isWanted) await this.#start();
    }, { kind: override ? undefined : "start", client, most: MAX_WAITING });
  }

  /** @param override stops it until the plan's next time; absent: until somebody starts it. @throws {ServiceError} 404. */
  stop(override?: PlanOverride): Promise<void> {
    return this.#queue.run(async () => {
      await this.#want(override ? "running" : "stopped", override);
      const isStarted = this.spec !== null;
      await this.#stop();
      if (isStarted) this.#tell("stream", override ? "Stopped until its plan's next time." : "Stopped.");
    }, override ? { most: MAX_WAITING } : { kind: "stop" });
  }

  /** @throws {ServiceError} 404. */
  restart(client?: Client): Promise<void> {
    return this.#queue.run(async () => {
      await this.#want("running");
      this.#tell("stream", "Restarted on request.");
      await this.#stop();
      if (this.isWanted) await this.#start();
    }, { kind: "restart", client, most: MAX_WAITING });
  }

  /**
   * Begins to recreate the stream; `recreation` says how far it is.
   * @throws {ServiceError} 404. @throws {NotBegunError} when too much waits.
   */
  async beginRecreate(): Promise<void> {
    this.#known();
    const work = this.recreate();
    // `recreation` shows how the work ends
    work.catch(() => {});
    if (this.#recreation === null || this.#recreation.step === "failed") {
      this.#recreation = { step: "waiting" };
    }
    // only work that is refused has ended by now
    await Promise.race([work, Promise.resolve()]).catch((error) => {
      this.#recreation = null;
      throw error;
    });
  }

  /**
   * Starts the stream with an empty browser profile; a stopped stream stays stopped. After a failure half way,
   * the stream can be started: its start makes the missing parts. @throws {ServiceError} 404.
   */
  recreate(): Promise<void> {
    return this.#queue.run(async () => {
      this.#known();
      const at = (step: Recreation["step"]) => void (this.#recreation = { step });
      try {
        at("stopping");
        await this.#stop();
        at("emptying the profile");
        await this.#pipeline.reset();
        this.#tell("profile", "The browser's profile was emptied. The page is signed out.");
        log("info", "stream recreated", { stream: this.#id });
        at("starting");
        if (this.isWanted) await this.#start();
        this.#recreation = null;
      } catch (error) {
        this.#recreation = { step: "failed", error: errorText(error) };
        // the rounds then try the start again
        if (this.isWanted && this.spec === null) this.#problem = errorText(error);
        log("error", "stream not recreated", { stream: this.#id, error: errorText(error) });
        throw error;
      }
    }, { kind: "recreate", most: MAX_WAITING });
  }

  /**
   * Stops the stream for good, removes all that its programs have on disk, then lets `forget` remove it.
   * @throws {ServiceError} 404.
   */
  remove(forget: () => Promise<void>): Promise<void> {
    return this.#queue.run(async () => {
      await this.#want("stopped");
      await this.#remove();
      await forget();
      log("info", "stream deleted", { stream: this.#id });
    });
  }

  /**
   * Stops a stream that is not in this machine's list any more. @param isRemoved whether another machine has removed it: then
   * all goes that its programs have on disk; else this version cannot read it.
   */
  clear(isRemoved: boolean): Promise<void> {
    return this.#queue.run(async () => {
      if (this.#stored) return;
      await (isRemoved ? this.#remove() : this.#stop());
    });
  }

  /** Restarts some programs of a running stream; a stream that was stopped meanwhile is left alone. */
  restartPrograms(kinds: readonly ProgramKind[]): Promise<void> {
    return this.#queue.run(async () => {
      if (this.isWanted) await this.#update(kinds);
    });
  }

  /** Ends, kills or stops some programs of a running stream: the supervisor restarts ended and killed programs. */
  command(how: "end" | "kill" | "stop", kinds: readonly ProgramKind[]): Promise<void> {
    return this.#queue.run(async () => {
      if (this.isWanted) await this.#pipeline.command(how, kinds);
    });
  }

  /** Restarts a stream that is wanted to run; a stream that was stopped meanwhile is left alone. */
  restartAll(): Promise<void> {
    return this.#queue.run(async () => {
      if (!this.isWanted) return;
      await this.#stop();
      await this.#start();
      // not "restart": a person's restart starts a stopped stream, too
    }, { kind: "repair" });
  }

  /**
   * Brings the programs to the stored settings. If that fails for a wanted stream, the change that led here is good all
   * the same: the stream's state shows the problem, and the rounds try again. @throws when it cannot be stopped.
   */
  async #reconcile(): Promise<void> {
    const stream = this.#stored;
    const demand = this.#demand;
    if (!stream) return;
    if (stream.desiredState === "running") this.noRoom = null;
    const isStarted = this.spec !== null;
    if (!demand.isWanted(stream)) {
      demand.rests(stream);
      this.#problem = null;
      if (!isStarted) return;
      await this.#stop();
      this.#tell("stream", demand.whyStopped(stream));
      return;
    }
    try {
      if (isStarted) await this.#update();
      await this.#start();
    } catch (error) {
      this.#problem = errorText(error);
      log("error", "stream not brought to its settings", { stream: this.#id, error: errorText(error) });
    }
  }

  #known(): Stream {
    const stream = this.#stored;
    if (!stream) throw noSuchStream(this.#id);
    return stream;
  }

  /** @param override a person's wish for a planned stream until a time; absent: an earlier override that stops it ends. */
  async #want(desiredState: Stream["desiredState"], override?: PlanOverride): Promise<void> {
    this.#recreation = null;
    this.noRoom = null;
    const { desiredState: before, planOverride: old } = this.#known();
    const planOverride = override ?? (desiredState === "running" && old?.onAir ? old : undefined);
    if (before === desiredState && planOverride === old) return;
    await this.#ground.store.change((streams) =>
      streams.map((stream) => {
        if (stream.id !== this.#id) return stream;
        const { planOverride: _, ...others } = stream;
        return { ...others, desiredState, ...(planOverride ? { planOverride } : {}) } as Stream;
      })
    );
  }

  async #start(): Promise<void> {
    try {
      const stream = this.#known();
      this.#demand.began();
      await this.#pipeline.start(stream);
      this.#problem = null;
    } catch (error) {
      this.#problem = errorText(error);
      this.#tell("stream", `Could not be started: ${errorText(error)}`, "error");
      throw error;
    }
  }

  async #stop(): Promise<void> {
    await this.#pipeline.stop();
    this.#problem = null;
  }

  async #remove(): Promise<void> {
    await this.#pipeline.remove();
    this.#problem = null;
  }

  async #update(more: readonly ProgramKind[] = []): Promise<void> {
    const { spec } = this;
    if (spec) await this.#pipeline.update(this.#known(), spec, more);
    else await this.#start();
  }

  get #stored(): Stream | undefined {
    return this.#ground.store.get(this.#id);
  }

  #tell(kind: EventKind, text: string, level?: EventLevel): void {
    this.#ground.addEvent(this.#id, kind, text, level);
  }
}
