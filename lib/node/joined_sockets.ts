/** Viewers' WebSockets for channels that other nodes have: each is joined with one to that node. */
import { upgraded } from "../http/upgrade.ts";
import type { Part } from "../system/part.ts";
import { Bridge, type BridgeLimits } from "../vnc/bridge.ts";
import type { Elsewhere } from "../vnc/gateway.ts";

/** Milliseconds between two looks whether a viewer would be let in again. */
const LOOK_MS = 1000;
/** In all, as a node's own viewers. */
const MAX_SOCKETS = 1000;

export class JoinedSockets implements Part {
  #limits: BridgeLimits;
  #bridges = new Map<Bridge, Promise<void>>();

  constructor(limits: BridgeLimits) {
    this.#limits = limits;
  }

  /** Whether there is room for one more. */
  get hasRoom(): boolean {
    return this.#bridges.size < MAX_SOCKETS;
  }

  /**
   * The answer that makes a request a WebSocket to the other node. @param holds whether the viewer may still watch.
   * @param ended called when it is over, also at once.
   */
  join(request: Request, other: Elsewhere, holds: () => boolean, ended: () => void): Response {
    const response = upgraded(request, { idleTimeout: this.#limits.goneMs / 1000 }, (viewer) => {
      const bridge = new Bridge({ viewer, ...other }, this.#limits);
      const looks = setInterval(() => {
        if (!holds()) bridge.stop({ code: 1008, reason: "Your access has ended." });
      }, LOOK_MS);
      const done = bridge.run().finally(() => {
        clearInterval(looks);
        ended();
        this.#bridges.delete(bridge);
      });
      this.#bridges.set(bridge, done);
    });
    // a handshake that is not complete
    if (response.status !== 101) ended();
    return response;
  }

  /** Nothing to do: they start with their viewers. */
  start(): void {}

  async stop(): Promise<void> {
    for (const bridge of this.#bridges.keys()) {
      bridge.stop({ code: 1001, reason: "The service is being stopped." });
    }
    await Promise.all(this.#bridges.values());
  }
}
