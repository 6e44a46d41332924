/** Audio and video messages as the media server sends them, and a channel that a test makes of them. */
import { MESSAGE, type RtmpMessage } from "../../lib/channel/media/rtmp_chunks.ts";
import type { RtmpChannel } from "../../lib/channel/media/rtmp_player.ts";

const SPS = [0x67, 0x4d, 0x40, 0x1f, 0x96, 0x54, 0x05, 0x01, 0xed, 0x80];
const PPS = [0x68, 0xee, 0x3c, 0x80];

export const videoSettings = (time = 0): RtmpMessage => ({
  type: MESSAGE.video,
  time,
  payload: Uint8Array.of(
    ...[0x17, 0, 0, 0, 0, 1, 0x4d, 0x40, 0x1f, 0xff, 0xe1],
    ...[0, SPS.length, ...SPS, 1, 0, PPS.length, ...PPS],
  ),
});

/** AAC LC of 48 kHz in stereo. */
export const audioSettings = (time = 0): RtmpMessage => ({
  type: MESSAGE.audio,
  time,
  payload: Uint8Array.of(0xaf, 0, 0x11, 0x90),
});

/** A picture of one NAL unit of so many bytes. */
export function picture(time: number, isKey: boolean, bytes = 100): RtmpMessage {
  const payload = new Uint8Array(9 + bytes).fill(0x80);
  payload.set([isKey ? 0x17 : 0x27, 1, 0, 0, 0]);
  new DataView(payload.buffer).setUint32(5, bytes);
  payload[9] = isKey ? 0x65 : 0x41;
  return { type: MESSAGE.video, time, payload };
}

export function sound(time: number, bytes = 200): RtmpMessage {
  const payload = new Uint8Array(2 + bytes).fill(0x21);
  payload.set([0xaf, 1]);
  return { type: MESSAGE.audio, time, payload };
}

/** A second of a still page: a key frame, one more picture, sound all the time. @param from ms. */
export function aSecond(from: number): RtmpMessage[] {
  const all = Array.from({ length: 47 }, (_, at) => sound(from + Math.round(at * 1024 / 48)));
  all.splice(24, 0, picture(from + 500, false));
  return [picture(from, true), ...all];
}

/** A channel at a media server, to be played as often as somebody wants. */
export class TestChannel {
  /** Every time it was asked for. */
  readonly plays: RtmpChannel[] = [];
  #takers = new Set<(messages: RtmpMessage[] | null) => void>();

  /** How many play it now. */
  get players(): number {
    return this.#takers.size;
  }

  send(messages: RtmpMessage[]): void {
    for (const take of this.#takers) take(messages);
  }

  /** The encoder has left. */
  end(): void {
    for (const take of this.#takers) take(null);
  }

  play = async function* (
    this: TestChannel,
    channel: RtmpChannel,
    signal: AbortSignal,
  ): AsyncGenerator<RtmpMessage[]> {
    this.plays.push(channel);
    const waiting: (RtmpMessage[] | null)[] = [];
    let wake = () => {};
    const take = (messages: RtmpMessage[] | null) => {
      waiting.push(messages);
      wake();
    };
    const abort = () => take(null);
    this.#takers.add(take);
    signal.addEventListener("abort", abort);
    try {
      while (!signal.aborted) {
        if (waiting.length === 0) await new Promise<void>((done) => wake = done);
        const messages = waiting.shift();
        if (!messages) return;
        yield messages;
      }
    } finally {
      this.#takers.delete(take);
      signal.removeEventListener("abort", abort);
    }
  }.bind(this);
}
