/**
 * When a segment's first picture was on the display: an encoder's timestamps are the clock (encoder.ts, firstTimestamp), and
 * its bytes never change, so whoever looks finds the same, before and after any restart. Pure.
 */
import {
  forEachPacket,
  isVideoPes,
  PACKET_BYTES,
  pesHeaderAt,
  pesTimestampAt,
  readTimestamp,
  TIMESTAMP_CLOCK,
  TIMESTAMP_PERIOD,
} from "./transport_packets.ts";

/** Bytes in which the first picture begins: the media server puts some tenths of a second of sound before it. */
const HEAD_BYTES = 256 * PACKET_BYTES;

/** By how much the media server raises presentation times (nginx-rtmp 1.2.2, ngx_rtmp_mpegts.c: NGX_RTMP_HLS_DELAY). */
const RAISED = 63_000;

/**
 * After so many ticks, 13 hours, a timestamp may mean another time: FFmpeg's FLV muxer cuts its milliseconds to 31 bits, which
 * leaves half of the period that timestamps have (docs/decisions/media.md).
 */
const UNSURE = TIMESTAMP_PERIOD / 2;

/** Milliseconds that an encoder can lag behind its pictures; timestamps that are further away are not the clock's. */
const MOST_LAG_MS = 60_000;

/** The presentation time of a segment's first picture, in ticks; null if none begins in these bytes. */
function firstPicture(bytes: Uint8Array): number | null {
  let ticks: number | null = null;
  try {
    forEachPacket(bytes.subarray(0, bytes.length - bytes.length % PACKET_BYTES), (packet) => {
      const header = ticks === null ? pesHeaderAt(packet) : null;
      const at = header !== null && isVideoPes(packet, header) ? pesTimestampAt(packet) : null;
      if (at !== null) ticks = readTimestamp(packet, at);
    });
  } catch {
    return null;
  }
  return ticks;
}

/**
 * When a segment's first picture was on the display, Unix ms.
 * @param writtenAt about when the media server began to write it, Unix ms.
 * @returns null if its bytes do not say it.
 */
export function pictureTime(segment: Uint8Array, writtenAt: number): number | null {
  const ticks = firstPicture(segment.subarray(0, HEAD_BYTES));
  if (ticks === null) return null;
  const about = writtenAt / 1000 * TIMESTAMP_CLOCK;
  const ahead = ((ticks - RAISED - about) % UNSURE + 1.5 * UNSURE) % UNSURE - UNSURE / 2;
  const time = Math.round((about + ahead) / TIMESTAMP_CLOCK * 1000);
  return Math.abs(time - writtenAt) <= MOST_LAG_MS ? time : null;
}
