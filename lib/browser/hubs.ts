/** The hubs of all browsers, in the web app. A hub is opened when needed, and again after its browser's restart. */
import { dirname, join } from "node:path";
import { browserPipes, hubSocket, type Paths } from "../paths.ts";
import type { StreamId } from "../model/id.ts";
import { readOrNull } from "../machine/os/files.ts";
import { errorText, log } from "../machine/tools/log.ts";
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
  #doors = new Map<StreamId, BrowserDoor>();
  #serving: Promise<void> = Promise.resolve();

  constructor(paths: HubPaths) {
    this.#paths = paths;
  }

  of(id: StreamId): Browser {
    return new Browser(() => this.#door(id).wire());
  }

  serve(ids: readonly StreamId[], viewers: ViewerCount): Promise<void> {
    return this.#serving = this.#serving.then(() => this.#serve(ids, viewers)).catch(() => {});
  }

  async stop(): Promise<void> {
    await this.serve([], () => 0);
  }

  async #serve(ids: readonly StreamId[], viewers: ViewerCount): Promise<void> {
    const wanted = new Set(ids);
    for (const [id, door] of [...this.#doors]) {
      if (wanted.has(id)) continue;
      await door.close();
      if (door.isClosed) this.#doors.delete(id);
    }
    for (const id of ids) await this.#door(id).listen(() => viewers(id) > 0);
  }

  #door(id: StreamId): BrowserDoor {
    const door = this.#doors.get(id) ?? new BrowserDoor(id, this.#paths);
    this.#doors.set(id, door);
    return door;
  }
}

/** The ways to one stream's browser: its hub, and the socket by which helpers reach the hub. */
class BrowserDoor {
  #id: StreamId;
  #paths: HubPaths;
  #socket: string;
  #open: { pipe: BrowserPipe; hub: Promise<Hub> } | null = null;
  #listener: HubListener | null = null;

  constructor(id: StreamId, paths: HubPaths) {
    this.#id = id;
    this.#paths = paths;
    this.#socket = hubSocket(paths, id);
  }

  /** Whether nothing is open. */
  get isClosed(): boolean {
    return this.#open === null && this.#listener === null;
  }

  /** Lets helpers in from now on. @param isTakenOver whether a person is in the browser. */
  async listen(isTakenOver: () => boolean): Promise<void> {
    // a stream that was stopped and started has a new folder
    if (this.#listener && !await isThere(this.#listener.path)) await this.#silence();
    if (this.#listener) return;
    const path = this.#socket;
    const folder = await Deno.lstat(dirname(path)).catch(() => null);
    if (!folder) return;
    // where each stream has a user, the folder's group is that user's group
    const mode = folder.gid === Deno.gid() ? 0o600 : 0o660;
    try {
      this.#listener = await HubListener.listen(path, mode, (peer) => this.#join(peer), isTakenOver);
    } catch (error) {
      log("warn", "helpers cannot reach their browser", { stream: this.#id, error: errorText(error) });
    }
  }

  async close(): Promise<void> {
    await this.#silence();
    await this.#open?.pipe.close();
  }

  /** A way to the hub without leaving this process. */
  async wire(): Promise<Wire> {
    const ended = Promise.withResolvers<void>();
    const peer: Peer = { receive: (message: Message) => wire.onmessage(message), end: ended.resolve };
    const membership = await this.#join(peer);
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

  async #join(peer: Peer): Promise<Membership> {
    return (await this.#hub()).join(peer);
  }

  /** The hub of the browser that runs now. */
  async #hub(): Promise<Hub> {
    if (!this.#open) {
      const pipe = new BrowserPipe(browserPipes(this.#paths, this.#id));
      // the note goes with the stream, in a folder that the stream's user cannot list
      const note = sessionNote(join(dirname(this.#socket), "session"));
      const open = this.#open = { pipe, hub: Hub.open(pipe, note) };
      void pipe.ended.then(() => {
        if (this.#open === open) this.#open = null;
      });
    }
    return await this.#open.hub;
  }

  async #silence(): Promise<void> {
    const listener = this.#listener;
    this.#listener = null;
    await listener?.stop();
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
