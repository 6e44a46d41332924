/** Records the state of each stream at intervals, and keeps the last 24 hours and 30 days, over restarts too. */
import { DAY, MONTH, type Span } from "../model/answers/heartbeat.ts";
import { HeartbeatLog } from "../model/answers/heartbeat_log.ts";
import { EntriesFile } from "../store/entries_file.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import { objectText } from "../machine/tools/turns.ts";
import type { Timings } from "../timings.ts";
import type { Heartbeats, StreamHeartbeats, StreamStatus } from "../model/answers/shapes.ts";

export interface HeartbeatRecorderParts {
  /** The last 24 hours. */
  file: string;
  /** The last 30 days. */
  monthFile: string;
  /** The ids of all streams. */
  ids(): readonly string[];
  /** @throws {Error} when the supervisor does not answer. */
  statuses(): Promise<Record<string, StreamStatus>>;
  limits: Pick<Timings, "heartbeatSampleMs" | "heartbeatSaveMs">;
  now(): number;
  elapsed(): number;
}

/** The streams' logs of a span, and the file that keeps them. */
interface Kept {
  span: Span;
  logs: EntriesFile<HeartbeatLog>;
}

export class HeartbeatRecorder implements Part {
  #parts: HeartbeatRecorderParts;
  #day: Kept;
  #month: Kept;
  #loop = new Loop("heartbeats not recorded");
  #sampledAt: number | null = null;
  #shared: { of: string; text: Promise<string> } | null = null;
  #savedAt: number;

  private constructor(parts: HeartbeatRecorderParts) {
    this.#parts = parts;
    this.#savedAt = parts.elapsed();
    this.#day = { span: DAY, logs: logsIn(parts.file, DAY) };
    this.#month = { span: MONTH, logs: logsIn(parts.monthFile, MONTH) };
  }

  /** Takes over the heartbeats of an earlier run. An unreadable file costs its bars' colours, and nothing else. */
  static async open(parts: HeartbeatRecorderParts): Promise<HeartbeatRecorder> {
    const recorder = new HeartbeatRecorder(parts);
    for (const { logs } of recorder.#all()) await logs.load();
    return recorder;
  }

  start(): void {
    this.#loop.start(this.#parts.limits.heartbeatSampleMs, () => this.round());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#save();
  }

  /** Records the present state of every stream. */
  async round(): Promise<void> {
    const { statuses, limits, now, elapsed } = this.#parts;
    // without an answer the time stays open
    const seen = await statuses().catch(() => null);
    const at = elapsed();
    const sinceMs = at - (this.#sampledAt ?? at - limits.heartbeatSampleMs);
    // a sample counts until the next one; longer pauses are our own, and say nothing about the streams
    const seconds = Math.min(sinceMs, 2 * limits.heartbeatSampleMs) / 1000;
    this.#sampledAt = at;
    this.#shared = null;
    if (seen) {
      for (const { logs, span } of this.#all()) {
        for (const id of logs.ids()) if (!Object.hasOwn(seen, id)) logs.delete(id);
        for (const { id, state, reason } of Object.values(seen)) {
          const known = logs.get(id) ?? new HeartbeatLog(span);
          logs.set(id, known);
          known.add(state, reason ?? "", seconds, now());
        }
      }
    }
    if (at - this.#savedAt >= limits.heartbeatSaveMs) await this.#save();
  }

  /** The last 24 hours of all streams, or of the given streams alone. */
  read(ids = this.#parts.ids()): Heartbeats {
    return this.#read(this.#day, ids);
  }

  /** As `read`, of all streams, in JSON, made once for all boards that ask between two samples. */
  async text(): Promise<string> {
    const ids = this.#parts.ids();
    const of = [this.#from(DAY), ...ids].join();
    if (this.#shared?.of !== of) this.#shared = { of, text: this.#textOf(ids) };
    return await this.#shared.text;
  }

  async #textOf(ids: readonly string[]): Promise<string> {
    const { streams: _, ...span } = this.read([]);
    const streams = await objectText(ids, (id) => this.read([id]).streams[id]);
    return `${JSON.stringify(span).slice(0, -1)},"streams":${streams}}`;
  }

  /** The last 24 hours and the last 30 days of a stream. */
  readOne(id: string): StreamHeartbeats {
    return { day: this.#read(this.#day, [id]), month: this.#read(this.#month, [id]) };
  }

  #all(): Kept[] {
    return [this.#day, this.#month];
  }

  /** The begin of a span's first slot, Unix ms. */
  #from({ slotMs, slots }: Span): number {
    return (Math.floor(this.#parts.now() / slotMs) - slots + 1) * slotMs;
  }

  #read({ span, logs }: Kept, ids: readonly string[]): Heartbeats {
    const now = this.#parts.now();
    return {
      from: this.#from(span),
      slotMs: span.slotMs,
      streams: Object.fromEntries(ids.map((id) => [id, (logs.get(id) ?? new HeartbeatLog(span)).read(now)])),
    };
  }

  async #save(): Promise<void> {
    this.#savedAt = this.#parts.elapsed();
    for (const { logs } of this.#all()) await logs.save();
  }
}

function logsIn(file: string, span: Span): EntriesFile<HeartbeatLog> {
  return new EntriesFile(file, {
    read: (slots) => HeartbeatLog.of(slots, span),
    stored: (log) => log.stored(),
  });
}
