/**
 * Writes an MPEG transport stream of one programme: H.264 and AAC. Source: ISO/IEC 13818-1, 2.4.3 (packets), 2.4.3.6 (PES),
 * 2.4.4 (tables). Written here and not by ffmpeg, whose clock only comes with pictures: a still page has two a second.
 * Pure.
 */
import { PACKET_BYTES } from "../transport_packets.ts";
import { type AudioSettings, nalUnits, type VideoSettings } from "./flv.ts";

const PID = { pat: 0, pmt: 0x1000, video: 0x100, audio: 0x101 } as const;
const [H264, AAC_ADTS] = [0x1b, 0x0f];
const [VIDEO_STREAM, AUDIO_STREAM] = [0xe0, 0xc0];

/** Milliseconds between two clock references, at most 100; between two tables, at most 500. */
const CLOCK_MS = 40;
const TABLES_MS = 400;
/** Milliseconds by which the clock is behind the times of pictures and sound: sound comes a little later than its picture. */
const BEHIND_MS = 100;
/** Milliseconds; a longer pause between two clock references is told, such as that of an encoder that is restarted. */
const BREAK_MS = 100;

/** What a PES can say of its own length; 0 stands for more. */
const MOST_PES_BYTES = 0xffff;

const PERIOD = 2 ** 33;
const ACCESS_UNIT = Uint8Array.of(0, 0, 0, 1, 9, 0xf0);
const START = Uint8Array.of(0, 0, 0, 1);
/** NAL units that are written by us. */
const OWN_UNITS = [7, 8, 9];

/** Packets that receivers leave out (2.4.3.2, PID 0x1fff). */
export function nullPackets(count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count * PACKET_BYTES).fill(0xff);
  for (let at = 0; at < bytes.length; at += PACKET_BYTES) bytes.set([0x47, 0x1f, 0xff, 0x10], at);
  return bytes;
}

export class TransportWriter {
  #video: VideoSettings | null = null;
  #audio: AudioSettings | null = null;
  #out = new Uint8Array(64 * 1024);
  #size = 0;
  #counters = new Map<number, number>();
  #clock = -Infinity;
  #clockAt = -Infinity;
  #tablesAt = -Infinity;
  #isBreak = false;

  setVideo(settings: VideoSettings): void {
    this.#video = settings;
  }

  setAudio(settings: AudioSettings): void {
    this.#audio = settings;
  }

  /** Whether pictures can be written. */
  get isReady(): boolean {
    return this.#video !== null;
  }

