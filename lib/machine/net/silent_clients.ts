/**
 * The clients of the front door that read nothing of what their machine has received: of a still channel the
 * kernels' buffers take minutes, and of the feed hours. A client that reads keeps room for more (RFC 9293, section 3.8.6);
 * the room of a client that does not read shrinks. The kernel ends connections with a shut window, or to a machine that does
 * not answer (templates/supervisor_sockets.py).
 */
import { isIPv4 } from "node:net";
import { ipv6Groups } from "./networks.ts";
import type { ReceiveWindow } from "../os/receive_windows.ts";
import { errorText, log } from "../tools/log.ts";
import type { Part } from "../tools/part.ts";
import { Loop } from "../tools/time.ts";

/** Milliseconds after which a client that takes nothing is let go. */
export const MOST_SILENT_MS = 10_000;

/** Milliseconds between two looks, while there is a client to look at. */
const LOOK_MS = 2000;
/** Bytes that have to arrive for a verdict: kernels report windows in steps, of 1 KiB for large ones. */
const LEAST_BYTES = 8000;
/** So many looks in a row that fail: this kernel does not say it. One alone may be for want of a descriptor. */
const MOST_FAILURES = 5;
/** A client that nobody has asked about for so long has ended. */
const FORGET_MS = 10_000;

interface Client {
  askedAt: number;
  /** The look before it had no room for what had arrived, ms of the steady clock; null: it has. */
  silentSince: number | null;
  /** Whether enough has arrived since to be sure. */
  isSilent: boolean;
  /** The bytes that had arrived at an earlier look, and the last that it had room for. */
  then: { acknowledged: number; edge: number } | null;
}

export class SilentClients implements Part {
  #look: () => ReceiveWindow[];
  #elapsed: () => number;
  #clients = new Map<string, Client>();
  #loop = new Loop("the clients' windows could not be read");
  #failures = 0;

  /** @param look the connections of the front door's port. @param elapsed ms of a steady clock. */
  constructor(look: () => ReceiveWindow[], elapsed: () => number) {
    this.#look = look;
    this.#elapsed = elapsed;
  }

  start(): void {
    this.#loop.start(LOOK_MS, () => Promise.resolve(this.round()));
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /**
   * Milliseconds for which a client has read nothing that arrived at its machine; 0: it reads, or that is not known. Each
   * client that is asked about is watched from then on. @param connection its other end, or the proxy's next to us.
   */
  readonly idleMs = (connection: Deno.Addr | null): number => {
    const key = connection && keyOf(connection);
    if (!key || this.#isBlind) return 0;
    const now = this.#elapsed();
    const client = this.#clients.get(key) ?? { askedAt: now, silentSince: null, isSilent: false, then: null };
    client.askedAt = now;
    this.#clients.set(key, client);
    return client.isSilent ? now - client.silentSince! : 0;
  };

  get #isBlind(): boolean {
    return this.#failures >= MOST_FAILURES;
  }

  /** Looks at the watched clients. */
  round(): void {
    const now = this.#elapsed();
    for (const [key, { askedAt }] of this.#clients) if (now - askedAt > FORGET_MS) this.#clients.delete(key);
    if (this.#clients.size === 0 || this.#isBlind) return;
    try {
      for (const one of this.#look()) {
        const client = this.#clients.get(`${one.address} ${one.port}`);
        if (client) judge(client, one, now);
      }
      this.#failures = 0;
    } catch (error) {
      if (++this.#failures < MOST_FAILURES) return;
      log("info", "silent clients are found late on this machine", { error: errorText(error) });
    }
  }
}

function judge(client: Client, { acknowledged, window }: ReceiveWindow, now: number): void {
  const edge = acknowledged + window;
  client.then ??= { acknowledged, edge };
  const arrived = acknowledged - client.then.acknowledged;
  // that nothing arrives does not tell that a silent one reads
  const least = client.isSilent ? Math.max(arrived, LEAST_BYTES) : arrived;
  if ((edge - client.then.edge) * 2 >= least) {
    client.silentSince = null;
    client.isSilent = false;
  } else {
    // no longer: what held the bytes back may have been the network, or we
    client.silentSince ??= now - LOOK_MS;
    client.isSilent ||= arrived >= LEAST_BYTES;
  }
  if (arrived >= LEAST_BYTES) client.then = { acknowledged, edge };
}

/** Null: it is no connection by TCP. */
function keyOf(connection: Deno.Addr): string | null {
  if (!("hostname" in connection)) return null;
  const { hostname, port } = connection;
  const isFour = isIPv4(hostname);
  if (!isFour && !hostname.includes(":")) return null;
  const numbers = isFour ? hostname.split(".").map(Number) : ipv6Groups(hostname);
  return `${numbers.map((number) => number.toString(16).padStart(isFour ? 2 : 4, "0")).join("")} ${port}`;
}
