/** The streams that this page deletes: hidden at once, and deleted when nobody can take it back any more. */

/** The number of streams under a command at a time: the browser's few other connections are for the page. */
export const AT_ONCE = 3;
/** Stopped streams of one request; running ones take some seconds each, and the service stops three at a time. */
const MOST = 30;

/** A stream that could not be deleted. */
export interface Undeleted {
  id: string;
  problem: string;
}

export interface DeletionParts {
  /**
   * Deletes streams; never fails. It is called once for each, and at once when the page is left: the page cannot wait then.
   * @returns the streams that are still there.
   */
  send(ids: readonly string[]): Promise<Undeleted[]>;
  /** Takes the ids of the streams that are hidden. */
  onchange(hidden: ReadonlySet<string>): void;
}

export class Deletions {
  readonly #parts: DeletionParts;
  /** The hidden streams; a promise: the request is under way. */
  readonly #hidden = new Map<string, Promise<Undeleted[]> | null>();

  constructor(parts: DeletionParts) {
    this.#parts = parts;
  }

  hide(ids: readonly string[]): void {
    for (const id of ids) this.#hidden.set(id, null);
    this.#changed();
  }

  /** Shows streams again that are not deleted after all. */
  show(ids: readonly string[]): void {
    for (const id of ids) this.#hidden.delete(id);
    this.#changed();
  }

  /**
   * Deletes streams, one request after the other. @param requests the ids of each. @param ondone takes how many are done.
   * @returns the streams that could not be deleted, which are shown again.
   */
  async send(
    requests: readonly (readonly string[])[],
    ondone: (count: number) => void = () => {},
  ): Promise<Undeleted[]> {
    const failed: Undeleted[] = [];
    let count = 0;
    for (const ids of requests) {
      ondone(count);
      failed.push(...await this.#sent(ids));
      count += ids.length;
    }
    this.show(requests.flat());
    return failed;
  }

  /** Deletes all hidden streams now: the page is left. */
  sendAll(): void {
    for (const ids of pieces([...this.#hidden.keys()], MOST)) void this.#sent(ids);
  }

  async #sent(ids: readonly string[]): Promise<Undeleted[]> {
    const fresh = ids.filter((id) => !this.#hidden.get(id));
    if (fresh.length > 0) {
      const request = this.#parts.send(fresh);
      for (const id of fresh) this.#hidden.set(id, request);
    }
    const requests = new Set(ids.map((id) => this.#hidden.get(id)));
    const failed = (await Promise.all(requests)).flatMap((undeleted) => undeleted ?? []);
    return failed.filter(({ id }) => ids.includes(id));
  }

  #changed(): void {
    this.#parts.onchange(new Set(this.#hidden.keys()));
  }
}

/** The ids of each request that deletes some of these streams. */
export function requestsFor(streams: readonly { id: string; desiredState: string }[]): string[][] {
  const ids = (isRunning: boolean) =>
    streams.filter(({ desiredState }) => (desiredState === "running") === isRunning).map(({ id }) => id);
  return [...pieces(ids(false), MOST), ...pieces(ids(true), AT_ONCE)];
}

function pieces(ids: readonly string[], length: number): string[][] {
  return Array.from(
    { length: Math.ceil(ids.length / length) },
    (_, at) => ids.slice(at * length, (at + 1) * length),
  );
}
