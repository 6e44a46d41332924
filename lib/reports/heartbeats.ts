/** Records the state of each stream at intervals, and keeps the last 24 hours, over restarts too. */
import { SLOT_MS, SLOTS } from "../model/answers/heartbeat.ts";
import { HeartbeatLog } from "../model/answers/heartbeat_log.ts";
import { readOrNull, removeTemporaryFiles, writeFileAtomic } from "../os/files.ts";
import { errorText, log } from "../system/log.ts";
import type { Part } from "../system/part.ts";
import { Loop } from "../system/time.ts";
import type { Timings } from "../timings.ts";
import type { Heartbeats, StreamStatus } from "../model/answers/shapes.ts";

export interface HeartbeatRecorderParts {
  file: string;
  /** The ids of all streams. */
  ids(): readonly string[];
  /** @throws {Error} when the supervisor does not answer. */
  statuses(): Promise<Record<string, StreamStatus>>;
  limits: Pick<Timings, "heartbeatSampleMs" | "heartbeatSaveMs">;
  now(): number;
  elapsed(): number;
}

/** Reasons may quote a page. */
const FILE_MODE = 0o600;

export class HeartbeatRecorder implements Part {
  #parts: HeartbeatRecorderParts;
  #logs = new Map<string, HeartbeatLog>();
  #loop = new Loop("heartbeats not recorded");
  #sampledAt: number | null = null;
  #savedAt: number;

  private constructor(parts: HeartbeatRecorderParts) {
    this.#parts = parts;
    this.#savedAt = parts.elapsed();
  }

  /** Takes over the heartbeats of an earlier run. An unreadable file costs a day's colours, and nothing else. */
  static async open(parts: HeartbeatRecorderParts): Promise<HeartbeatRecorder> {
    const recorder = new HeartbeatRecorder(parts);
    try {
      await removeTemporaryFiles(parts.file);
      const stored = JSON.parse(await readOrNull(parts.file) ?? "{}");
      for (const [id, slots] of Object.entries(stored)) recorder.#logs.set(id, HeartbeatLog.of(slots));
    } catch (error) {
      log("warn", "heartbeats not read", { error: errorText(error) });
    }
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
    if (seen) {
      for (const id of this.#logs.keys()) if (!Object.hasOwn(seen, id)) this.#logs.delete(id);
      for (const { id, state, reason } of Object.values(seen)) {
        this.#log(id).add(state, reason ?? "", seconds, now());
      }
    }
    if (at - this.#savedAt >= limits.heartbeatSaveMs) await this.#save();
  }

  /** The last 24 hours of all streams, or of the given streams alone. */
  read(ids = this.#parts.ids()): Heartbeats {
    const now = this.#parts.now();
    return {
      from: (Math.floor(now / SLOT_MS) - SLOTS + 1) * SLOT_MS,
      slotMs: SLOT_MS,
      streams: Object.fromEntries(
        ids.map((id) => [id, (this.#logs.get(id) ?? new HeartbeatLog()).read(now)]),
      ),
    };
  }

  #log(id: string): HeartbeatLog {
    const known = this.#logs.get(id) ?? new HeartbeatLog();
    this.#logs.set(id, known);
    return known;
  }

  async #save(): Promise<void> {
    this.#savedAt = this.#parts.elapsed();
    const stored = Object.fromEntries([...this.#logs].map(([id, known]) => [id, known.stored()]));
    try {
      await writeFileAtomic(this.#parts.file, `${JSON.stringify(stored)}\n`, FILE_MODE);
    } catch (error) {
      log("warn", "heartbeats not stored", { error: errorText(error) });
    }
  }
}
