/** The web app's side of the recorder: what is wanted of each display. */
import { join } from "node:path";
import { closeAnyway } from "../../machine/tools/close.ts";
import { withTimeout } from "../../machine/tools/time.ts";
import { writeAll } from "../../machine/tools/write_all.ts";
import { type Order, type Orders, ordersLine } from "./order.ts";
import { RECORDER_SOCKET } from "./recorder_socket.ts";

/** Milliseconds until the recorder must have done as it was told: it writes a picture at most. */
const ANSWER_MS = 3000;

/** Between two times at which a recorder is told the same. */
const REMIND_MS = 1500;

/** Bytes of an answer at most. */
const MAX_ANSWER = 1024;

export interface Recordings {
  /**
   * Says what is wanted of a display; null: nothing. Resolves when the recorder does so, or when there is none: a new one keeps
   * nothing until it is told. @throws {Error} when it does not answer.
   */
  order(display: number, order: Order | null): Promise<void>;
  /**
   * Says all of it once more, two seconds after the last time: the recorder may have been started since.
   * @throws {Error} when it does not answer.
   */
  remind(): Promise<void>;
}

export class RecorderClient implements Recordings {
  #path: string;
  #orders = new Map<number, Order>();
  #toldAt = -Infinity;

  /** @param captureDir the capture program's folder. */
  constructor(captureDir: string) {
    this.#path = join(captureDir, RECORDER_SOCKET);
  }

  async order(display: number, order: Order | null): Promise<void> {
    if (order) this.#orders.set(display, order);
    else this.#orders.delete(display);
    await this.#tell();
  }

  async remind(): Promise<void> {
    const isDue = performance.now() - this.#toldAt >= REMIND_MS;
    if (isDue && this.#orders.size > 0) await this.#tell();
  }

  async #tell(): Promise<void> {
    this.#toldAt = performance.now();
    const connection = await this.#connect();
    if (!connection) return;
    try {
      const answer = ask(connection, Object.fromEntries(this.#orders));
      const said = await withTimeout(ANSWER_MS, answer, "the recorder does not answer");
      // without an answer it has ended
      if (said !== "ok" && said !== "") throw new Error(said);
    } finally {
      closeAnyway(connection);
    }
  }

  /** Null: no recorder runs. */
  async #connect(): Promise<Deno.Conn | null> {
    try {
      return await Deno.connect({ transport: "unix", path: this.#path });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.ConnectionRefused) {
        return null;
      }
      throw error;
    }
  }
}

async function ask(connection: Deno.Conn, orders: Orders): Promise<string> {
  const bytes = new Uint8Array(MAX_ANSWER);
  try {
    await writeAll(connection, new TextEncoder().encode(ordersLine(orders)));
    const read = await connection.read(bytes);
    return new TextDecoder().decode(bytes.subarray(0, read ?? 0));
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.ConnectionReset) return "";
    throw error;
  }
}
