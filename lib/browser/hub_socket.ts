/** A browser's hub for its stream's helpers, which are other processes: a WebSocket on a unix socket. */
import { Budget, type BudgetLimits } from "../machine/tools/budget.ts";
import { closeAnyway } from "../machine/tools/close.ts";
import { removeTree } from "../machine/os/files.ts";
import { Browser } from "./client.ts";
import type { Wire } from "./connection.ts";
import type { Membership, Peer } from "./hub.ts";
import { type Message, parseCommand } from "./messages.ts";
import { TextSocket } from "./text_socket.ts";

/** Most connections to one browser; each of its two helpers has one or two. */
const MAX_CONNECTIONS = 16;

/**
 * The bytes that all connections to one browser may cost together, and that each costs when it begins. A helper sends
 * some dozens of commands a second, and each is parsed, checked and written to the browser.
 */
const HELPERS: BudgetLimits = { perSecond: 4 * 1024 * 1024, burst: 1024 * 1024 };
const CONNECTION_COST = 32 * 1024;

/** The command to the web app itself: whether a person is in the stream's browser by VNC. */
const IS_TAKEN_OVER = "Service.isTakenOver";

/** Lets a peer talk to a browser. @throws {Error} when the browser does not run, or does not answer. */
export type Join = (peer: Peer) => Promise<Membership>;

export class HubListener {
  readonly path: string;
  #listener: Deno.UnixListener;
  #join: Join;
  #isTakenOver: () => boolean;
  #open = new Map<Deno.UnixConn, Promise<void>>();
  #over = new AbortController();
  #budget = new Budget(HELPERS, this.#over.signal);
  #accepting: Promise<void>;

  private constructor(path: string, listener: Deno.UnixListener, join: Join, isTakenOver: () => boolean) {
    this.path = path;
    this.#listener = listener;
    this.#join = join;
    this.#isTakenOver = isTakenOver;
    this.#accepting = this.#accept();
  }

  /** @throws {Error} when the socket cannot be made. @param mode the socket's mode; the group is the folder's. */
  static async listen(
    path: string,
    mode: number,
    join: Join,
    isTakenOver: () => boolean = () => false,
  ): Promise<HubListener> {
    await removeTree(path);
    const listener = Deno.listen({ transport: "unix", path });
    try {
      await Deno.chmod(path, mode);
    } catch (error) {
      listener.close();
      throw error;
    }
    return new HubListener(path, listener, join, isTakenOver);
  }

  /** Disconnects all helpers. */
  async stop(): Promise<void> {
    this.#over.abort();
    this.#listener.close();
    await this.#accepting;
    for (const conn of this.#open.keys()) closeAnyway(conn);
    await Promise.all(this.#open.values());
  }

  async #accept(): Promise<void> {
    try {
      for await (const conn of this.#listener) {
        this.#take(conn);
        await this.#budget.pay(CONNECTION_COST); // new clients wait in the kernel meanwhile
      }
    } catch {
      // the listener was closed
    }
  }

  #take(conn: Deno.UnixConn): void {
    if (this.#open.size >= MAX_CONNECTIONS) return conn.close();
    const done = this.#talk(conn).catch(() => {}).finally(() => {
      this.#open.delete(conn);
      closeAnyway(conn);
    });
    this.#open.set(conn, done);
  }

  async #talk(conn: Deno.UnixConn): Promise<void> {
    const { socket, membership } = await TextSocket.accept(conn, this.#budget, async (socket) => {
      const peer = {
        receive: (message: Message) => socket.send(JSON.stringify(message)),
        end: () => void socket.close(),
      };
      return { socket, membership: await this.#join(peer) };
    });
    try {
      for await (const text of socket.messages()) {
        const command = parseCommand(text);
        if (!command) break;
        const { id, method } = command;
        if (method !== IS_TAKEN_OVER) membership.send(command);
        else socket.send(JSON.stringify({ id, result: { isTakenOver: this.#isTakenOver() } }));
      }
    } finally {
      membership.leave();
      await socket.close();
    }
  }
}

/**
 * Whether a person is in the stream's browser by VNC. The web app knows, since it lets all people in. The kernel's
 * tables of sockets are no source: a user who names a socket can write lines into them. Without the web app the
 * answer is no.
 */
export async function isTakenOver(browser: Browser): Promise<boolean> {
  const ask = async () => {
    await using connection = await browser.open();
    return (await connection.send<{ isTakenOver: unknown }>(IS_TAKEN_OVER)).isTakenOver === true;
  };
  return await ask().catch(() => false);
}

/** A browser as its stream's helpers reach it. @param path the path of the hub's socket. */
export function browserAt(path: string): Browser {
  return new Browser(async () => {
    const socket = await TextSocket.connect(path).catch(() => {
      throw new Error("the browser cannot be reached");
    });
    const wire: Wire = {
      onmessage: () => {},
      ended: Promise.resolve().then(async () => {
        for await (const text of socket.messages()) wire.onmessage(JSON.parse(text));
      }).catch(() => {}),
      send: (command) => socket.send(JSON.stringify(command)),
      close: () => void socket.close(),
    };
    return wire;
  });
}
