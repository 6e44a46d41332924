/** The open VNC bridges: how many people are in which stream's browser. */
import type { StreamId } from "../model/id.ts";
import { clientNetwork } from "../machine/net/client_address.ts";
import type { Bridge, BridgeLimits } from "./bridge.ts";

export interface OpenBridge {
  id: StreamId;
  peer: string;
  /** Whether the viewer would be let in again. */
  holds(): boolean;
  done: Promise<void>;
}

export class OpenBridges {
  #open = new Map<Bridge, OpenBridge>();

  /** How many bridges lead to the stream's display. */
  viewers(id: StreamId): number {
    return [...this.#open.values()].filter((bridge) => bridge.id === id).length;
  }

  /** Whether no more bridge may lead to the stream, or come from the client's network. @param peer the client's address. */
  isFull(id: StreamId, peer: string, { maxOfStream, maxOfPeer, maxInAll }: BridgeLimits): boolean {
    const network = clientNetwork(peer);
    const ofPeer = [...this.#open.values()].filter((bridge) => clientNetwork(bridge.peer) === network).length;
    return this.#open.size >= maxInAll || this.viewers(id) >= maxOfStream || ofPeer >= maxOfPeer;
  }

  add(bridge: Bridge, open: OpenBridge): void {
    this.#open.set(bridge, open);
  }

  remove(bridge: Bridge): void {
    this.#open.delete(bridge);
  }

  /** Ends bridges; resolves when they are closed. @param isMeant says which; all unless given. */
  async close(close: { code: number; reason: string }, isMeant = (_open: OpenBridge) => true): Promise<void> {
    const meant = [...this.#open].filter(([, open]) => isMeant(open));
    for (const [bridge] of meant) bridge.stop(close);
    await Promise.all(meant.map(([, { done }]) => done));
  }
}