  /** The packets since the last call. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#out.slice(0, this.#size);
    this.#size = 0;
    return bytes;
  }

  /**
   * A picture, with tables before a key frame.
   * @param time ms of when it is decoded. @param delayMs until it is shown. @throws {Error} when it is cut off.
   */
  picture(units: Uint8Array, isKey: boolean, time: number, delayMs: number): void {
    const { parameterSets, lengthBytes } = this.#video!;
    const parts: Uint8Array[] = [ACCESS_UNIT];
    for (const set of isKey ? parameterSets : []) parts.push(START, set);
    for (const unit of nalUnits(units, lengthBytes)) {
      if (!OWN_UNITS.includes(unit[0] & 0x1f)) parts.push(START, unit);
    }
    this.#advance(time);
    if (isKey || time - this.#tablesAt >= TABLES_MS) this.#tables(time);
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const header = pesHeader(VIDEO_STREAM, time + delayMs, delayMs === 0 ? null : time, length);
    this.#pes(PID.video, [header, ...parts], header.length + length, isKey);
  }

  /** A frame of sound. @param time ms. Nothing is written before the sound's settings are known. */
  sound(frame: Uint8Array, time: number): void {
    if (!this.#audio) return;
    this.#advance(time);
    if (time - this.#tablesAt >= TABLES_MS) this.#tables(time);
    if (time - this.#clockAt >= CLOCK_MS) this.#clockPacket(time);
    const adts = adtsHeader(this.#audio, frame.length);
    const header = pesHeader(AUDIO_STREAM, time, null, adts.length + frame.length);
    this.#pes(PID.audio, [header, adts, frame], header.length + adts.length + frame.length);
  }

  /** The clock never goes back, but where all times do; after a pause it begins anew, with tables. */
  #advance(time: number): void {
    const clock = time - BEHIND_MS;
    const isBack = this.#clock - clock > BEHIND_MS;
    const isPause = time - this.#clockAt > BREAK_MS;
    if (this.#clockAt !== -Infinity && (isBack || isPause)) {
      [this.#isBreak, this.#clockAt, this.#tablesAt] = [true, -Infinity, -Infinity];
    }
    this.#clock = isBack ? clock : Math.max(this.#clock, clock);
  }

  #tables(time: number): void {
    this.#tablesAt = time;
    this.#section(PID.pat, section(0, 1, [0, 1, 0xe0 | PID.pmt >> 8, PID.pmt & 0xff]));
    const streams = [H264, 0xe0 | PID.video >> 8, PID.video & 0xff, 0xf0, 0];
    if (this.#audio) streams.push(AAC_ADTS, 0xe0 | PID.audio >> 8, PID.audio & 0xff, 0xf0, 0);
    this.#section(PID.pmt, section(2, 1, [0xe0 | PID.video >> 8, PID.video & 0xff, 0xf0, 0, ...streams]));
  }

  #section(pid: number, bytes: Uint8Array): void {
    const at = this.#packet(pid, true, 0x10);
    this.#out[at] = 0; // where the section begins
    this.#out.set(bytes, at + 1);
    this.#out.fill(0xff, at + 1 + bytes.length, this.#size);
  }

  #clockPacket(time: number): void {
    const at = this.#packet(PID.video, false, 0x20);
    this.#out[at] = PACKET_BYTES - 5;
    this.#out.fill(0xff, at + 1, this.#size);
    this.#clockField(at + 1, 0);
    this.#clockAt = time;
  }

  /** Flags and clock of an adaptation field: seven bytes. */
  #clockField(at: number, flags: number): void {
    this.#out[at] = flags | 0x10 | (this.#isBreak ? 0x80 : 0);
    this.#isBreak = false;
    const base = ticks(this.#clock);
    const view = new DataView(this.#out.buffer);
    view.setUint32(at + 1, Math.floor(base / 2));
    this.#out[at + 5] = (base % 2) << 7 | 0x7e;
    this.#out[at + 6] = 0;
  }

  /** A PES in as many packets as it takes. @param isKey set for pictures, whose packets carry the clock. */
  #pes(pid: number, parts: Uint8Array[], length: number, isKey?: boolean): void {
    let [part, within] = [0, 0];
    for (let left = length, isFirst = true; left > 0; isFirst = false) {
      const clockBytes = isFirst && isKey !== undefined ? 8 : 0;
      const room = PACKET_BYTES - 4 - clockBytes;
      const stuffing = Math.max(0, room - left);
      const hasField = clockBytes + stuffing > 0;
      let at = this.#packet(pid, isFirst, hasField ? 0x30 : 0x10);
      if (hasField) {
        const fieldBytes = clockBytes + stuffing;
        this.#out[at] = fieldBytes - 1;
        if (fieldBytes > 1) this.#out[at + 1] = 0;
        this.#out.fill(0xff, at + 2, at + fieldBytes);
        if (clockBytes > 0) {
          this.#clockField(at + 1, isKey ? 0x40 : 0);
          this.#clockAt = this.#clock + BEHIND_MS;
        }
        at += fieldBytes;
      }
      while (at < this.#size) {
        const piece = parts[part].subarray(within, within + this.#size - at);
        this.#out.set(piece, at);
        at += piece.length;
        left -= piece.length;
        within += piece.length;
        if (within === parts[part].length) [part, within] = [part + 1, 0];
      }
    }
  }

  /** Begins a packet. @returns where its adaptation field or payload begins. */
  #packet(pid: number, isStart: boolean, control: number): number {
    if (this.#size + PACKET_BYTES > this.#out.length) {
      const larger = new Uint8Array(2 * this.#out.length);
      larger.set(this.#out);
      this.#out = larger;
    }
    // packets without payload do not count
    const hasPayload = (control & 0x10) !== 0;
    const counter = ((this.#counters.get(pid) ?? 15) + Number(hasPayload)) & 0x0f;
    this.#counters.set(pid, counter);
    const at = this.#size;
    this.#out[at] = 0x47;
    this.#out[at + 1] = (isStart ? 0x40 : 0) | pid >> 8;
    this.#out[at + 2] = pid & 0xff;
    this.#out[at + 3] = control | counter;
    this.#size += PACKET_BYTES;
    return at + 4;
  }
}

/** Of 90 kHz, modulo 2^33. */
function ticks(ms: number): number {
  const value = Math.round(ms * 90) % PERIOD;
  return value < 0 ? value + PERIOD : value;
}

/**
 * Says how long it is where that can be said, so that a player need not wait for the next one: on a page that stands still
 * that comes half a second later.
 * @param decodedAt ms; null: when it is shown.
 */
function pesHeader(
  stream: number,
  shownAt: number,
  decodedAt: number | null,
  payloadBytes: number,
): Uint8Array {
  const times = decodedAt === null
    ? [timeField(2, shownAt)]
    : [timeField(3, shownAt), timeField(1, decodedAt)];
  const headerBytes = 5 * times.length;
  const length = payloadBytes + 3 + headerBytes;
  const told = length > MOST_PES_BYTES ? 0 : length;
  const flags = decodedAt === null ? 0x80 : 0xc0;
  return Uint8Array.of(
    ...[0, 0, 1, stream, told >> 8, told & 0xff],
    // the payload begins with an access unit
    ...[0x84, flags, headerBytes, ...times.flat()],
  );
}

function timeField(mark: number, ms: number): number[] {
  const value = ticks(ms);
  return [
    mark << 4 | Math.floor(value / 2 ** 30) << 1 | 1,
    Math.floor(value / 2 ** 22) & 0xff,
    (Math.floor(value / 2 ** 15) & 0x7f) << 1 | 1,
    Math.floor(value / 2 ** 7) & 0xff,
    (value & 0x7f) << 1 | 1,
  ];
}

/** Source: ISO/IEC 13818-7, 6.2. */
function adtsHeader({ objectType, frequencyIndex, channels }: AudioSettings, frameBytes: number): Uint8Array {
  const length = frameBytes + 7;
  return Uint8Array.of(
    ...[0xff, 0xf1, (objectType - 1) << 6 | frequencyIndex << 2 | channels >> 2],
    ...[(channels & 3) << 6 | length >> 11, length >> 3 & 0xff, (length & 7) << 5 | 0x1f, 0xfc],
  );
}

/** A table of one section, version 0. @param number of the transport stream or programme. */
function section(table: number, number: number, body: number[]): Uint8Array {
  const length = body.length + 9;
  const bytes = Uint8Array.of(
    ...[table, 0xb0 | length >> 8, length & 0xff, number >> 8, number & 0xff, 0xc1, 0, 0, ...body],
    ...[0, 0, 0, 0],
  );
  new DataView(bytes.buffer).setUint32(bytes.length - 4, crc32(bytes.subarray(0, -4)));
  return bytes;
}

/** Source: ISO/IEC 13818-1, annex A. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc << 1 ^ (crc < 0 ? 0x04c1_1db7 : 0);
  }
  return crc >>> 0;
}
