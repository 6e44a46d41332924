/**
 * When the receiver gets a message about a stream, from its states over time. Pure.
 *
 * Time that it was down counts up, and is forgotten only once it was up for long enough: so a short hiccup is not told,
 * and a stream that flaps is told once. A start counts as up or down as the time before it did.
 */
import { isAtRest, type StreamState } from "../../model/answers/status.ts";

/** A stream's state as the receiver knows it. */
export type ToldState = "running" | "degraded" | "failed";

/** What is remembered of a stream. */
export interface Health {
  told: ToldState;
  /** ms it was down in all since it was last well. */
  downMs: number;
  /** Unix ms when that began; null while it is well, which the receiver then thinks too. */
  downSince: number | null;
  /** ms it has been failed, and up, without a break. */
  failedMs: number;
  upMs: number;
  /** How often its return was told lately. */
  returns: number;
}

/** A stream that nobody was told of. */
export const WELL: Health = { told: "running", downMs: 0, downSince: null, failedMs: 0, upMs: 0, returns: 0 };

export interface DecisionLimits {
  /** ms that a state must last. */
  afterMs: number;
  calmMs: number;
  longestUpMs: number;
}

/** @param elapsedMs since the round before. @returns what is known now; the receiver is told if `told` changed. */
export function nextHealth(
  health: Health,
  state: StreamState,
  now: number,
  elapsedMs: number,
  limits: DecisionLimits,
): Health {
  const { told } = health;
  // by a person, who knows, or as its settings want it
  if (isAtRest(state)) return { ...WELL, returns: health.returns };
  if (state === "running") return afterUp({ ...health, failedMs: 0, upMs: health.upMs + elapsedMs }, limits);
  if (state === "starting" && health.downSince === null) return health;
  const down: Health = {
    ...health,
    downMs: health.downMs + (health.downSince === null ? 0 : elapsedMs),
    downSince: health.downSince ?? now,
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
  // one that comes and goes all day is told less and less often
  const neededMs = isKnown ? Math.max(afterMs, Math.min(afterMs * 2 ** returns, longestUpMs)) : afterMs;
  if (health.upMs < neededMs) return health;
  return { ...WELL, upMs: health.upMs, returns: isKnown ? returns + 1 : returns };
}
