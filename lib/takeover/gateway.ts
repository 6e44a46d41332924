/** The VNC gateway: WebSocket upgrades on the web app's port, and the bridges that are open. */
import type { NodeSocket } from "../cluster/placement.ts";
import type { StreamId } from "../model/id.ts";
import type { Part } from "../machine/tools/part.ts";
import { isWebSocket } from "../door/access.ts";
import { errorResponse } from "../door/errors.ts";
import { foreignPageText } from "../door/origin.ts";
import { handshakeProblem, upgraded } from "../door/upgrade.ts";
import { Bridge, type BridgeLimits, type BridgeParts } from "./bridge.ts";
import { type OpenBridge, OpenBridges } from "./open_bridges.ts";
import type { VncProxy } from "./proxy.ts";
import type { VncTokens } from "./tokens.ts";

/** Takes what viewers do with a stream's browser. @param peer the client's address. */
export interface TakeoverListener {
  /** Somebody may come in, and is not connected yet. */
  asked(id: StreamId): void;
  /** Somebody is about to be connected. @throws {Error} when what they do would be kept. */
  coming(id: StreamId): Promise<void>;
  began(id: StreamId, peer: string): void;
  ended(id: StreamId, peer: string, seconds: number): void;
}

/** Types a text into a stream's page; says whether its page has the focus. */
export type TypeText = (id: StreamId, text: string) => Promise<boolean>;

/** Where a bridge leads, and what its end means here. */
interface Way {
  parts: BridgeParts;
  ended(): void;
}

/** The other node tells of the takeover. */
function toNode(viewer: WebSocket, other: NodeSocket): Way {
  return { parts: { viewer, ...other }, ended: () => {} };
}

export class VncGateway implements Part {
  #tokens: Pick<VncTokens, "idOf" | "get">;
  #proxy: VncProxy;
  #limits: BridgeLimits;
  #takeovers: TakeoverListener | undefined;
  readonly bridges: OpenBridges;
  #isStopping = false;
  #type: TypeText | undefined;

  /** @param type types what no key has. @param bridges those that are open: others count them. */
  constructor(
    tokens: Pick<VncTokens, "idOf" | "get">,
    proxy: VncProxy,
    limits: BridgeLimits,
    takeovers?: TakeoverListener,
    type?: TypeText,
    bridges = new OpenBridges(),
  ) {
    this.#tokens = tokens;
    this.#proxy = proxy;
    this.#limits = limits;
    this.#takeovers = takeovers;
    this.#type = type;
    this.bridges = bridges;
  }

  /**
   * The answer to a WebSocket upgrade, on any path; null for every other request.
   * @param isFromOwnPage as the gate found: every browser sends an origin, and the streamed pages are browsers on this
   * very machine. @param peerOf gives the client's address, behind trusted proxies the one they say; few requests need it.
   * @param passedOn the stream of a request that another node has let in. @param elsewhere the node that has a stream.
   * @param holds whether the client would be let in again.
   */
  upgrade(
    request: Request,
    isFromOwnPage: boolean,
    peerOf: () => string,
    passedOn: StreamId | null = null,
    elsewhere: (id: StreamId) => NodeSocket | null = () => null,
    holds: () => boolean = () => true,
  ): Response | null {
    if (!isWebSocket(request)) return null;
    const problem = handshakeProblem(request);
    if (problem) return problem;
    if (!isFromOwnPage && !passedOn) {
      return errorResponse(403, foreignPageText(request));
    }
    const given = new URL(request.url).searchParams.get("token") ?? "";
    const id = passedOn ?? this.#tokens.idOf(given);
    const token = id && this.#tokens.get(id);
    if (id === undefined || token === undefined) {
      return errorResponse(403, "The token is missing, wrong, or of an earlier start.");
    }
    if (this.#isStopping) return errorResponse(503, "The service is being stopped.");
    const peer = peerOf();
    if (this.bridges.isFull(id, peer, this.#limits)) {
      return errorResponse(503, "Too many people are in the streams' browsers already. Try again later.");
    }
    const other = passedOn ? null : elsewhere(id);
    if (!other) this.#takeovers?.asked(id);
    const offered = request.headers.get("sec-websocket-protocol")?.split(/\s*,\s*/) ?? [];
    return upgraded(
      request,
      {
        // Deno pings after half of it, and gives up after all of it
        idleTimeout: this.#limits.goneMs / 1000,
        ...(offered.includes("binary") ? { protocol: "binary" } : {}),
      },
      (socket) =>
        this.#open(
          { id, peer, holds },
          other ? toNode(socket, other) : this.#toDisplay(socket, id, peer, token),
        ),
    );
  }

  #toDisplay(viewer: WebSocket, id: StreamId, peer: string, token: string): Way {
    // the token goes as the host: websockify writes every path but "/" to its log
    const target = { at: this.#proxy.port, path: "/", host: token };
    const isOurs = () => this.#proxy.isOurs();
    const becomePrivate = () => this.#takeovers?.coming(id) ?? Promise.resolve();
    let since: number | null = null;
    const onConnected = () => {
      since = performance.now();
      this.#takeovers?.began(id, peer);
    };
    const typeText = this.#type;
    const type = typeText && ((text: string) => typeText(id, text));
    const ended = () => {
      if (since !== null) this.#takeovers?.ended(id, peer, (performance.now() - since) / 1000);
    };
    return { parts: { viewer, target, isOurs, becomePrivate, onConnected, type }, ended };
  }

  #open(viewer: Omit<OpenBridge, "done">, { parts, ended }: Way): void {
    const bridge = new Bridge(parts, this.#limits);
    const done = bridge.run().finally(() => {
      this.bridges.remove(bridge);
      ended();
    });
    this.bridges.add(bridge, { ...viewer, done });
  }

  /** Nothing to do: bridges start with their viewers. */
  start(): void {}

  /** Closes all bridges and lets no new one in; resolves when they are closed. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.closeAll({ code: 1001, reason: "The service is being stopped." });
  }

  /** Closes the bridges of viewers who would not be let in any more. */
  closeStale(close: { code: number; reason: string }): void {
    void this.bridges.close(close, ({ holds }) => !holds());
  }

  /** Closes the bridges that are open now; resolves when they are closed. */
  async closeAll(close: { code: number; reason: string }): Promise<void> {
    await this.bridges.close(close);
  }
}
