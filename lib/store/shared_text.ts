/** The texts that the nodes of a cluster share, beside the stream list. */
import { ServiceError } from "../errors.ts";

/** A text that all nodes of a cluster share, in the place of one machine's file. */
export interface SharedText {
  /** Null: nobody has written one yet. */
  readonly text: string | null;
  /** Runs after each change, of any node. */
  onchange: () => void;
  /**
   * Writes a text, unless another node has written one since; then it waits for that. @param known the text that is replaced.
   * @returns whether it was written. @throws {ServiceError} 503 when the cluster does not answer.
   */
  put(text: string, known: string | null): Promise<boolean>;
}

/** A part of the store that the nodes of a cluster share as a text. */
export interface Shareable {
  /** Nothing is changed from now on until it follows a text: the cluster is not reached yet. */
  awaitShared(): void;
  /** Follows a text of the cluster from now on, which begins with this content where there is none. */
  follow(shared: SharedText): Promise<void>;
  /** Resolves when the copy for a start without the cluster is on disk. */
  settled(): Promise<void>;
}

/** The answer to a change before the cluster is reached. */
export function notReached(): ServiceError {
  return new ServiceError(
    503,
    "The cluster is not reached yet, so nothing can be changed. Streams of this machine go on; try again in a moment.",
    undefined,
    { retryAfterSeconds: 5 },
  );
}

/** The names of the texts. */
export const SHARED = {
  tokens: "access-tokens",
  walls: "walls",
  receivers: "receivers",
  session: "session",
  users: "users",
} as const;

/** The answer to a change that the cluster may have taken, or not. */
export function notKnown(cause: unknown): ServiceError {
  return new ServiceError(
    503,
    "The cluster's store does not answer, so it is not known whether this was changed. Streams go on; try again in a moment.",
    undefined,
    { cause, retryAfterSeconds: 5 },
  );
}

/** How often a change is made anew that another node comes before. */
const TRIES = 5;

/**
 * Changes a shared text, anew where another node was first. @param change gives the new text; null: nothing is to be written.
 * @returns the written text; null: nothing was written. @throws {ServiceError} 503, 409
 */
export async function changeText(
  shared: SharedText,
  change: (known: string | null) => string | null | Promise<string | null>,
): Promise<string | null> {
  for (let tries = 0; tries < TRIES; tries++) {
    const known = shared.text;
    const text = await change(known);
    if (text === null || await shared.put(text, known)) return text;
  }
  throw new ServiceError(
    409,
    "Other nodes change the same entries all the time, so nothing was changed. Try again.",
  );
}
