/**
 * The recorder of all displays, in the capture program. The web app says what it wants, all of it each time, on a socket;
 * when the web app is gone the last word holds. A recorder that has not been told anything keeps nothing.
 */
import { join } from "node:path";
import type { FrameCounts } from "../../display/capture/frame_counts.ts";
import type { PictureWatcher } from "../../display/capture/stream_pictures.ts";
import { removeTree } from "../../machine/os/files.ts";
import { closeAnyway } from "../../machine/tools/close.ts";
import { Semaphore } from "../../machine/tools/concurrency.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import { readLine } from "../../machine/tools/read_line.ts";
import { Loop, withTimeout } from "../../machine/tools/time.ts";
import { writeAll } from "../../machine/tools/write_all.ts";
import { DisplayRecorder } from "./display_recorder.ts";
import { MAX_ORDERS, type Orders, parseOrders } from "./order.ts";
import { RECORDER_SOCKET } from "./recorder_socket.ts";
import type { Shelf } from "./shelf.ts";
import { X264Library } from "./x264.ts";

/** Milliseconds until a message must have come. */
const QUESTION_MS = 2000;

/** Between two looks at the disk, at which what is new is brought there, too. */
const DISK_MS = 5000;

export class Recorder {
  #shelf: Shelf;
  #encoders = new X264Library();
  #coding = new Semaphore(1);
  #displays = new Map<number, DisplayRecorder>();
  #orders: Orders = {};
  #listener: Deno.UnixListener;
  #answering: Promise<void>;
  #disk = new Loop("the past's disk could not be read");

  private constructor(shelf: Shelf, listener: Deno.UnixListener) {
    this.#shelf = shelf;
    this.#listener = listener;
    this.#answering = this.#answerAll();
    this.#disk.start(DISK_MS, async () => {
      await shelf.tidy(Math.floor(Date.now() / 1000));
      await shelf.sync();
    });
  }

  /** @param captureDir its folder; the socket is for the folder's group. @throws {Error} when it cannot listen. */
  static async open(shelf: Shelf, captureDir: string): Promise<Recorder> {
    const path = join(captureDir, RECORDER_SOCKET);
    await removeTree(path); // a killed program has left the socket
    const listener = Deno.listen({ transport: "unix", path });
    await Deno.chmod(path, 0o660);
    return new Recorder(shelf, listener);
  }

  /** The watcher of a display, which is new. */
  watch(display: number, counts: FrameCounts): PictureWatcher {
    for (const [number, { isClosed }] of this.#displays) if (isClosed) this.#displays.delete(number);
    const recorder = new DisplayRecorder({
      shelf: this.#shelf,
      encoders: this.#encoders,
      coding: this.#coding,
      counts,
    });
    this.#displays.set(display, recorder);
    void recorder.order(this.#orders[display] ?? null);
    return recorder;
  }

  /** Ends all; resolves when all has been written. */
  async stop(): Promise<void> {
    this.#listener.close();
    await Promise.all([
      this.#answering,
      ...Array.from(this.#displays.values(), (display) => display.close()),
    ]);
    await this.#disk.stop();
    this.#encoders[Symbol.dispose]();
  }

  async #answerAll(): Promise<void> {
    for await (const client of this.#listener) {
      this.#answer(client).catch((error) => log("debug", "the web app has gone", { error: errorText(error) }))
        .finally(() => closeAnyway(client));
    }
  }

  async #answer(client: Deno.Conn): Promise<void> {
    const orders = parseOrders(await withTimeout(QUESTION_MS, readLine(client, MAX_ORDERS)));
    if (orders) await this.#follow(orders);
    await writeAll(client, new TextEncoder().encode(orders ? "ok" : "no such orders"));
  }

  async #follow(orders: Orders): Promise<void> {
    this.#orders = orders;
    await Promise.all(
      Array.from(this.#displays, ([display, recorder]) => recorder.order(orders[display] ?? null)),
    );
  }
}
