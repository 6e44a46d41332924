/** The web app's end of a stream's push: hands the channel to the program that pushes, and takes its reports. */
import { type PushReport, pushReport } from "../model/answers/push.ts";
import type { Stream } from "../model/schema.ts";
import type { Channel } from "../channel/channel.ts";
import type { Chunk, RelayViewer } from "../channel/relay/relay.ts";
import { WaitingChunks } from "../channel/relay/waiting_chunks.ts";
import { parsePushTarget, pushPlace } from "../machine/net/push_target.ts";
import { isSocket, removeTree } from "../machine/os/files.ts";
import { Budget, type BudgetLimits, MESSAGE_COST, READ_COST } from "../machine/tools/budget.ts";
import { closeAnyway } from "../machine/tools/close.ts";
import { errorText, log } from "../machine/tools/log.ts";
import { writeAll } from "../machine/tools/write_all.ts";
import { dirname } from "node:path";

export interface PushLinkParts {
  /** Where the program connects, in a folder that the stream's programs can enter. */
  path: string;
  channel: { readonly isOnAir: boolean; readonly relay: Pick<Channel["relay"], "add" | "remove" | "isOver"> };
  tell(text: string, level?: "warn"): void;
}

/** Bytes that wait for the program; a program that is further behind goes on at the next key frame. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Bytes of a report at most. */
const MAX_REPORT_BYTES = 2000;
/** The bytes that the program may cost, and that a connection costs when it begins: it reports once a second. */
const PROGRAM: BudgetLimits = { perSecond: 64 * 1024, burst: 256 * 1024 };
const CONNECTION_COST = 32 * 1024;

/** The program that pushes is no viewer. */
const PUSHES = { client: null, agent: null, holds: () => true, connection: null };

export class PushLink {
  #parts: PushLinkParts;
  #listener: Deno.UnixListener | null = null;
  #connection: Connection | null = null;
  #report: PushReport | null = null;
  #budget = new Budget(PROGRAM);
  #isOpening = false;
  /** The target, for people. */
  #place = "";

  constructor(parts: PushLinkParts) {
    this.#parts = parts;
  }

  /** The last report; null while the stream is not pushed. */
  get report(): PushReport | null {
    return this.#report;
  }

  /** Once a second: listens while the running stream is to be pushed. */
  tick({ pushTo }: Pick<Stream, "pushTo">, isRunning: boolean): void {
    const target = isRunning ? parsePushTarget(pushTo) : null;
    if (!target) return this.#close();
    // a stream that was stopped and started has a new folder
    if (this.#listener && !isSocket(this.#parts.path)) this.#close();
    this.#place = pushPlace(target);
    if (!this.#listener && !this.#isOpening) void this.#open();
  }

  stop(): Promise<void> {
    this.#close();
    return Promise.resolve();
  }

  async #open(): Promise<void> {
    const { path } = this.#parts;
    this.#isOpening = true;
    try {
      const folder = await Deno.lstat(dirname(path)).catch(() => null);
      if (!folder) return;
      await removeTree(path);
      const listener = Deno.listen({ transport: "unix", path });
      this.#listener = listener;
      // where each stream has a user, the folder's group is that user's
      await Deno.chmod(path, folder.gid === Deno.gid() ? 0o600 : 0o660);
      void this.#accept(listener);
    } catch (error) {
      log("warn", "a channel cannot be pushed", { path, error: errorText(error) });
      this.#close();
    } finally {
      this.#isOpening = false;
    }
  }

  async #accept(listener: Deno.UnixListener): Promise<void> {
    const { channel } = this.#parts;
    const { relay } = channel;
    try {
      for await (const socket of listener) {
        // there is one program, which may have been restarted
        this.#connection?.end();
        const connection: Connection = new Connection(socket, {
          budget: this.#budget,
          onreport: (report) => this.#take(report),
          onend: () => {
            relay.remove(connection);
            if (this.#connection !== connection) return;
            this.#connection = null;
            if (this.#report?.state === "sending") {
              this.#report = { ...this.#report, state: "connecting", kbps: 0 };
            }
          },
        });
        this.#connection = connection;
        if (channel.isOnAir && !relay.isOver) relay.add(connection, PUSHES);
        else connection.end();
        await this.#budget.pay(CONNECTION_COST); // new connections wait in the kernel meanwhile
      }
    } catch {
      // the listener was closed
    }
  }

  #take(report: PushReport): void {
    const [before, place] = [this.#report, this.#place];
    this.#report = report;
    if (report.state === "sending" && before?.state !== "sending") this.#parts.tell(`Pushed to ${place}.`);
    const isNews = report.state === "waiting" && before?.problem !== report.problem;
    if (isNews) {
      this.#parts.tell(`The push to ${place} failed: ${report.problem}. It is tried again.`, "warn");
    }
    // until the program sends, a failure is the news: each try connects
    if (report.state === "connecting" && before?.state === "waiting") {
      this.#report = { ...report, problem: before.problem };
    }
  }

  #close(): void {
    this.#report = null;
    if (this.#listener) closeAnyway(this.#listener);
    this.#listener = null;
    this.#connection?.end();
    this.#connection = null;
  }
}

interface ConnectionParts {
  /** The program's, over all its connections. */
  budget: Budget;
  onreport(report: PushReport): void;
  onend(): void;
}

/** The program that pushes, as a viewer of the channel. */
class Connection implements RelayViewer {
  /** The program itself handles a slow receiver. */
  readonly idleMs = 0;
  #socket: Deno.UnixConn;
  #parts: ConnectionParts;
  #waiting = new WaitingChunks(MAX_WAITING_BYTES);
  #isOver = false;

  constructor(socket: Deno.UnixConn, parts: ConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    void this.#write();
    void this.#read();
  }

  take(chunk: Chunk): void {
    this.#waiting.add(chunk);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    closeAnyway(this.#socket);
    this.#waiting.end();
    this.#parts.onend();
  }

  giveUp(): void {
    this.end();
  }

  /** The next chunk, as soon as there is one; null after the end. */
  async #next(): Promise<Uint8Array<ArrayBuffer> | null> {
    await this.#waiting.ready();
    return this.#waiting.next();
  }

  async #write(): Promise<void> {
    try {
      for (let bytes = await this.#next(); bytes; bytes = await this.#next()) {
        await writeAll(this.#socket, bytes);
      }
    } catch {
      this.end();
    }
  }

  async #read(): Promise<void> {
    let text = "";
    const decoder = new TextDecoder();
    try {
      const part = new Uint8Array(MAX_REPORT_BYTES);
      for (let size = await this.#socket.read(part); size !== null; size = await this.#socket.read(part)) {
        const lines = (text + decoder.decode(part.subarray(0, size), { stream: true })).split("\n");
        text = lines.pop()!;
        if (text.length > MAX_REPORT_BYTES) break;
        await this.#parts.budget.pay(READ_COST + size + lines.length * MESSAGE_COST);
        if (this.#isOver) break;
        for (const line of lines) this.#parts.onreport(pushReport.parse(JSON.parse(line)));
      }
    } catch {
      // a page that broke out may write anything: the connection ends
    }
    this.end();
  }
}
