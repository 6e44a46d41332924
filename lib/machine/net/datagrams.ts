/** Datagrams of the local networks, and the answers to them. */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { isIPv4 } from "node:net";
import { Buffer } from "node:buffer";
import { Budget } from "../tools/budget.ts";
import { errorText, log } from "../tools/log.ts";
import { Loop } from "../tools/time.ts";

/** A port where datagrams come in. */
export interface DatagramPort {
  port: number;
  /** The multicast group that clients send to; null: they broadcast. */
  group: string | null;
}

/**
 * The answers to a datagram. @param towards this machine's address in the sender's network.
 */
export type DatagramAnswers = (datagram: Uint8Array, towards: string) => readonly Uint8Array[];

/** An address of this machine. */
interface OwnAddress {
  address: string;
  netmask: string;
}

/** Milliseconds between two looks for networks that are new, and the next try where a port is another program's. */
const ROUND_MS = 60_000;
/** A datagram with more bytes is no request of ours. */
const MAX_BYTES = 1500;
/** Datagrams that are looked at: each look asks the kernel for our addresses, and a search sends a handful. */
const LOOKS = { perSecond: 200, burst: 200 };

/** The addresses of the networks that this machine is in, without its own alone. */
function ownAddresses(): OwnAddress[] {
  return Deno.networkInterfaces().filter(({ family, address }) =>
    family === "IPv4" && !address.startsWith("127.")
  );
}

/** The machine's address in the network of another address; null: it is in none of its networks. Pure. */
export function addressTowards(from: string, own: readonly OwnAddress[]): string | null {
  const client = bitsOf(from);
  if (client === null) return null;
  const found = own.find(({ address, netmask }) => {
    const [ours, mask] = [bitsOf(address), bitsOf(netmask)];
    return ours !== null && mask !== null && ((ours ^ client) & mask) === 0;
  });
  return found?.address ?? null;
}

function bitsOf(address: string): number | null {
  return isIPv4(address) ? Buffer.from(address.split(".").map(Number)).readInt32BE() : null;
}

/** Answers datagrams of the local networks until `stop`. Others get no answer: their sender may be forged. */
export class Datagrams {
  #at: DatagramPort;
  #answers: DatagramAnswers;
  #own: () => OwnAddress[];
  #socket: Socket | null = null;
  #joined = new Set<string>();
  #looks = new Budget(LOOKS);
  #loop = new Loop("datagrams not listened for");

  /** @param own the machine's addresses; a test has others. */
  constructor(at: DatagramPort, answers: DatagramAnswers, own: () => OwnAddress[] = ownAddresses) {
    this.#at = at;
    this.#answers = answers;
    this.#own = own;
  }

  start(): void {
    this.#loop.start(ROUND_MS, () => this.#open());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    this.#close();
  }

  #open(): void {
    if (this.#socket) return this.#join(this.#socket);
    const { port } = this.#at;
    const socket = createSocket({ type: "udp4", reuseAddr: true });
    this.#socket = socket;
    socket.on("error", (error: Error) => {
      log("debug", "datagrams not listened for", { port, error: errorText(error) });
      if (this.#socket === socket) this.#close();
    });
    socket.on("message", (datagram: Uint8Array, from: RemoteInfo) => this.#answer(socket, datagram, from));
    socket.bind(port, "0.0.0.0", () => this.#socket === socket && this.#join(socket));
  }

  /** Joins the group in each network that is new. */
  #join(socket: Socket): void {
    const { group, port } = this.#at;
    if (group === null) return;
    for (const { address } of this.#own()) {
      if (this.#joined.has(address)) continue;
      try {
        socket.addMembership(group, address);
        this.#joined.add(address);
      } catch (error) {
        log("debug", "multicast group not joined", { port, address, error: errorText(error) });
      }
    }
  }

  #answer(socket: Socket, datagram: Uint8Array, { address, port }: RemoteInfo): void {
    if (!this.#looks.take(1)) return;
    const towards = datagram.length > MAX_BYTES ? null : addressTowards(address, this.#own());
    if (towards === null) return;
    for (const answer of this.#answers(datagram, towards)) socket.send(answer, port, address, () => {});
  }

  #close(): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#joined.clear();
    try {
      socket?.close();
    } catch {
      // a socket that was never bound has nothing to close
    }
  }
}
