/**
 * Decides from a stream's states over time when the receiver gets a message. Pure.
 *
 * A stream's down time counts up, and is forgotten only after enough up time: so a short hiccup sends no message, and a
 * stream that flaps sends one message. A start counts as up or down like the time before it.
 */
import { isAtRest, type StreamState } from "../model/answers/status.ts";

/** A stream's state as the receiver knows it. */
export type ToldState = "running" | "degraded" | "failed";

/** The remembered past of a stream. */
export interface Health {
  told: ToldState;
  /** ms of all down time since the stream was last well. */
  downMs: number;
  /** Unix ms when the down time began; null: the stream is well, and the receiver knows it. */
  downSince: number | null;
  /** ms of failed time, and of up time, without a break. */
  failedMs: number;
  upMs: number;
  /** The number of recent messages about the stream's return. */
  returns: number;
}

/** A stream without a message so far. */
export const WELL: Health = { told: "running", downMs: 0, downSince: null, failedMs: 0, upMs: 0, returns: 0 };

export interface DecisionLimits {
  /** ms that a state must last. */
  afterMs: number;
  calmMs: number;
  longestUpMs: number;
}

/**
 * @param since Unix ms: when the state began. @param elapsedMs since the round before.
 * @returns the new health; the receiver gets a message if `told` changed.
 */
export function nextHealth(
  health: Health,
  state: StreamState,
  since: number,
  elapsedMs: number,
  limits: DecisionLimits,
): Health {
  const { told } = health;
  // a person or the stream's settings stopped the stream
  if (isAtRest(state)) return { ...WELL, returns: health.returns };
  if (state === "running") return afterUp({ ...health, failedMs: 0, upMs: health.upMs + elapsedMs }, limits);
  if (state === "starting" && health.downSince === null) return health;
  const down: Health = {
    ...health,
    downMs: health.downMs + (health.downSince === null ? 0 : elapsedMs),
    downSince: health.downSince ?? since,
    failedMs: state === "failed" ? health.failedMs + elapsedMs : 0,
    upMs: 0,
  };
  if (state === "starting") return down;
  const isWorse = told === "degraded" && state === "failed" && down.failedMs >= limits.afterMs;
  const isNew = told === "running" && down.downMs >= limits.afterMs;
  return isNew || isWorse ? { ...down, told: state } : down;
}

function afterUp(health: Health, { afterMs, calmMs, longestUpMs }: DecisionLimits): Health {
  const returns = health.upMs >= calmMs ? 0 : health.returns;
  if (health.downSince === null) return { ...health, returns };
  const isKnown = health.told !== "running";
  // a stream that comes and goes all day sends fewer and fewer messages
  const neededMs = isKnown ? Math.max(afterMs, Math.min(afterMs * 2 ** returns, longestUpMs)) : afterMs;
  if (health.upMs < neededMs) return health;
  return { ...WELL, upMs: health.upMs, returns: isKnown ? returns + 1 : returns };
}
