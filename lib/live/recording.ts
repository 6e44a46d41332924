/** What is kept of a stream's past just now: the recorder is told of each change, and before a person sees the display. */
import type { Reason } from "../model/past.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Machine } from "../machine/machine.ts";
import type { StreamId } from "../model/id.ts";

/** The stream, as far as the recorder asks. */
export interface RecordedStream {
  readonly id: StreamId;
  /** Its display; null: it does not run. */
  readonly display: number | null;
  /** Whether its past is wanted. */
  readonly isRecorded: boolean;
  /** People in its browser. */
  readonly viewers: number;
  /** Whether viewers see another picture than its page. */
  readonly isCovered: boolean;
}

/** Why nothing of the stream is kept; null: it is kept. Pure. */
export function holdOf({ isRecorded, viewers, isCovered }: RecordedStream): Reason | null {
  if (!isRecorded) return "off";
  // a person may type a password
  if (viewers > 0) return "visit";
  return isCovered ? "cover" : null;
}

/** A display, and why nothing of it is kept. */
interface Told {
  display: number;
  hold: Reason | null;
}

export class Recording {
  #stream: RecordedStream;
  #recordings: Machine["recordings"];
  /** What the recorder was told last, and its answer. */
  #told: Told | null = null;
  #answer: Promise<void> = Promise.resolve();

  constructor(stream: RecordedStream, recordings: Machine["recordings"]) {
    this.#stream = stream;
    this.#recordings = recordings;
  }

  /** Tells the recorder what has changed, once a second. */
  tick(): void {
    this.#follow(this.#stream.display, holdOf(this.#stream)).catch((error) =>
      log("warn", "the recorder was not told", { stream: this.#stream.id, error: errorText(error) })
    );
  }

  /** Keeps nothing from now on, until a tick finds no reason any more. @throws {Error} when the recorder may go on. */
  async hold(reason: Reason): Promise<void> {
    const { display, isRecorded } = this.#stream;
    if (isRecorded) await this.#follow(display, reason);
  }

  async #follow(display: number | null, hold: Reason | null): Promise<void> {
    const told = this.#told;
    if (told?.display === display && told?.hold === hold) return await this.#answer;
    this.#told = display === null ? null : { display, hold };
    this.#answer = this.#tell(told, display, hold);
    try {
      await this.#answer;
    } catch (error) {
      this.#told = null;
      throw error;
    }
  }

  async #tell(told: Told | null, display: number | null, hold: Reason | null): Promise<void> {
    if (told && told.display !== display) await this.#recordings.order(told.display, null);
    if (display !== null) await this.#recordings.order(display, { id: this.#stream.id, hold });
  }
}
