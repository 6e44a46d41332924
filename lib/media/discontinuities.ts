/** The discontinuity sequences of all channels, over restarts of the web app: encoders and viewers outlive those. */
import { readOrNull, writeFileAtomic } from "../system/files.ts";
import { errorText, log } from "../system/log.ts";
import { type SeenPlaylist, withDiscontinuitySequence } from "./discontinuity_sequence.ts";

export class Discontinuities {
  readonly #path: string;
  readonly #channels: Map<string, SeenPlaylist>;
  #written: Promise<void> = Promise.resolve();

  private constructor(path: string, channels: Map<string, SeenPlaylist>) {
    this.#path = path;
    this.#channels = channels;
  }

  /** Goes on with what the file remembers. @param path in the run directory: a new start may begin anew. */
  static async open(path: string): Promise<Discontinuities> {
    return new Discontinuities(path, await load(path));
  }

  /** A channel's playlist as viewers get it. @param playlist as the media server wrote it. */
  numbered(id: string, playlist: string): string {
    const before = this.#channels.get(id) ?? null;
    const { playlist: numbered, listed } = withDiscontinuitySequence(playlist, before);
    if (listed !== null && listed !== before) {
      this.#channels.set(id, listed);
      if (isNews(listed, before)) this.#save();
    }
    return numbered;
  }

  /** When all that is to be remembered is in the file. */
  saved(): Promise<void> {
    return this.#written;
  }

  /** Writes one after the other; a list that changes meanwhile is written as it is then. */
  #save(): void {
    this.#written = this.#written
      .then(() => writeFileAtomic(this.#path, JSON.stringify(Object.fromEntries(this.#channels)), 0o600))
      .catch((error) => log("warn", "discontinuity sequences not saved", { error: errorText(error) }));
  }
}

/** Whether a list says something that the earlier one does not lead to by itself. */
function isNews(listed: SeenPlaylist, before: SeenPlaylist | null): boolean {
  return listed.discontinuity !== before?.discontinuity || String(listed.breaks) !== String(before.breaks);
}

async function load(path: string): Promise<Map<string, SeenPlaylist>> {
  const text = await readOrNull(path).catch(() => null);
  if (text === null) return new Map();
  try {
    const channels: Record<string, SeenPlaylist> = JSON.parse(text);
    // the file is as old as the last break, so it does not tell which segments came after it
    return new Map(Object.entries(channels).map(([id, listed]) => [id, { ...listed, next: null }]));
  } catch (error) {
    log("warn", "discontinuity sequences not read", { error: errorText(error) });
    return new Map();
  }
}
