/** All live streams of this machine. The fleet brings each to its desired state, and runs due work once a second. */
import { noSuchStream } from "../errors.ts";
import type { Ground } from "../live/ground.ts";
import { LiveStream } from "../live/live_stream.ts";
import type { StreamId } from "../model/id.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import { Places, type Run } from "./places.ts";

export class Fleet implements Part {
  /** How many streams run, and may. */
  readonly places: Places;
  #ground: Ground;
  #live = new Map<StreamId, LiveStream>();
  #loop = new Loop("the round over all streams failed");

  constructor(ground: Ground) {
    this.#ground = ground;
    const { store, placement, config: { MAX_STREAMS: maxStreams } } = ground;
    this.places = new Places({ store, placement, maxStreams, fleet: this });
  }

  /** How a stream runs. */
  runOf(id: StreamId): Run {
    const work = this.find(id)?.work;
    return { startedAt: work?.spec?.steadyStart, isWanted: work?.isWanted ?? false };
  }

  /** Every stream that there is, in card order. */
  list(): LiveStream[] {
    return this.#ground.store.list().map(({ id }) => this.#of(id));
  }

  /** The streams that were started and are to run. */
  running(): LiveStream[] {
    return this.list().filter((live) => live.isRunning);
  }

  find(id: StreamId): LiveStream | undefined {
    return this.#ground.store.get(id) && this.#of(id);
  }

  /** Whether the stream is being removed: parts of it may be there although it is not stored any more. */
  isLeaving(id: StreamId): boolean {
    return this.#live.get(id)?.isLeaving ?? false;
  }

  /** @throws {ServiceError} 404. */
  get(id: StreamId): LiveStream {
    const live = this.find(id);
    if (!live) throw noSuchStream(id);
    return live;
  }

  /** Restores every desired state in the background, after the service, or the web app alone, was started. */
  start(): void {
    void this.#ground.placement.known.then(() => {
      this.restore().catch((error) => log("error", "streams not restored", { error: errorText(error) }));
      this.#loop.start(this.#ground.config.TIMINGS.tickMs, () => this.tick());
    });
  }

  /** Starts no further work in the background; resolves when the work under way has ended. */
  async stop(): Promise<void> {
    this.#ground.supervision.background.stop();
    await this.#loop.stop();
    await Promise.all([...Array.from(this.#live.values(), (live) => live.stop()), this.settled()]);
  }

  /** Resolves when all that was asked for so far is done. */
  async settled(): Promise<void> {
    await this.#ground.supervision.background.settled();
    await Promise.all(Array.from(this.#live.values(), ({ work }) => work.settled()));
    await this.#ground.store.settled();
  }

  /** Lets each stream begin its due work. The tick does not wait for the work: a slow stream delays no other stream. */
  tick(): void {
    this.#forgetRemoved();
    this.#ground.machine.recordings.remind().catch((error) =>
      log("warn", "the recorder does not answer", { error: errorText(error) })
    );
    for (const live of this.list()) {
      try {
        live.tick();
      } catch (error) {
        log("warn", "the round of a stream failed", { stream: live.id, error: errorText(error) });
      }
    }
  }

  /** Reports to a stream that a client asks for its channel or its browser. */
  watched(id: StreamId): void {
    this.find(id)?.watched();
  }

  /** Brings every stream to its desired state; resolves when that is done. */
  async restore(): Promise<void> {
    const all = this.list();
    const adopted = Promise.all(all.map(({ work }) => work.adopt()));
    // else a stream could get the display of a stream that is not taken over yet
    this.#ground.supervision.displays.opensAfter(adopted);
    await adopted;
    // a stop that was cut off comes first: it makes room
    const isStopped = ({ stream }: LiveStream) => stream?.desiredState === "stopped";
    const ordered = [...all.filter(isStopped), ...all.filter((live) => !isStopped(live))];
    await Promise.all(ordered.map(({ work }) => work.retryInBackground()));
  }

  /** Removes what this machine has of a stream that another one has removed from the list. */
  async clear(id: StreamId): Promise<void> {
    const live = this.#of(id);
    // a new stream of this id gets another
    live.vncToken = null;
    await Promise.all([live.work.clear(true), live.thumbnail.remove()]);
    live.channel.clear();
    this.#forgetRemoved();
  }

  /** Stops a stream that only newer versions can read: another node has it then. */
  async leave(id: StreamId): Promise<void> {
    await this.#of(id).work.clear(false);
    this.#forgetRemoved();
  }

  /** Stops a stream for good, and lets `forget` remove it from the store. @throws {ServiceError} 404. */
  async remove(id: StreamId, forget: () => Promise<void>): Promise<void> {
    const live = this.get(id);
    const { work, channel } = live;
    live.isLeaving = true;
    try {
      await work.remove(async () => {
        await forget();
        channel.clear();
        // a new stream of this id gets another
        live.vncToken = null;
      });
    } finally {
      live.isLeaving = false;
    }
    void work.settled().then(() => this.#forgetRemoved());
  }

  /** Forgets removed streams whose work has ended; a new stream of the same id keeps its live stream. */
  #forgetRemoved(): void {
    for (const [id, live] of this.#live) {
      if (this.#ground.store.get(id) || live.isBusy) continue;
      this.#live.delete(id);
      live.channel.clear();
      void live.stop();
    }
  }

  #of(id: StreamId): LiveStream {
    const live = this.#live.get(id) ?? new LiveStream(id, this.#ground, this.places);
    this.#live.set(id, live);
    return live;
  }
}
