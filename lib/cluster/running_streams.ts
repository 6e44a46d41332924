/** Runs the streams that this node has claimed, and says what the keeper of claims asks about them. */
import type { Admission } from "../fleet/admission.ts";
import type { Fleet } from "../fleet/fleet.ts";
import { nextSequence } from "../channel/media/hls.ts";
import type { StreamId } from "../model/id.ts";
import type { OwnStreams } from "./keeper.ts";
import type { OtherChannels } from "./other_channels.ts";
import type { OwnList } from "./own_streams.ts";
import type { Profiles } from "./profiles.ts";

export interface RunningParts {
  own: OwnList;
  fleet: Pick<Fleet, "find">;
  admission: Pick<Admission, "refusal" | "room" | "excess" | "took">;
  profiles: Pick<Profiles, "mayLeave">;
  others: Pick<OtherChannels, "bring">;
  /** Where the media server writes the channels' playlists. */
  hlsDir: string;
  /** Milliseconds after which a playlist that is not written any more is no channel. */
  staleMs: number;
}

export class RunningStreams implements OwnStreams {
  #parts: RunningParts;

  constructor(parts: RunningParts) {
    this.#parts = parts;
  }

  has(id: StreamId): boolean {
    return this.#parts.own.has(id);
  }

  ids(): StreamId[] {
    return this.#parts.own.ids();
  }

  isReady(id: StreamId): boolean {
    const { fleet, staleMs } = this.#parts;
    const live = fleet.find(id);
    return !live?.work.isWanted || (live.channel.ageMs ?? Infinity) < staleMs;
  }

  sequence(id: StreamId): number | null {
    const { fleet, hlsDir } = this.#parts;
    const next = nextSequence(hlsDir, id);
    return next === null ? null : next + (fleet.find(id)?.channel.slate.ahead ?? 0);
  }

  take(id: StreamId, sequence: number, says: string | null): void {
    const { own, fleet, admission } = this.#parts;
    own.add(id, sequence);
    const live = fleet.find(id);
    if (!live) return;
    if (says !== null) live.tell("stream", says);
    admission.took(live.stream!);
    void live.work.retryInBackground();
  }

  drop(id: StreamId): void {
    const { own, fleet } = this.#parts;
    own.remove(id);
    void fleet.find(id)?.work.retryInBackground();
  }

  async goOn(id: StreamId, node: string): Promise<void> {
    const { others, fleet } = this.#parts;
    const last = await others.bring(id, node);
    if (last !== null) fleet.find(id)?.channel.goOn(last);
  }

  mayLeave(id: StreamId): boolean {
    return this.#parts.profiles.mayLeave(id);
  }

  refusal(id: StreamId): string | null {
    const stream = this.#parts.fleet.find(id)?.stream;
    return stream ? this.#parts.admission.refusal(stream) : "there is no such stream";
  }

  room(): number {
    return this.#parts.admission.room();
  }

  tooMuch(): StreamId | null {
    return this.#parts.admission.excess();
  }
}
