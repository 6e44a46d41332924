/**
 * The UDP port at which a push waits for its receiver's call, held from the push's start to its end: ffmpeg listens for
 * one receiver alone, and while it starts again any user of the machine could take the port and send a picture of its
 * own. So ffmpeg listens at an inner port of loopback, and gets the datagrams of the held port alone.
 */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { isUdpBoundAs } from "../../../../machine/os/ports.ts";

/** A caller that is silent for so long has gone, in ms: SRT says something each second. */
const GONE_MS = 5000;
/** Milliseconds between two looks at the inner port's owner, and for which a look counts. */
const [LOOK_MS, OLD_MS] = [100, 300];

const INNER_HOST = "127.0.0.1";

/** The inner port of the stream on a display: below the kernel's own choices, and no other stream's of this machine. */
export function innerPort(display: number): number {
  return 31_000 + display % 1000;
}

interface Caller {
  address: string;
  port: number;
  heardAt: number;
}

export class HeldPort {
  #socket: Socket | null = null;
  /** What stands before an address of IPv4: a socket of IPv6 takes both. */
  #prefix = "";
  #caller: Caller | null = null;
  #lookedAt = -Infinity;
  #isOurs = false;
  #looking: Promise<void> | null = null;

  /** @param uid whose socket ffmpeg's is. @param elapsed milliseconds of a steady clock. */
  constructor(
    readonly port: number,
    readonly inner: number,
    readonly uid: number,
    readonly elapsed: () => number = () => performance.now(),
  ) {}

  /** Hands nothing on until the inner port's owner was seen anew: ffmpeg has ended, or is about to begin. */
  rest(): void {
    // a caller of before is none of the next program's
    this.#caller = null;
    this.#lookedAt = -Infinity;
  }

  /** Takes the port in both families, or keeps it. @throws {Error} while it is another program's. */
  async hold(): Promise<void> {
    this.rest();
    if (this.#socket) return;
    try {
      this.#socket = await this.#bind("udp6", "::");
      this.#prefix = "::ffff:";
    } catch (error) {
      if (/EADDRINUSE|in use/.test(String(error))) throw new Error("the port is another program's");
      // a machine without IPv6
      this.#socket = await this.#bind("udp4", "0.0.0.0").catch(() => {
        throw new Error("the port is another program's");
      });
      this.#prefix = "";
    }
  }

  close(): void {
    this.#socket?.close();
    this.#socket = null;
  }

  #bind(type: "udp4" | "udp6", address: string): Promise<Socket> {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    // not to be shared: another socket on the same port would get a part of the datagrams
    const socket = createSocket({ type, reuseAddr: false });
    socket.on("error", reject);
    socket.on("message", (datagram: Uint8Array, from: RemoteInfo) => this.#pass(socket, datagram, from));
    socket.bind(this.port, address, () => resolve(socket));
    return promise;
  }

  #pass(socket: Socket, datagram: Uint8Array, { address, port }: RemoteInfo): void {
    const inside = this.#prefix + INNER_HOST;
    const now = this.elapsed();
    if (now - this.#lookedAt > LOOK_MS) this.#look(now);
    // the last look at the inner port's owner is too old: the caller's next datagram comes soon
    if (!this.#isOurs || now - this.#lookedAt > OLD_MS) return;
    if (address === inside && port === this.inner) {
      const caller = this.#caller;
      if (caller) socket.send(datagram, caller.port, caller.address, () => {});
      return;
    }
    const isCaller = this.#caller?.address === address && this.#caller.port === port;
    if (!isCaller && this.#caller && now - this.#caller.heardAt < GONE_MS) return;
    this.#caller = { address, port, heardAt: now };
    socket.send(datagram, this.inner, inside, () => {});
  }

  #look(now: number): void {
    this.#looking ??= isUdpBoundAs(this.uid, this.inner).then((is) => {
      this.#isOurs = is;
      this.#lookedAt = now;
      this.#looking = null;
    });
  }
}
