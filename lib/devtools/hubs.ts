/** The hubs of all browsers, in the web app. A hub is opened when needed, and again after its browser's restart. */
import { dirname, join } from "node:path";
import { browserPipes, hubSocket, type Paths } from "../paths.ts";
import type { StreamId } from "../model/id.ts";
import { readOrNull } from "../os/files.ts";
import { errorText, log } from "../system/log.ts";
import { Browser, type BrowserControl } from "./client.ts";
import type { Wire } from "./connection.ts";
import { Hub, type Membership, type Peer, type SessionNote } from "./hub.ts";
import { HubListener } from "./hub_socket.ts";
import type { Message } from "./messages.ts";
import { BrowserPipe } from "./pipe.ts";

/** The browsers of the streams. */
export interface Browsers {
  of(id: StreamId): BrowserControl;
  /**
   * Lets the helpers of these streams, and of no others, talk to their browsers.
   * @param viewers the number of people in a stream's browser by VNC.
   */
  serve(ids: readonly StreamId[], viewers: ViewerCount): Promise<void>;
  stop(): Promise<void>;
}

type ViewerCount = (id: StreamId) => number;

type HubPaths = Pick<Paths, "pipesDir" | "hubsDir">;

export class Hubs implements Browsers {
  #paths: HubPaths;
  #hubs = new Map<StreamId, { pipe: BrowserPipe; hub: Promise<Hub> }>();
  #listeners = new Map<StreamId, HubListener>();
  #serving: Promise<void> = Promise.resolve();

  constructor(paths: HubPaths) {
    this.#paths = paths;
  }

  of(id: StreamId): Browser {
    return new Browser(() => this.#wire(id));
  }

  serve(ids: readonly StreamId[], viewers: ViewerCount): Promise<void> {
    return this.#serving = this.#serving.then(() => this.#serve(ids, viewers)).catch(() => {});
  }

  async stop(): Promise<void> {
    await this.serve([], () => 0);
  }

  async #serve(ids: readonly StreamId[], viewers: ViewerCount): Promise<void> {
    const wanted = new Set(ids);
    for (const id of this.#listeners.keys()) {
      // a stream that was stopped and started has a new folder
      const isGone = !wanted.has(id) || !await isThere(this.#listeners.get(id)!.path);
      if (isGone) await this.#silence(id);
    }
    for (const [id, { pipe }] of [...this.#hubs]) {
      if (!wanted.has(id)) await pipe.close();
    }
    for (const id of ids) {
      if (!this.#listeners.has(id)) await this.#listen(id, () => viewers(id) > 0);
    }
  }

  async #listen(id: StreamId, isTakenOver: () => boolean): Promise<void> {
    const path = hubSocket(this.#paths, id);
    const folder = await Deno.lstat(dirname(path)).catch(() => null);
    if (!folder) return;
    // where each stream has a user, the folder's group is that user's group
    const mode = folder.gid === Deno.gid() ? 0o600 : 0o660;
    try {
      const join = (peer: Peer) => this.#join(id, peer);
      this.#listeners.set(id, await HubListener.listen(path, mode, join, isTakenOver));
    } catch (error) {
      log("warn", "helpers cannot reach their browser", { stream: id, error: errorText(error) });
    }
  }

  async #silence(id: StreamId): Promise<void> {
    const listener = this.#listeners.get(id);
    this.#listeners.delete(id);
    await listener?.stop();
  }

  async #join(id: StreamId, peer: Peer): Promise<Membership> {
    return (await this.#hub(id)).join(peer);
  }

  /** The hub of the browser that runs now. */
  async #hub(id: StreamId): Promise<Hub> {
    let entry = this.#hubs.get(id);
    if (!entry) {
      const pipe = new BrowserPipe(browserPipes(this.#paths, id));
      entry = { pipe, hub: Hub.open(pipe, sessionNote(this.#noteFile(id))) };
      this.#hubs.set(id, entry);
      void pipe.ended.then(() => this.#hubs.delete(id));
    }
    return await entry.hub;
  }

  /** The note's file, in a folder that goes with the stream and that the stream's user cannot list. */
  #noteFile(id: StreamId): string {
    return join(dirname(hubSocket(this.#paths, id)), "session");
  }

  /** A way to the hub without leaving this process. */
  async #wire(id: StreamId): Promise<Wire> {
    const ended = Promise.withResolvers<void>();
    const peer: Peer = { receive: (message: Message) => wire.onmessage(message), end: ended.resolve };
    const membership = await this.#join(id, peer);
    const wire: Wire = {
      onmessage: () => {},
      ended: ended.promise,
      send: (command) => membership.send(command),
      close: () => {
        membership.leave();
        ended.resolve();
      },
    };
    return wire;
  }
}

/** The note in a file. */
export function sessionNote(path: string): SessionNote {
  return {
    read: () => readOrNull(path),
    write: (session) => Deno.writeTextFile(path, session, { mode: 0o600 }),
  };
}

function isThere(path: string): Promise<boolean> {
  return Deno.lstat(path).then(() => true, () => false);
}
