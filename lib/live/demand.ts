/**
 * The viewers of a stream: a stream that runs only while somebody watches is started for its first viewer, and stopped
 * some minutes after its last viewer has left. A person in its browser by VNC is a viewer, too.
 */
import type { Slate } from "../channel/slate.ts";
import { VIEWER_SECONDS } from "../model/answers/figures.ts";
import type { StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import type { PlannedFields } from "../model/plan/timetable.ts";
import type { PlanClock } from "./plan_clock.ts";

type DemandSlate = Pick<Slate, "prepare" | "begin" | "hold" | "end">;
type Demanded = Pick<Stream, "desiredState" | "onDemand"> & PlannedFields;

/** Events of a stream that is to run, and does not: its last viewer has left, or its plan has it off the air, or it moved. */
const WAITS = "Stopped because nobody watches. The next viewer starts it.";
const OFF = "Off the air, by its plan.";
const ELSEWHERE = "Stopped here: it runs on another machine.";

/** Milliseconds without a request after which nobody waits for a stream any more. */
const WAIT_MS = VIEWER_SECONDS * 1000;

/** The stream, as far as its viewers' demand is concerned. */
export interface DemandedStream {
  readonly id: StreamId;
  readonly channel: { readonly slate: DemandSlate };
  readonly plan: Pick<PlanClock, "isOff">;
  /** Whether the stream is another machine's. */
  readonly isElsewhere: boolean;
}

/** The room for streams on this machine. */
export interface Room {
  /** Why no viewer starts the stream now, in short; null: there is room. */
  noPlace(id: StreamId): string | null;
}

export class Demand {
  #live: DemandedStream;
  #room: Room;
  #elapsed: () => number;
  /** When somebody watched last, in ms of the steady clock; null while the programs are not to run. */
  #watchedAt: number | null = null;
  /** The viewers who wait for room: why, and when one asked last. */
  #held: { noRoom: string; at: number } | null = null;

  /** @param elapsed ms of a steady clock. */
  constructor(live: DemandedStream, room: Room, elapsed: () => number) {
    this.#live = live;
    this.#room = room;
    this.#elapsed = elapsed;
  }

  /** Whether the stream's programs are to run now. */
  isWanted(stream: Demanded): boolean {
    return this.#isToRun(stream) && !this.isWaiting(stream);
  }

  /** Why the stream waits although somebody watches; null: it does not. */
  get noRoom(): string | null {
    return this.#held?.noRoom ?? null;
  }

  /** Whether the stream's programs wait for a viewer. */
  isWaiting(stream: Demanded): boolean {
    return this.#isToRun(stream) && stream.onDemand && this.#watchedAt === null;
  }

  #isToRun(stream: Demanded): boolean {
    const { isElsewhere, plan } = this.#live;
    return stream.desiredState === "running" && !isElsewhere && !plan.isOff(stream);
  }

  /** Why a stream was stopped, for its events. */
  whyStopped(stream: Demanded): string {
    if (stream.desiredState === "stopped") return "Stopped.";
    const { isElsewhere, plan } = this.#live;
    return isElsewhere ? ELSEWHERE : plan.isOff(stream) ? OFF : WAITS;
  }

  /** The stream's programs do not run, as its settings want it: the next viewer may come at any time. */
  rests(stream: Stream): void {
    if (this.isWaiting(stream)) this.#live.channel.slate.prepare(stream);
  }

  /** The stream's programs are started, or run already: the wait for viewers begins. */
  began(): void {
    this.#held = null;
    this.#watchedAt ??= this.#elapsed();
  }

  /**
   * Somebody asks for the stream's channel or browser. @param isForced whether a stream starts that there is no room for.
   * @returns whether the stream waited for that: it is to start.
   */
  watched(stream: Stream, isForced = false): boolean {
    if (!this.#isToRun(stream)) return false;
    if (this.isWaiting(stream)) return this.#asked(stream, this.#elapsed(), isForced);
    this.#watchedAt = this.#elapsed();
    return false;
  }

  /** Viewers wait for room. @returns whether there is some now: the stream is to start. */
  retry(stream: Stream): boolean {
    return this.#held !== null && this.isWaiting(stream) && this.#asked(stream, this.#held.at, false);
  }

  #asked(stream: Stream, at: number, isForced: boolean): boolean {
    const noRoom = isForced ? null : this.#room.noPlace(this.#live.id);
    if (noRoom !== null) {
      this.#held = { noRoom, at };
      this.#live.channel.slate.hold(stream);
      return false;
    }
    this.#held = null;
    this.#watchedAt = at;
    this.#live.channel.slate.begin(stream);
    return true;
  }

  /** @param viewers people in the browser by VNC. @returns whether the last viewer left long ago: the stream stops. */
  tick(stream: Stream, viewers: number): boolean {
    if (this.#held && (!this.isWaiting(stream) || this.#elapsed() - this.#held.at >= WAIT_MS)) {
      this.#forget();
    }
    if (this.#watchedAt === null) return false;
    if (!this.#isToRun(stream)) {
      this.#forget();
      return false;
    }
    if (viewers > 0) this.#watchedAt = this.#elapsed();
    if (!stream.onDemand || this.#elapsed() - this.#watchedAt < patienceMs(stream)) return false;
    this.#forget();
    return true;
  }

  #forget(): void {
    this.#watchedAt = null;
    this.#held = null;
    this.#live.channel.slate.end();
  }
}

/** Milliseconds from a viewer's last request to the stop: a player that asked a moment ago has not left. */
function patienceMs({ onDemandMinutes }: Stream): number {
  return Math.max(WAIT_MS, onDemandMinutes * 60_000);
}
