/** What the nodes of a cluster share beside the stream list. */
import { ServiceError } from "../errors.ts";

/** A text that all nodes of a cluster share, in the place of one machine's file. */
export interface SharedText {
  /** Null: nobody has written one yet. */
  readonly text: string | null;
  /** Runs after each change, whoever has made it. */
  onchange: () => void;
  /**
   * Writes a text, unless another node has written one since; then it waits for that. @param known the text that is replaced.
   * @returns whether it was written. @throws {ServiceError} 503 when the cluster does not answer.
   */
  put(text: string, known: string | null): Promise<boolean>;
}

/** What the nodes of a cluster share by a text. */
export interface Shareable {
  /** Nothing is changed from now on until it follows a text: the cluster is not reached yet. */
  awaitShared(): void;
  /** Follows a text of the cluster from now on, which begins with this content where there is none. */
  follow(shared: SharedText): Promise<void>;
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
export const SHARED = { tokens: "access-tokens", walls: "walls", session: "session" } as const;

/** How often a change is made anew that another node comes before. */
export const SHARED_TRIES = 5;
