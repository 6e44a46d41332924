/** Runs the streams that this node has claimed, and says what the keeper of claims asks about them. */
import type { Admission } from "../fleet/admission.ts";
import type { Fleet } from "../fleet/fleet.ts";
import { nextSequence } from "../media/hls.ts";
import type { HlsListeners } from "../media/hls_proxy.ts";
import type { Slates } from "../media/slates.ts";
import type { StreamId } from "../model/id.ts";
import type { SilentClients } from "../net/silent_clients.ts";
import type { OwnStreams } from "./keeper.ts";
import type { OtherChannels } from "./other_channels.ts";
import type { OwnList } from "./own_streams.ts";
import type { Profiles } from "./profiles.ts";

/** The channels of this machine, as far as other nodes' viewers and streams that move need them. */
export interface OwnChannels {
  /** Counts a channel's viewers, and the bytes that they get. */
  listeners: Pick<HlsListeners, "onviewer" | "onsend">;
  slates: Pick<Slates, "ahead" | "goOn">;
  /** Milliseconds since a channel's playlist was last written; null: there is none. */
  ageMs(id: StreamId): number | null;
  /** Milliseconds for which a client has taken nothing of what has arrived at its machine. */
  silentMs: SilentClients["idleMs"];
}

export interface RunningParts {
  own: OwnList;
  fleet: Pick<Fleet, "find">;
  admission: Pick<Admission, "refusal" | "room" | "excess" | "took">;
  profiles: Pick<Profiles, "mayLeave">;
  others: Pick<OtherChannels, "bring">;
  channels: Pick<OwnChannels, "slates" | "ageMs">;
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
    const { fleet, channels, staleMs } = this.#parts;
    return !fleet.find(id)?.work.isWanted || (channels.ageMs(id) ?? Infinity) < staleMs;
  }

  sequence(id: StreamId): number | null {
    const { channels, hlsDir } = this.#parts;
    const next = nextSequence(hlsDir, id);
    return next === null ? null : next + channels.slates.ahead(id);
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
    const { others, channels } = this.#parts;
    const last = await others.bring(id, node);
    if (last !== null) channels.slates.goOn(id, last);
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
