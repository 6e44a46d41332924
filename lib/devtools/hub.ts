/**
 * Shares one browser's pipe among all peers, for one life of that browser. Each peer has its own ids and sessions; the
 * hub closes the sessions that a leaving peer has left open.
 */
import { withTimeout } from "../system/time.ts";
import { ANSWER_MS, type Command, type Message } from "./messages.ts";
import type { Pipe } from "./pipe.ts";

/** A client that talks to a browser by way of the hub. */
export interface Peer {
  receive(message: Message): void;
  /** The browser, or the way to it, has ended. */
  end(): void;
}

export interface Membership {
  /** Never throws: the peer gets an error as its answer. */
  send(command: Command): void;
  /** Closes the sessions of this peer. */
  leave(): void;
}

/** The commands that peers may give to the browser itself; a session's owner may give any to its page. */
const OF_BROWSER = new Set([
  "Browser.getVersion",
  "Target.activateTarget",
  "Target.attachToTarget",
  "Target.closeTarget",
  "Target.createTarget",
  "Target.detachFromTarget",
  "Target.getTargets",
]);

/** Commands of one peer that wait for their answer. */
const MAX_COMMANDS = 200;

/** Sessions without an owner, which the hub remembers so that it closes each once. */
const MAX_STRAYS = 1000;

/** The place where a hub notes its own session, to which its other sessions belong. */
export interface SessionNote {
  read(): Promise<string | null>;
  write(session: string): Promise<void>;
}

interface Waiting {
  /** Null: the peer has left. */
  peer: Peer | null;
  command: Command;
}

export class Hub {
  /** Resolves when the browser, or the way to it, has ended. */
  readonly ended: Promise<void>;
  #pipe: Pipe;
  /** The hub's session with the browser itself; its end ends all sessions that it opened. */
  #own = "";
  #peers = new Set<Peer>();
  #sessions = new Map<string, Peer>();
  #waiting = new Map<number, Waiting>();
  #strays = new Set<string>();
  /** Begins at a random number, so that no answer to an earlier hub fits this hub. */
  #nextId = 1 + crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000_000;

