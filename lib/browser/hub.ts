/**
 * Shares one browser's pipe among all peers, for one life of that browser. Each peer has its own ids and sessions; the
 * hub closes the sessions that a leaving peer has left open.
 */
import { Budget, type BudgetLimits } from "../machine/tools/budget.ts";
import { withTimeout } from "../machine/tools/time.ts";
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

/** Of one peer: commands that wait for their answer, and sessions. */
const MAX_COMMANDS = 200;
const MAX_SESSIONS = 100;

/** Chromium's have 32 hexadecimal digits. */
const SESSION_ID = /^[\w-]{1,64}$/;

const ATTACH = "Target.attachToTarget";
const DETACH = "Target.detachFromTarget";

/**
 * Sessions without an owner, which the hub remembers so that it closes each once; and how many it closes: a hostile program
 * in the browser's place may make up any number.
 */
const MAX_STRAYS = 1000;
const STRAYS: BudgetLimits = { perSecond: 20, burst: 200 };

/** The place where a hub notes its own session, to which its other sessions belong. */
export interface SessionNote {
  read(): Promise<string | null>;
  write(session: string): Promise<void>;
}

/** A command that waits for its answer: only the parts that the answer needs, since the rest may be long. */
interface Waiting {
  /** The peer's. */
  id: number;
  sessionId: string | undefined;
  isAttach: boolean;
}

/** A peer, with its open commands and sessions. */
interface Member {
  peer: Peer;
  /** By the hub's ids. */
  commands: Map<number, Waiting>;
  sessions: Set<string>;
}

function newMember(peer: Peer): Member {
  return { peer, commands: new Map(), sessions: new Set() };
}

export class Hub {
  /** Resolves when the browser, or the way to it, has ended. */
  readonly ended: Promise<void>;
  #pipe: Pipe;
  /** The hub's session with the browser itself; its end ends all sessions that it opened. */
  #own = "";
  #members = new Set<Member>();
  /** Whose the sessions are, and the commands that wait for their answer, by the hub's ids. */
  #sessions = new Map<string, Member>();
  #commands = new Map<number, Member>();
  /** How many of the commands attach to a target. */
  #attaching = 0;
  #strays = new Set<string>();
  #strayBudget = new Budget(STRAYS);
  /** Begins at a random number, so that no answer to an earlier hub fits this hub. */
  #nextId = 1 + crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000_000;

  private constructor(pipe: Pipe) {
    this.#pipe = pipe;
    pipe.onmessage = (message) => this.#handle(message);
    this.ended = pipe.ended.then(() => {
      for (const { peer } of this.#members) peer.end();
      this.#members.clear();
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
    if (earlier !== null) await this.#ask(DETACH, { sessionId: earlier }).catch(() => {});
    const { sessionId } = await this.#ask("Target.attachToBrowserTarget", {});
    if (!isSession(sessionId)) throw new Error("the browser opened no session");
    await note.write(sessionId);
    this.#own = sessionId;
  }

  /** Lets a peer talk to the browser until the peer leaves, or the browser ends. */
  join(peer: Peer): Membership {
    const member = newMember(peer);
    this.#members.add(member);
    return {
      send: (command) => {
        try {
          this.#send(member, command);
        } catch (error) {
          const { id, sessionId } = command;
          peer.receive({ id, sessionId, error: { message: (error as Error).message } });
        }
      },
      leave: () => this.#leave(member),
    };
  }

  async close(): Promise<void> {
    await this.#pipe.close();
    await this.ended;
  }

  #send(member: Member, command: Command): void {
    if (!this.#members.has(member)) throw new Error("the browser has ended");
    const outgoing = this.#allowed(member, command);
    if (member.commands.size >= MAX_COMMANDS) throw new Error("too many commands wait for their answer");
    this.#pass(outgoing, member, command);
  }

  /** Sends a command whose answer is waited for. @throws {Error} when the browser has ended, or does not read. */
  #pass(outgoing: Omit<Command, "id">, member: Member, { id, method, sessionId }: Command): void {
    const own = this.#nextId++;
    const isAttach = method === ATTACH;
    member.commands.set(own, { id, sessionId, isAttach });
    this.#commands.set(own, member);
    if (isAttach) this.#attaching++;
    try {
      this.#pipe.send(JSON.stringify({ id: own, ...outgoing }));
    } catch (error) {
      this.#taken(own);
      throw error;
    }
  }

  /** Takes a command out of the waiting commands. @param own the hub's id. @returns null: none has this id. */
  #taken(own: number) {
    const member = this.#commands.get(own);
    const command = member?.commands.get(own);
    if (!member || !command) return null;
    this.#commands.delete(own);
    member.commands.delete(own);
    if (command.isAttach) this.#attaching--;
    return { member, command };
  }

  /** The command as the browser gets it. @throws {Error} when this peer may not give the command. */
  #allowed(member: Member, { method, params = {}, sessionId }: Command): Omit<Command, "id"> {
    if (sessionId !== undefined) {
      if (!member.sessions.has(sessionId)) throw new Error("Session with given id not found.");
      return { method, params, sessionId };
    }
    if (!OF_BROWSER.has(method)) throw new Error(`${method} is not allowed here`);
    const toBrowser = { method, params, sessionId: this.#own };
    if (method === ATTACH) toBrowser.params = { ...params, flatten: true };
    if (method === DETACH && !member.sessions.has(String(params.sessionId))) {
      throw new Error("Session with given id not found.");
    }
    return toBrowser;
  }

  #leave(member: Member): void {
    this.#members.delete(member);
    for (const own of member.commands.keys()) this.#taken(own);
    for (const session of member.sessions) {
      this.#sessions.delete(session);
      this.#detach(session, this.#own);
    }
    member.sessions.clear();
  }

