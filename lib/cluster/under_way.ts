/**
 * Counts each client's requests under way to other nodes. An other node counts all connections of this node as one client's,
 * so no client of this node may have all of them.
 */
import { clientNetwork } from "../machine/net/client_address.ts";

export class UnderWay {
  #most: number;
  #counts = new Map<string, number>();

  /** @param connections that a node lets one address have: a client gets half of them, rounded up. */
  constructor(connections: number) {
    this.#most = Math.ceil(connections / 2);
  }

  /** Counts one more request. @returns a function to call at its end, once or more often; null: the client has too many. */
  begin(client: string): (() => void) | null {
    const key = clientNetwork(client);
    const count = this.#counts.get(key) ?? 0;
    if (count >= this.#most) return null;
    this.#counts.set(key, count + 1);
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      const left = this.#counts.get(key)! - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    };
  }
}
