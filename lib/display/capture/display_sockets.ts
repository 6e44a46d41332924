/**
 * The two sockets of a display. On `ask` an encoder requests a kind of pictures, and learns whether it can get them; on
 * `video` it then reads its pictures, and sends nothing, since it is ffmpeg by then. Only the display's own user gets
 * to the sockets.
 */
import { join } from "node:path";
import { Budget, type BudgetLimits } from "../../machine/tools/budget.ts";
import { closeAnyway } from "../../machine/tools/close.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import { readLine } from "../../machine/tools/read_line.ts";
import { withTimeout } from "../../machine/tools/time.ts";
import { writeAll } from "../../machine/tools/write_all.ts";
import type { FrameCounts } from "./frame_counts.ts";
import type { Screen } from "./screen.ts";
import { type PictureWatcher, streamPictures } from "./stream_pictures.ts";
import { MAX_WANTED, parseWanted, type Wanted } from "./wanted.ts";

/** Milliseconds until a question must have come. */
const QUESTION_MS = 2000;

/** An encoder asks one question at a time: a client that asks more is no encoder. */
const MAX_QUESTIONS = 4;

/**
 * The budget of a display's user: an encoder that is started asks once and reads once. A question opens the display, and
 * a reader's first picture is converted as a whole, which in 4K takes some 50 ms of all others.
 */
const CLIENTS: BudgetLimits = { perSecond: 8, burst: 40 };
const [QUESTION_COST, READER_COST] = [1, 4];

export interface DisplayParts {
  display: number;
  /** The compiled lib/display/capture/wasm/pixels.ts. */
  pixels: WebAssembly.Module;
  /** @throws {Error} when the display cannot be read. */
  openScreen(): Promise<Screen>;
  /** Makes what sees all pictures of the display. @param frames its counts. */
  watch(frames: FrameCounts): PictureWatcher;
}

/** The names of the sockets in a display's folder. */
export const SOCKETS = { ask: "ask", video: "video" };

/** Whether a capture program has listened in the folder. */
export async function hasSockets(folder: string): Promise<boolean> {
  const found = await Promise.all(
    Object.values(SOCKETS).map((name) => Deno.lstat(join(folder, name)).catch(() => null)),
  );
  return found.every(Boolean);
}

export class DisplaySockets {
  /** The counts of all readers so far. */
  readonly frames: FrameCounts = { sent: 0, dropped: 0, changedAt: 0 };
  #parts: DisplayParts;
  #watcher: PictureWatcher;
  #listeners: Deno.UnixListener[];
  #loops: Promise<void>[];
  #wanted: { wanted: Wanted; since: number } | null = null;
  #questions = new Set<Deno.Conn>();
  #over = new AbortController();
  #budget = new Budget(CLIENTS, this.#over.signal);
  #reader: { stop(): Promise<void> } | null = null;

  /** Listens in the display's folder. @param mode of the sockets. @throws {Error} when it cannot. */
  constructor(parts: DisplayParts, folder: string, mode: number) {
    this.#parts = parts;
    using opened = new DisposableStack();
    const listen = (name: string) => {
      // Deno removes a listener's path after its end: by then another socket may have the path, in a new folder
      const path = join(folder, `${name}.new`);
      removeIfThere(path);
      const listener = opened.use(Deno.listen({ transport: "unix", path }));
      Deno.chmodSync(path, mode);
      Deno.renameSync(path, join(folder, name));
      return listener;
    };
    const [ask, video] = [listen(SOCKETS.ask), listen(SOCKETS.video)];
    opened.move();
    this.#watcher = parts.watch(this.frames);
    this.#listeners = [ask, video];
    this.#loops = [this.#answer(ask), this.#serve(video)];
  }

  /** Closes all sockets; resolves when all resources have been given back. */
  async stop(): Promise<void> {
    this.#over.abort();
    for (const listener of this.#listeners) listener.close();
    for (const connection of this.#questions) closeAnyway(connection);
    await Promise.all([this.#reader?.stop(), ...this.#loops]);
    // a reader may have come at the last moment
    await this.#reader?.stop();
    await this.#watcher.close();
  }

  async #answer(listener: Deno.UnixListener): Promise<void> {
    for await (const connection of listener) {
      if (this.#questions.size >= MAX_QUESTIONS) connection.close();
      else this.#takeQuestion(connection);
      await this.#budget.pay(QUESTION_COST); // new clients wait in the kernel meanwhile
    }
  }

  #takeQuestion(connection: Deno.Conn): void {
    this.#questions.add(connection);
    this.#answerOne(connection).catch(() => {}).finally(() => {
      this.#questions.delete(connection);
      closeAnyway(connection);
    });
  }

  async #answerOne(connection: Deno.Conn): Promise<void> {
    const answer = (text: string) => writeAll(connection, new TextEncoder().encode(`${text}\n`));
    const wanted = parseWanted(await withTimeout(QUESTION_MS, readLine(connection, MAX_WANTED)));
    if (!wanted) return await answer("no such pictures");
    try {
      (await this.#parts.openScreen())[Symbol.dispose]();
    } catch (error) {
      return await answer(errorText(error).replace(/\s+/g, " ").slice(0, 200));
    }
    this.#wanted = { wanted, since: Date.now() };
    await answer("ok");
  }

  async #serve(listener: Deno.UnixListener): Promise<void> {
    for await (const connection of listener) {
      // a new reader is a restarted encoder
      await this.#reader?.stop();
      if (this.#wanted) this.#reader = this.#film(connection, this.#wanted.wanted, this.#wanted.since);
      else connection.close();
      await this.#budget.pay(READER_COST);
    }
  }

  /** Films the display for a reader, until the display or the reader is gone. */
  #film(connection: Deno.Conn, wanted: Wanted, since: number): { stop(): Promise<void> } {
    const over = new AbortController();
    const { display } = this.#parts;
    const end = () => {
      over.abort();
      closeAnyway(connection);
    };
    const ended = (async () => {
      // a reader sends nothing: its end ends this read
      connection.read(new Uint8Array(1)).catch(() => null).then(end);
      using screen = await this.#parts.openScreen();
      screen.ended.then(end);
      // ends all waits for the display's answers
      over.signal.addEventListener("abort", () => screen[Symbol.dispose]());
      log("debug", "a display is filmed", { display, ...wanted.output, fps: wanted.fps });
      const seen = { frames: this.frames, watcher: this.#watcher };
      await streamPictures(screen, this.#parts.pixels, wanted, since, connection, seen, over.signal);
    })().catch((error) => {
      // the reader has gone, or notices the end of the connection
      if (!over.signal.aborted) {
        log("warn", "a display is filmed no more", { display, error: errorText(error) });
      }
    }).finally(() => {
      end();
      this.#reader = null;
      log("debug", "a display's reader has gone", { display });
    });
    return {
      stop() {
        end();
        return ended;
      },
    };
  }
}

/** Removes the socket that a killed capture program has left. */
function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
