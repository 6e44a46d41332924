/** A bucket in memory that all nodes of a test share; a node's own view of it can be cut off. */
import { AwayError, type Bucket, ConflictError, type Entry } from "../../lib/cluster/buckets.ts";

export class FakeBucket {
  #records = new Map<string, Entry>();
  #watchers = new Set<Watcher>();
  #revision = 0;

  /** What one node has of it. */
  view(): BucketView {
    const view: BucketView = {
      isAway: false,
      beforePut: () => {},
      put: async (key, text, revision) => {
        await view.beforePut(key);
        return this.#write(view, key, text, revision);
      },
      remove: (key, revision) => Promise.resolve().then(() => this.#write(view, key, null, revision)),
      watch: async (told, signal) => {
        await Promise.resolve();
        if (view.isAway) throw new AwayError("nobody answers");
        const watcher = { told, view, last: 0 };
        this.#watchers.add(watcher);
        this.#tell(watcher);
        signal.addEventListener("abort", () => this.#watchers.delete(watcher), { once: true });
      },
    };
    return view;
  }

  /** Tells a view what it has missed while it was away. */
  catchUp(view: BucketView): void {
    for (const watcher of this.#watchers) if (watcher.view === view) this.#tell(watcher);
  }

  #tell(watcher: Watcher): void {
    if (watcher.view.isAway) return;
    for (const entry of [...this.#records.values()].toSorted((a, b) => a.revision - b.revision)) {
      if (entry.revision <= watcher.last) continue;
      watcher.last = entry.revision;
      watcher.told(entry);
    }
  }

  #write(view: BucketView, key: string, text: string | null, revision: number): number {
    if (view.isAway) throw new AwayError("nobody answers");
    const known = this.#records.get(key);
    const isFree = !known || known.text === null;
    if (revision === 0 ? !isFree : known?.revision !== revision || known.text === null) {
      throw new ConflictError(key);
    }
    const entry = { key, text, revision: ++this.#revision };
    this.#records.set(key, entry);
    // a watcher hears of it later than the writer
    queueMicrotask(() => {
      for (const watcher of this.#watchers) this.#tell(watcher);
    });
    return entry.revision;
  }
}

interface Watcher {
  told(entry: Entry): void;
  view: BucketView;
  /** The newest revision that it was told. */
  last: number;
}

export interface BucketView extends Bucket {
  /** Whether it is cut off: it hears nothing, and writes nothing. */
  isAway: boolean;
  /** Runs before each put, as for another node that comes first. */
  beforePut(key: string): void | Promise<void>;
}
