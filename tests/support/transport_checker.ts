/** Checks an MPEG transport stream as a strict receiver does. Source: ISO/IEC 13818-1, 2.4.3 and 2.7; ETSI TR 101 290, 5.2. */
import { Buffer } from "node:buffer";
import { crc32 } from "../../lib/channel/relay/transport_writer.ts";

/** Bytes. */
export const PACKET = 188;
const CLOCK_SECONDS = 0.1;
const TABLES_SECONDS = 0.5;
/** Of a step that is told by its packet, nothing is asked. */
const DISCONTINUITY = 0x80;

export interface Checked {
  /** What a strict receiver would complain about. */
  problems: string[];
  /** Seconds from the first clock reference to the last. */
  seconds: number;
  pictures: number;
  keyFrames: number;
  sounds: number;
  /** Breaks of the clock that were told. */
  breaks: number;
  /** Seconds, of pictures and of sound. */
  pictureTimes: number[];
  soundTimes: number[];
}

/** Seconds from one time to another, with the wrap of 33 bits between them, if any. */
function step(from: number, to: number): number {
  const period = 2 ** 33 / 90_000;
  return (to - from + 1.5 * period) % period - period / 2;
}

/** @param maxProblems so many are listed. */
export function checkTransport(bytes: Uint8Array, maxProblems = 10): Checked {
  const found: Checked = {
    problems: [],
    seconds: 0,
    pictures: 0,
    keyFrames: 0,
    sounds: 0,
    breaks: 0,
    pictureTimes: [],
    soundTimes: [],
  };
  const complain = (at: number, what: string) => {
    if (found.problems.length < maxProblems) found.problems.push(`byte ${at}: ${what}`);
  };
  const counters = new Map<number, number>();
  let [pmtPid, videoPid, audioPid] = [-1, -1, -1];
  let clock: number | null = null;
  let firstClock: number | null = null;
  const tablesAt = new Map<number, number>();
  for (let at = 0; at + PACKET <= bytes.length; at += PACKET) {
    const packet = bytes.subarray(at, at + PACKET);
    if (packet[0] !== 0x47) {
      complain(at, "no sync byte");
      break;
    }
    const pid = (packet[1] & 0x1f) << 8 | packet[2];
    // a null packet: nothing else of it means anything (ISO/IEC 13818-1, 2.4.3.3)
    if (pid === 0x1fff) continue;
    const isStart = (packet[1] & 0x40) !== 0;
    const [hasField, hasPayload] = [(packet[3] & 0x20) !== 0, (packet[3] & 0x10) !== 0];
    const flags = hasField && packet[4] > 0 ? packet[5] : 0;
    const counter = packet[3] & 0x0f;
    const before = counters.get(pid);
    const expected = before === undefined ? counter : (before + Number(hasPayload)) & 0x0f;
    if (counter !== expected) complain(at, `counter ${counter} of pid ${pid} instead of ${expected}`);
    counters.set(pid, counter);
    if (flags & 0x10) {
      const view = new DataView(packet.buffer, packet.byteOffset);
      const now = (view.getUint32(6) * 2 + (packet[10] >> 7)) / 90_000;
      if (pid !== videoPid && videoPid >= 0) complain(at, `a clock on pid ${pid}`);
      if (clock !== null && !(flags & DISCONTINUITY)) {
        const seconds = step(clock, now);
        if (seconds < 0) complain(at, `the clock goes back by ${(-seconds).toFixed(3)} s`);
        if (seconds > CLOCK_SECONDS) complain(at, `${seconds.toFixed(3)} s without a clock`);
        found.seconds += seconds;
      }
      if (flags & DISCONTINUITY) {
        tablesAt.clear();
        found.breaks++;
      }
      clock = now;
      firstClock ??= now;
    }
    const payload = packet.subarray(hasField ? 5 + packet[4] : 4);
    if (!hasPayload || !isStart) continue;
    if (pid === 0 || pid === pmtPid) {
      const section = payload.subarray(1 + payload[0]);
      const length = 3 + ((section[1] & 0x0f) << 8 | section[2]);
      if (crc32(section.subarray(0, length)) !== 0) complain(at, `the table of pid ${pid} has a wrong sum`);
      if (pid === 0) pmtPid = (section[10] & 0x1f) << 8 | section[11];
      else [videoPid, audioPid] = streamsOf(section.subarray(0, length));
      const last = tablesAt.get(pid);
      if (clock !== null && last !== undefined && step(last, clock) > TABLES_SECONDS) {
        complain(at, `${step(last, clock).toFixed(3)} s without the table of pid ${pid}`);
      }
      if (clock !== null) tablesAt.set(pid, clock);
      continue;
    }
    if (pid !== videoPid && pid !== audioPid) {
      complain(at, `pid ${pid} is of no table`);
      continue;
    }
    if (payload[0] !== 0 || payload[1] !== 0 || payload[2] !== 1) {
      complain(at, "no PES where one begins");
      continue;
    }
    const time = timeOf(payload.subarray(9, 14));
    if (clock !== null && (step(clock, time) < 0 || step(clock, time) > 1)) {
      complain(at, `${step(clock, time).toFixed(3)} s from the clock to what is shown`);
    }
    if (pid === videoPid) {
      found.pictures++;
      if (flags & 0x40) found.keyFrames++;
      found.pictureTimes.push(time);
    } else {
      found.sounds++;
      found.soundTimes.push(time);
    }
  }
  if (firstClock === null) found.problems.push("there is no clock");
  return found;
}

/** Pids of pictures and of sound in a programme's table. */
function streamsOf(section: Uint8Array): [number, number] {
  let [video, audio] = [-1, -1];
  for (let at = 12 + ((section[10] & 0x0f) << 8 | section[11]); at + 5 <= section.length - 4;) {
    const pid = (section[at + 1] & 0x1f) << 8 | section[at + 2];
    if (section[at] === 0x1b) video = pid;
    if (section[at] === 0x0f) audio = pid;
    at += 5 + ((section[at + 3] & 0x0f) << 8 | section[at + 4]);
  }
  return [video, audio];
}

function timeOf([a, b, c, d, e]: Uint8Array): number {
  return ((a >> 1 & 7) * 2 ** 30 + b * 2 ** 22 + (c >> 1) * 2 ** 15 + d * 2 ** 7 + (e >> 1)) / 90_000;
}

/** Takes a transport stream, until it is stopped: whole packets from the first one on. */
export async function recordTransport(url: string): Promise<{ stop(): Promise<Uint8Array> }> {
  const leaving = new AbortController();
  const answer = await fetch(url, { signal: leaving.signal });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  const pieces: Uint8Array[] = [];
  const taking = (async () => {
    for await (const piece of answer.body!) pieces.push(piece);
  })().catch(() => {});
  return {
    async stop() {
      leaving.abort();
      await taking;
      const all = Buffer.concat(pieces);
      return all.subarray(0, all.length - all.length % PACKET);
    },
  };
}