  private constructor(pipe: Pipe) {
    this.#pipe = pipe;
    pipe.onmessage = (message) => this.#handle(message);
    this.ended = pipe.ended.then(() => {
      for (const peer of this.#peers) peer.end();
      this.#peers.clear();
    });
  }

  /**
   * Begins to share a pipe, and closes the pipe when that fails. The hub first closes the sessions that an earlier hub
   * left open: a page would wait for a session that holds its requests back.
   * @throws {Error} when the browser does not answer.
   */
  static async open(pipe: Pipe, note: SessionNote): Promise<Hub> {
    const hub = new Hub(pipe);
    try {
      const gone = pipe.ended.then(() => {
        throw new Error("the browser has ended");
      });
      await withTimeout(ANSWER_MS, Promise.race([hub.#begin(note), gone]), "the browser did not answer");
      return hub;
    } catch (error) {
      await pipe.close();
      throw error;
    }
  }

  async #begin(note: SessionNote): Promise<void> {
    const earlier = await note.read();
    if (earlier !== null) await this.#ask("Target.detachFromTarget", { sessionId: earlier }).catch(() => {});
    const { sessionId } = await this.#ask("Target.attachToBrowserTarget", {});
    if (typeof sessionId !== "string") throw new Error("the browser opened no session");
    await note.write(sessionId);
    this.#own = sessionId;
  }

  /** Lets a peer talk to the browser until the peer leaves, or the browser ends. */
  join(peer: Peer): Membership {
    this.#peers.add(peer);
    return {
      send: (command) => {
        try {
          this.#send(peer, command);
        } catch (error) {
          const { id, sessionId } = command;
          peer.receive({ id, sessionId, error: { message: (error as Error).message } });
        }
      },
      leave: () => this.#leave(peer),
    };
  }

  async close(): Promise<void> {
    await this.#pipe.close();
    await this.ended;
  }

  #send(peer: Peer, command: Command): void {
    if (!this.#peers.has(peer)) throw new Error("the browser has ended");
    const outgoing = this.#allowed(peer, command);
    const count = [...this.#waiting.values()].reduce(
      (sum, waiting) => sum + Number(waiting.peer === peer),
      0,
    );
    if (count >= MAX_COMMANDS) throw new Error("too many commands wait for their answer");
    this.#pass(outgoing, { peer, command });
  }

  /** @throws {Error} when the browser has ended, or does not read. */
  #pass(outgoing: Omit<Command, "id">, waiting: Waiting): void {
    const id = this.#nextId++;
    this.#waiting.set(id, waiting);
    try {
      this.#pipe.send(JSON.stringify({ id, ...outgoing }));
    } catch (error) {
      this.#waiting.delete(id);
      throw error;
    }
  }

  /** The command as the browser gets it. @throws {Error} when this peer may not give the command. */
  #allowed(peer: Peer, { method, params = {}, sessionId }: Command): Omit<Command, "id"> {
    if (sessionId !== undefined) {
      if (this.#sessions.get(sessionId) !== peer) throw new Error("Session with given id not found.");
      return { method, params, sessionId };
    }
    if (!OF_BROWSER.has(method)) throw new Error(`${method} is not for everybody`);
    const toBrowser = { method, params, sessionId: this.#own };
    if (method === "Target.attachToTarget") toBrowser.params = { ...params, flatten: true };
    if (method === "Target.detachFromTarget" && this.#sessions.get(String(params.sessionId)) !== peer) {
      throw new Error("Session with given id not found.");
    }
    return toBrowser;
  }

  #leave(peer: Peer): void {
    this.#peers.delete(peer);
    for (const [id, waiting] of this.#waiting) {
      if (waiting.peer !== peer) continue;
      // the answer names a session that has to be closed
      if (waiting.command.method === "Target.attachToTarget") waiting.peer = null;
      else this.#waiting.delete(id);
    }
    for (const [sessionId, owner] of this.#sessions) {
      if (owner !== peer) continue;
      this.#sessions.delete(sessionId);
      this.#detach(sessionId, this.#own);
    }
  }

  /** @param parent the session's parent; undefined: the browser itself. */
  #detach(session: string, parent?: string): void {
    this.#ask("Target.detachFromTarget", { sessionId: session }, parent).catch(() => {});
  }

  /** Sends a command of the hub itself. */
  async #ask(
    method: string,
    params: Record<string, unknown>,
    sessionId?: string,
  ): Promise<Record<string, unknown>> {
    const answer = Promise.withResolvers<Record<string, unknown>>();
    const peer: Peer = {
      receive: ({ result, error }) =>
        error ? answer.reject(new Error(error.message)) : answer.resolve(result ?? {}),
      end: () => {},
    };
    this.#pass({ method, params, sessionId }, { peer, command: { id: 0, method, params } });
    return await answer.promise;
  }

  #handle(message: Message): void {
    if (typeof message.id === "number") return this.#answer(message.id, message);
    if (typeof message.method !== "string") return;
    const { sessionId, params } = message;
    if (sessionId === undefined || sessionId === this.#own) return this.#handleOfBrowser(message);
    const owner = this.#sessions.get(sessionId);
    if (owner) return owner.receive({ method: message.method, params, sessionId });
    // a session's first events may come before the answer that names the session
    if ([...this.#waiting.values()].some(({ command }) => command.method === "Target.attachToTarget")) return;
    if (this.#strays.has(sessionId)) return;
    if (this.#strays.size >= MAX_STRAYS) this.#strays.clear();
    this.#strays.add(sessionId);
    this.#detach(sessionId);
  }

  #handleOfBrowser({ method, params }: Message): void {
    if (method !== "Target.detachedFromTarget") return;
    const session = String(params?.sessionId);
    if (session === this.#own) return void this.#pipe.close();
    const owner = this.#sessions.get(session);
    this.#sessions.delete(session);
    // the browser no longer answers this session's commands
    for (const [id, { command }] of this.#waiting) {
      if (command.sessionId === session) this.#waiting.delete(id);
    }
    owner?.receive({ method, params });
  }

  #answer(id: number, { result, error }: Message): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    const { peer, command } = waiting;
    if (command.method === "Target.attachToTarget" && typeof result?.sessionId === "string") {
      if (!peer) return this.#detach(result.sessionId, this.#own);
      this.#sessions.set(result.sessionId, peer);
    }
    peer?.receive({ id: command.id, sessionId: command.sessionId, ...(error ? { error } : { result }) });
  }
}
