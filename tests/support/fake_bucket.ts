/** What the nodes of a test's cluster share, in memory; a node's own view of it can be cut off. */
import {
  AwayError,
  type Blobs,
  type Bucket,
  ConflictError,
  type Entry,
  type Shared,
} from "../../lib/cluster/buckets.ts";
import { LOST_MS } from "../../lib/cluster/nodes.ts";

export interface FakeBucketOptions {
  /** Milliseconds after which a record that nobody writes again is gone, without a word; 0: never. */
  ttlMs?: number;
  /** The cluster's clock: milliseconds since 1970. */
  now?: () => number;
}

export class FakeBucket {
  #records = new Map<string, Entry>();
  /** All changes, in their order. */
  #changes: Entry[] = [];
  #watchers = new Set<Watcher>();
  #ttlMs: number;
  #now: () => number;
  #isTelling = false;

  constructor({ ttlMs = 0, now = () => Date.now() }: FakeBucketOptions = {}) {
    this.#ttlMs = ttlMs;
    this.#now = now;
  }

  /** What one node has of it. */
  view(): BucketView {
    const view: BucketView = {
      isAway: false,
      isDeaf: false,
      down: null,
      beforePut: () => {},
      put: async (key, text, revision) => {
        await view.beforePut(key);
        return this.#answered(view, this.#write(view, key, text, revision));
      },
      remove: (key, revision) =>
        Promise.resolve().then(() => this.#answered(view, this.#write(view, key, null, revision))),
      watch: async (told, signal) => {
        await Promise.resolve();
        if (view.isAway) throw new AwayError("nobody answers");
        const there = [...this.#records.values()].filter((entry) => this.#isThere(entry));
        const watcher = { told, view, next: this.#changes.length };
        for (const entry of there.toSorted((a, b) => a.revision - b.revision)) told(entry);
        this.#watchers.add(watcher);
        signal.addEventListener("abort", () => this.#watchers.delete(watcher), { once: true });
      },
    };
    return view;
  }

  /** The newest record of a key, as the cluster has it. */
  get(key: string): Entry | undefined {
    return this.#records.get(key);
  }

  keys(): Iterable<string> {
    return this.#records.keys();
  }

  /** Tells a view what it has missed while it was away. */
  catchUp(view: BucketView): void {
    for (const watcher of this.#watchers) if (watcher.view === view) this.#tell(watcher);
  }

  #isThere(entry: Entry): boolean {
    return this.#ttlMs === 0 || this.#now() - entry.at < this.#ttlMs;
  }

  #tell(watcher: Watcher): void {
    const { isAway, isDeaf, down } = watcher.view;
    if (isAway || isDeaf || down === "in") return;
    while (watcher.next < this.#changes.length) {
      const entry = this.#changes[watcher.next++];
      // what was changed again meanwhile is told once
      if (this.#records.get(entry.key) === entry && this.#isThere(entry)) watcher.told(entry);
    }
  }

  #write(view: BucketView, key: string, text: string | null, revision: number): number {
    if (view.isAway || view.down === "out") throw new AwayError("nobody answers");
    const known = this.#records.get(key);
    const isFree = !known || known.text === null || !this.#isThere(known);
    if (revision === 0 ? !isFree : isFree || known.revision !== revision) throw new ConflictError(key);
    const entry = { key, text, revision: this.#changes.length + 1, at: this.#now() };
    this.#changes.push(entry);
    this.#records.set(key, entry);
    // a watcher hears of it later than the writer
    if (!this.#isTelling) queueMicrotask(() => this.#tellAll());
    this.#isTelling = true;
    return entry.revision;
  }

  #answered(view: BucketView, revision: number): number {
    if (view.down === "in") throw new AwayError("nobody answers");
    return revision;
  }

  #tellAll(): void {
    this.#isTelling = false;
    for (const watcher of this.#watchers) this.#tell(watcher);
  }
}

interface Watcher {
  told(entry: Entry): void;
  view: BucketView;
  /** The first change that it was not told. */
  next: number;
}

export interface BucketView extends Bucket {
  /** Whether it is cut off: it hears nothing, and writes nothing. */
  isAway: boolean;
  /** Whether it hears nothing, though what it writes is kept. */
  isDeaf: boolean;
  /** Which half of its link is down: "out": nothing that it writes arrives; "in": it does, and neither news nor answers come. */
  down: "out" | "in" | null;
  /** Runs before each put, as for another node that comes first. */
  beforePut(key: string): void | Promise<void>;
}

/** Bytes in memory that all nodes of a test share. */
export class FakeBlobs {
  readonly kept = new Map<string, Uint8Array<ArrayBuffer>>();
  /** How often something was put. */
  puts = 0;

  /** What one node has of it. @param isThere whether the node reaches it. */
  view(isThere: () => boolean = () => true): Blobs {
    const reached = async () => {
      await Promise.resolve();
      if (!isThere()) throw new AwayError("nobody answers");
    };
    return {
      put: async (key, bytes) => {
        await reached();
        this.puts++;
        this.kept.set(key, bytes);
      },
      get: async (key) => {
        await reached();
        return this.kept.get(key) ?? null;
      },
      remove: async (key) => {
        await reached();
        this.kept.delete(key);
      },
    };
  }
}

export class FakeShared {
  readonly buckets: Record<"streams" | "nodes" | "owners" | "texts", FakeBucket>;
  readonly profiles = new FakeBlobs();
  #listeners = new Set<(subject: string, text: string) => void>();

  /** @param now the cluster's clock: milliseconds since 1970. */
  constructor(now?: () => number) {
    const bucket = (ttlMs = 0) => new FakeBucket({ ttlMs, now });
    this.buckets = { streams: bucket(), nodes: bucket(LOST_MS), owners: bucket(), texts: bucket() };
  }

  /** Tells news to all nodes. */
  tell(subject: string, text: string): void {
    for (const listener of this.#listeners) listener(subject, text);
  }

  /** What one node has of it. @param isThere whether the node reaches it; of the buckets, each view says that. */
  connect(
    isThere: () => boolean = () => true,
  ): Shared & { buckets: Record<keyof Shared["buckets"], BucketView> } {
    const { streams, nodes, owners, texts } = this.buckets;
    return {
      buckets: { streams: streams.view(), nodes: nodes.view(), owners: owners.view(), texts: texts.view() },
      profiles: this.profiles.view(isThere),
      news: {
        tell: (subject, text) => isThere() && this.tell(subject, text),
        listen: (subject, told, signal) => {
          const listener = (about: string, text: string) => about === subject && isThere() && told(text);
          this.#listeners.add(listener);
          signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
        },
      },
    };
  }
}
