import { connectionAfter } from "../client/connection.ts";
import type { StreamStatus } from "../../lib/model/answers/shapes.ts";

/**
 * The page's phase: `waiting` between connections, `refused` where the service takes the page for another site's,
 * `offline` without the service; the last two as in `Connection`.
 */
export type Phase =
  | "connecting"
  | "connected"
  | "waiting"
  | "refused"
  | "stopped"
  | "planned"
  | "gone"
  | "offline"
  | "loggedOut"
  | "signedOut";

export interface VncView {
  phase: Phase;
  /** Why the stream does not run as it should, in its card's words; or why the service refuses. */
  reason?: string;
}

/** The parts that a session needs; a test has its own. */
export interface SessionParts {
  /** null: there is no such stream. @throws when the service does not answer. */
  status(): Promise<Pick<StreamStatus, "state" | "reason"> | null>;
  /** The stream's present token: it changes when the service restarts. */
  token(): Promise<string>;
  /** Connects and waits for the end, which may come before `onConnect`. */
  connect(token: string, onConnect: () => void): Promise<void>;
  /** Why the service refuses what this page asks, which it can tell no WebSocket; null: it does not. */
  refusal(): Promise<string | null>;
  show(view: VncView): void;
  pause(ms: number): Promise<void>;
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 4000;
/** Connections that do not come about, after which the page asks whether it is refused. */
const FAILURES = 2;

/** Stays connected to a stream's display, through restarts of the stream and of the service, until `signal` aborts. */
export async function stayConnected(parts: SessionParts, signal: AbortSignal): Promise<void> {
  let isFirst = true;
  let pause = FIRST_PAUSE_MS;
  let failures = 0;
  let refusal: string | null = null;
  const show = (view: VncView) => {
    if (!signal.aborted) parts.show(view);
  };
  while (!signal.aborted) {
    try {
      const status = await parts.status();
      if (status === null) show({ phase: "gone" });
      else if (status.state === "stopped" || status.state === "planned") show({ phase: status.state });
      else {
        const reason = status.state === "failed" ? status.reason : undefined;
        const showPhase = (phase: Phase) =>
          show(
            refusal === null
              ? { phase, ...(reason ? { reason } : {}) }
              : { phase: "refused", reason: refusal },
          );
        showPhase(isFirst ? "connecting" : "waiting");
        const token = await parts.token();
        if (signal.aborted) return;
        failures++;
        await parts.connect(token, () => {
          pause = FIRST_PAUSE_MS;
          failures = 0;
          refusal = null;
          show({ phase: "connected" });
        });
        if (failures === FAILURES && !signal.aborted) refusal = await parts.refusal();
        showPhase("waiting");
      }
    } catch (error) {
      show({ phase: phaseAfter(error) });
    }
    isFirst = false;
    await parts.pause(pause);
    pause = Math.min(pause * 1.5, MAX_PAUSE_MS);
  }
}

/** The page's phase after a request that failed. */
export function phaseAfter(error: unknown): Phase {
  const connection = connectionAfter(error);
  return connection === "loggedOut" || connection === "signedOut" ? connection : "offline";
}
