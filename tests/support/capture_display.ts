/** A display that the capture program can read, as far as it is told: it says what an X server would, and paints nothing. */
import type { PictureWatcher } from "../../lib/display/capture/stream_pictures.ts";
import { MEMORY_NAME } from "../../lib/display/capture/shared_memory.ts";
import {
  greetingBytes,
  type Received,
  replyBytes,
  type Said,
  startXServer,
  type XServer,
} from "./x_server.ts";

const OPCODES: Record<string, number> = { "MIT-SHM": 130, DAMAGE: 143, XFIXES: 138 };
const FIRST_DAMAGE_EVENT = 91;

const u16 = (value: number) => [value & 0xff, value >> 8 & 0xff];

export interface CaptureDisplay extends XServer {
  /** Tells that rows have changed, and says which when it is asked. */
  damage(top: number, bottom: number): Promise<void>;
  /** The rows that were read: top and count. */
  reads: [top: number, count: number][];
}

/** @param refuse what is said instead, to some requests. */
export async function captureDisplay(
  refuse: (request: Received) => Said = () => undefined,
  greeting = greetingBytes(),
): Promise<CaptureDisplay> {
  let damaged = { top: 0, bottom: 36 };
  // as X does at the level NonEmpty: it tells of damage once, and again only after that was taken
  let hasTold = false;
  const event = new Uint8Array(32);
  event[0] = FIRST_DAMAGE_EVENT;
  const reads: [number, number][] = [];
  const server = await startXServer((request) => {
    const refusal = refuse(request);
    if (refusal) return refusal;
    const { major, minor, bytes, sequence } = request;
    if (major === 98) {
      const name = new TextDecoder().decode(bytes.subarray(8, 8 + bytes[4]));
      const opcode = OPCODES[name];
      return replyBytes(sequence, opcode ? [1, opcode, name === "DAMAGE" ? FIRST_DAMAGE_EVENT : 0, 0] : [0]);
    }
    if (major === OPCODES.DAMAGE && minor === 1) {
      hasTold = true;
      return event;
    }
    if (major === OPCODES.DAMAGE && minor === 3) hasTold = false;
    if (major === OPCODES.XFIXES && minor === 19) {
      const { top, bottom } = damaged;
      damaged = { top: 0, bottom: 0 };
      return replyBytes(sequence, [0, 0, ...u16(top), ...u16(bottom > top ? 64 : 0), ...u16(bottom - top)]);
    }
    if (major === OPCODES["MIT-SHM"] && minor === 0) return replyBytes(sequence, [1, 0, 2, 0]);
    if (major === OPCODES["MIT-SHM"] && minor === 4) {
      reads.push([bytes[10] | bytes[11] << 8, bytes[14] | bytes[15] << 8]);
      return replyBytes(sequence);
    }
    const hasAnswer = minor === 0 || major === 43;
    return hasAnswer ? replyBytes(sequence) : undefined;
  }, { greeting });
  return Object.assign(server, {
    reads,
    async damage(top: number, bottom: number) {
      const isMore = damaged.bottom > damaged.top;
      damaged = isMore
        ? { top: Math.min(top, damaged.top), bottom: Math.max(bottom, damaged.bottom) }
        : { top, bottom };
      if (hasTold) return;
      hasTold = true;
      await server.say(event);
    },
  });
}

let isAlone = false;

/**
 * Registers that a file's tests run while no others count this process's memory: `deno test --parallel` runs files in threads
 * of one process.
 */
export function countMemoryAlone(): void {
  // files that are put together are one: a second lock would wait for the first for ever
  if (isAlone) return;
  isAlone = true;
  let file: Deno.FsFile;
  Deno.test.beforeAll(async () => {
    file = await Deno.open(new URL(import.meta.url));
    await file.lock(true);
  });
  Deno.test.afterAll(() => file.close());
}

/** How many displays' memory this process has. */
export function ownMemory(): number {
  const lines = Deno.readTextFileSync("/proc/self/maps").split("\n");
  return lines.filter((line) => line.includes(`/memfd:${MEMORY_NAME}`)).length;
}

/** A watcher of a display that keeps nothing. */
export const watchNothing = (): PictureWatcher => ({
  begin() {},
  changed() {},
  tick() {},
  end() {},
  close: () => Promise.resolve(),
});