  /** Closes a session, without a wait for the answer. @param parent the session's parent; undefined: the browser itself. */
  #detach(session: string, parent?: string): void {
    const command = { id: this.#nextId++, method: DETACH, params: { sessionId: session }, sessionId: parent };
    try {
      this.#pipe.send(JSON.stringify(command));
    } catch {
      // the browser has ended, or does not read
    }
  }

  /** Closes a session that speaks and has no owner, once. */
  #detachStray(session: unknown): void {
    if (!isSession(session) || this.#strays.has(session) || !this.#strayBudget.take(1)) return;
    if (this.#strays.size >= MAX_STRAYS) this.#strays.clear();
    this.#strays.add(session);
    this.#detach(session);
  }

  /** Closes the session that an answer names when its peer has left meanwhile. */
  #detachLate(session: unknown): void {
    if (!isSession(session) || this.#sessions.has(session) || !this.#strayBudget.take(1)) return;
    this.#detach(session, this.#own);
  }

  /** Sends a command of the hub itself. */
  async #ask(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    const answer = Promise.withResolvers<Record<string, unknown>>();
    const peer: Peer = {
      receive: ({ result, error }) =>
        error ? answer.reject(new Error(error.message)) : answer.resolve(result ?? {}),
      end: () => {},
    };
    this.#pass({ method, params }, newMember(peer), { id: 0, method });
    return await answer.promise;
  }

  #handle(message: Message): void {
    if (typeof message.id === "number") return this.#answer(message.id, message);
    if (typeof message.method !== "string") return;
    const { sessionId, params } = message;
    if (sessionId === undefined || sessionId === this.#own) return this.#handleOfBrowser(message);
    const owner = this.#sessions.get(sessionId);
    if (owner) return owner.peer.receive({ method: message.method, params, sessionId });
    // a session's first events may come before the answer that names the session
    if (this.#attaching === 0) this.#detachStray(sessionId);
  }

  #handleOfBrowser({ method, params }: Message): void {
    if (method !== "Target.detachedFromTarget") return;
    const session = params?.sessionId;
    if (!isSession(session)) return;
    if (session === this.#own) return void this.#pipe.close();
    const owner = this.#sessions.get(session);
    if (!owner) return;
    this.#sessions.delete(session);
    owner.sessions.delete(session);
    // the browser no longer answers this session's commands
    for (const [own, { sessionId }] of owner.commands) {
      if (sessionId === session) this.#taken(own);
    }
    owner.peer.receive({ method, params });
  }

  #answer(own: number, { result, error }: Message): void {
    const taken = this.#taken(own);
    if (!taken) return this.#detachLate(result?.sessionId);
    const { member, command: { id, sessionId, isAttach } } = taken;
    if (isAttach && !error) {
      const problem = this.#attached(member, result?.sessionId);
      if (problem !== null) error = { message: problem };
    }
    member.peer.receive({ id, sessionId, ...(error ? { error } : { result }) });
  }

  /** Notes whose a new session is. @returns the reason why it is nobody's; null: it is the peer's. */
  #attached(member: Member, session: unknown): string | null {
    const isNew = isSession(session) && session !== this.#own && !this.#sessions.has(session);
    if (!isNew) return "the browser opened no session";
    if (member.sessions.size >= MAX_SESSIONS) {
      this.#detach(session, this.#own);
      return "too many sessions are open";
    }
    this.#sessions.set(session, member);
    member.sessions.add(session);
    return null;
  }
}

function isSession(value: unknown): value is string {
  return typeof value === "string" && SESSION_ID.test(value);
}
