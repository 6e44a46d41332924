/** The two named pipes of a browser as one way for messages. No call waits for a browser that hangs. */
import { FifoWriter, readFifo } from "../machine/os/fifo.ts";
import { Budget, MESSAGE_COST, PEER_BUDGET, READ_COST } from "../machine/tools/budget.ts";
import { ANSWER_MS, type Message, MessageSplitter, parseMessage } from "./messages.ts";

/** A way to one life of a browser: a restart makes new pipes, so that no byte comes from, or goes to, another life. */
export interface Pipe {
  /** Gets the browser's messages. */
  onmessage: (message: Message) => void;
  /** Resolves when the browser, or the way to it, has ended. */
  readonly ended: Promise<void>;
  /** @throws {Error} when the browser has ended, or does not read. */
  send(text: string): void;
  close(): Promise<void>;
}

/** Bytes that wait for a browser to read them, with the cost of each message. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Milliseconds from one try to write to the next: the first pause, and the longest. */
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

/** Milliseconds between two looks whether a browser without a message so far is still there. */
const LOOK_MS = 100;

export class BrowserPipe implements Pipe {
  onmessage: (message: Message) => void = () => {};
  readonly ended: Promise<void>;
  #writer: FifoWriter;
  #child: Deno.ChildProcess;
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  #queue: { bytes: Uint8Array<ArrayBuffer>; isBegun: boolean; until: number }[] = [];
  #waiting = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /**
   * The looks end at the browser's first message: a browser that ended just now sends none, and a pipe that is opened
   * after that belongs to the next browser, or to none.
   */
  #looks: ReturnType<typeof setInterval> | undefined;
  #isOpen = true;

  /** @throws {Error} when no browser reads the pipe. */
  constructor({ input, output }: { input: string; output: string }) {
    this.#writer = new FifoWriter(input);
    try {
      this.#child = readFifo(output);
    } catch (error) {
      this.#writer[Symbol.dispose]();
      throw error;
    }
    this.#reader = this.#child.stdout.getReader();
    this.#looks = setInterval(() => {
      if (!this.#writer.hasReader) this.#end();
    }, LOOK_MS);
    this.ended = this.#read().catch(() => {}).finally(() => this.#end());
    this.send(""); // ends the message that an earlier BrowserPipe could not finish
  }

  send(text: string): void {
    if (!this.#isOpen) throw new Error("the browser does not run");
    const bytes = new TextEncoder().encode(`${text}\0`);
    const cost = bytes.length + MESSAGE_COST;
    if (this.#waiting + cost > MAX_WAITING_BYTES) throw new Error("the browser does not read");
    this.#waiting += cost;
    this.#queue.push({ bytes, isBegun: false, until: performance.now() + ANSWER_MS });
    if (this.#timer === undefined) this.#write();
  }

  async close(): Promise<void> {
    this.#end();
    await this.ended;
  }

  /** Writes the bytes that the pipe has room for, and comes back for the rest. */
  #write(): void {
    this.#timer = undefined;
    try {
      for (let next = this.#next(); next; next = this.#next()) {
        const count = this.#writer.write(next.bytes);
        if (count === 0) return this.#writeLater();
        this.#pauseMs = FIRST_PAUSE_MS;
        this.#waiting -= count;
        next.isBegun = true;
        next.bytes = next.bytes.subarray(count);
      }
    } catch {
      this.#end();
    }
  }

  #writeLater(): void {
    this.#timer = setTimeout(() => this.#write(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  /** The next message to write, without messages that have waited too long. */
  #next() {
    for (let next = this.#queue.at(0); next; next = this.#queue.at(0)) {
      const isOver = next.bytes.length === 0 || (!next.isBegun && performance.now() > next.until);
      if (!isOver) return next;
      this.#waiting -= next.bytes.length + MESSAGE_COST;
      this.#queue.shift();
    }
  }

  async #read(): Promise<void> {
    const splitter = new MessageSplitter();
    const budget = new Budget(PEER_BUDGET); // the stream's user owns the pipe, and may write anything there
    for (let part = await this.#reader.read(); !part.done; part = await this.#reader.read()) {
      clearInterval(this.#looks);
      await budget.pay(part.value.length + READ_COST);
      for (const piece of splitter.push(part.value)) {
        const message = parseMessage(piece);
        if (message && this.#isOpen) this.onmessage(message);
        await budget.pay(MESSAGE_COST);
      }
    }
    await this.#child.status;
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    clearInterval(this.#looks);
    this.#queue = [];
    this.#writer[Symbol.dispose]();
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // the child has ended by itself
    }
  }
}
