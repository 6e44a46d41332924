/** Viewers' WebSockets for other nodes' channels: each is joined with a WebSocket to the channel's node. */
import { upgraded } from "../door/upgrade.ts";
import type { Part } from "../machine/tools/part.ts";
import { Bridge, type BridgeLimits } from "../takeover/bridge.ts";
import type { NodeSocket } from "./placement.ts";

/** Milliseconds between two looks whether a viewer would still be let in. */
const LOOK_MS = 1000;
/** Viewers in all: as many as a node's own channels have. */
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
   * @param ended is called when the WebSocket has ended, or at once when it was not made.
   */
  join(request: Request, other: NodeSocket, holds: () => boolean, ended: () => void): Response {
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

  /** Does nothing: each WebSocket starts with its viewer. */
  start(): void {}

  async stop(): Promise<void> {
    for (const bridge of this.#bridges.keys()) {
      bridge.stop({ code: 1001, reason: "The service is being stopped." });
    }
    await Promise.all(this.#bridges.values());
  }
}
