/** A connection to one browser: commands and their answers, and the pages that are attached. */
import { ANSWER_MS, type Command, type Message } from "./messages.ts";

/** Characters of an error's text: it gets into logs and events. */
const MAX_ERROR = 300;

/** The way of messages to a browser's hub and back: within the web app, or by the hub's socket. */
export interface Wire {
  onmessage: (message: Message) => void;
  /** Resolves when the connection has ended, on either side. */
  readonly ended: Promise<void>;
  send(command: Command): void;
  close(): void;
}

/** Gets the events of a session. */
type Listener = (method: string, params: Record<string, unknown>) => void;

interface Waiting {
  resolve: (result: never) => void;
  reject: (error: Error) => void;
  sessionId: string | undefined;
}

/** The events of one session. */
export interface SessionEvents {
  onevent: Listener;
  onend: () => void;
}

/** `await using` closes the connection and its sessions. */
export class Connection implements AsyncDisposable {
  readonly ended: Promise<void>;
  #wire: Wire;
  #nextId = 1;
  #isOpen = true;
  #waiting = new Map<number, Waiting>();
  #sessions = new Map<string, SessionEvents>();

  constructor(wire: Wire) {
    this.#wire = wire;
    wire.onmessage = (message) => this.#handle(message);
    this.ended = wire.ended.then(() => this.#end());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends one command. @throws {Error} when the browser answers an error, or nothing within 10 s. */
  async send<Result>(
    method: string,
    params: Record<string, unknown> = {},
    sessionId?: string,
  ): Promise<Result> {
    if (!this.#isOpen) throw new Error("the browser closed the connection");
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.set(id, { resolve, reject, sessionId });
    const timer = setTimeout(() => reject(new Error(`${method}: the browser did not answer`)), ANSWER_MS);
    try {
      this.#wire.send({ id, method, params, sessionId });
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  /** Attaches to a page. @throws {Error} when there is no such page, or the browser refuses. */
  async attach(targetId: string, events: SessionEvents): Promise<string> {
    const params = { targetId, flatten: true };
    const { sessionId } = await this.send<{ sessionId: string }>("Target.attachToTarget", params);
    this.#sessions.set(sessionId, events);
    return sessionId;
  }

  close(): void {
    this.#wire.close();
    this.#end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.ended;
  }

  #handle({ id, result, error, method, params = {}, sessionId }: Message): void {
    if (id !== undefined) {
      const waiting = this.#waiting.get(id);
      if (error) waiting?.reject(new Error(String(error.message).slice(0, MAX_ERROR)));
      else waiting?.resolve(result as never);
    } else if (method === "Target.detachedFromTarget" && sessionId === undefined) {
      this.#endSession(String(params.sessionId));
    } else if (method !== undefined && sessionId !== undefined) {
      this.#sessions.get(sessionId)?.onevent(method, params);
    }
  }

  #endSession(session: string): void {
    for (const { sessionId, reject } of this.#waiting.values()) {
      if (sessionId === session) reject(new Error("the browser closed the connection"));
    }
    this.#sessions.get(session)?.onend();
    this.#sessions.delete(session);
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const { reject } of this.#waiting.values()) reject(new Error("the browser closed the connection"));
    for (const { onend } of this.#sessions.values()) onend();
    this.#sessions.clear();
  }
}
