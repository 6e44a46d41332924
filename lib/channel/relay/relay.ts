/**
 * A relay: one channel of the media server as one transport stream for all who watch it that way. It asks the media server
 * only while there is a viewer, and for a moment after the last.
 */
import { errorText, log } from "../../machine/tools/log.ts";
import { sleep } from "../../machine/tools/time.ts";
import { audioPart, videoPart } from "./flv.ts";
import { MESSAGE, type RtmpMessage } from "../media/rtmp_chunks.ts";
import { TransportWriter } from "./transport_writer.ts";

/** A piece of the stream. */
export interface Chunk {
  bytes: Uint8Array<ArrayBuffer>;
  /** Whether a decoder can begin with it: tables and a key frame. */
  isStart: boolean;
}

export interface RelayViewer {
  take(chunk: Chunk): void;
  /** The channel has ended. */
  end(): void;
  /** Milliseconds that the client has taken nothing. */
  readonly idleMs: number;
  /** Ends the connection at once. */
  giveUp(): void;
}

/** What a viewer needs of the relays. */
export interface ViewerParts {
  /** The connection has ended, however that came. */
  onend(): void;
  onsend(bytes: number): void;
  /** Milliseconds of a steady clock. */
  elapsed(): number;
}

/** Audio and video messages of the channel as it is at the media server now. */
export type ChannelSource = (signal: AbortSignal) => AsyncIterable<RtmpMessage[]>;

/** Milliseconds between two tries to get the channel: its encoder is being started, or restarted. */
const RETRY_MS = 250;

/** Milliseconds of sound that wait for a picture, so that a viewer costs a write for each picture and not three. */
const SOUND_MS = 40;

/** Bytes of a kept picture group, for the next viewer to begin with: no more than may wait for any viewer. */
const MAX_KEPT_BYTES = 1024 * 1024;

export class Relay {
  #source: ChannelSource;
  #viewers = new Set<RelayViewer>();
  #writer = new TransportWriter();
  /** From the newest key frame on; null while there is none, or it is too large. */
  #kept: Chunk[] | null = null;
  #keptBytes = 0;
  #isStart = false;
  #soundSince: number | null = null;
  #ending = new AbortController();
  #running: Promise<void>;

  constructor(source: ChannelSource) {
    this.#source = source;
    this.#running = this.#run();
  }

  /** The viewer gets the channel from its newest key frame on. */
  add(viewer: RelayViewer): void {
    this.#viewers.add(viewer);
    for (const chunk of this.#kept ?? []) viewer.take(chunk);
  }

  remove(viewer: RelayViewer): void {
    this.#viewers.delete(viewer);
  }

  /** Ends the relay with all its viewers; resolves when the media server is left. */
  async end(): Promise<void> {
    this.#ending.abort();
    for (const viewer of [...this.#viewers]) viewer.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      // a new encoder begins with its own key frame
      this.#kept = null;
      this.#isStart = false;
      let isBegun = false;
      try {
        for await (const messages of this.#source(signal)) {
          for (const message of messages) isBegun = this.#write(message, isBegun);
          this.#pass(messages);
        }
      } catch (error) {
        log("debug", "the media server does not send a channel", { error: errorText(error) });
      }
      await sleep(RETRY_MS, signal);
    }
  }

  /** @returns whether a key frame has been written. */
  #write({ type, time, payload }: RtmpMessage, isBegun: boolean): boolean {
    if (type === MESSAGE.audio) {
      const part = audioPart(payload);
      if (part?.kind === "settings") this.#writer.setAudio(part.settings);
      if (part?.kind === "frame" && isBegun) this.#writer.sound(part.frame, time);
      return isBegun;
    }
    const part = videoPart(payload);
    if (part?.kind === "settings") this.#writer.setVideo(part.settings);
    if (part?.kind !== "picture" || !this.#writer.isReady || !(isBegun || part.isKey)) return isBegun;
    if (part.isKey) {
      this.#flush();
      this.#isStart = true;
    }
    this.#writer.picture(part.units, part.isKey, time, part.delayMs);
    return true;
  }

  /** Passes on the written packets, unless they are a little sound that can wait for its picture. */
  #pass(messages: readonly RtmpMessage[]): void {
    const hasPicture = messages.some(({ type }) => type === MESSAGE.video);
    const { time } = messages.at(-1)!;
    this.#soundSince ??= time;
    if (!hasPicture && Math.abs(time - this.#soundSince) < SOUND_MS) return;
    this.#soundSince = null;
    this.#flush();
  }

  #flush(): void {
    const bytes = this.#writer.take();
    if (bytes.length === 0) return;
    const chunk = { bytes, isStart: this.#isStart };
    if (chunk.isStart) [this.#kept, this.#keptBytes] = [[], 0];
    this.#isStart = false;
    this.#keptBytes += bytes.length;
    if (this.#keptBytes > MAX_KEPT_BYTES) this.#kept = null;
    this.#kept?.push(chunk);
    for (const viewer of this.#viewers) viewer.take(chunk);
  }
}
