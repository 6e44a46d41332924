/**
 * The stream list as a node has it: the cluster's once the cluster was reached, and until then the node's own copy, which
 * nobody can change. The copy is the file of a machine that is alone, so that a node which leaves its cluster goes on with the
 * list.
 */
import type { Stream } from "../model/schema.ts";
import { notReached } from "../store/shared_text.ts";
import type { ListChange, StreamStore } from "../store/stream_store.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { ClusterList } from "./cluster_list.ts";

export class NodeStore implements StreamStore {
  /** Runs after each change, of this node or another one. */
  onchange: () => void = () => {};
  #copy: StreamStore;
  #list: ClusterList | null = null;
  /** Whether the copy is about to be written, with all changes so far. */
  #isDue = false;

  constructor(copy: StreamStore) {
    this.#copy = copy;
  }

  /** Takes the cluster's list from now on. */
  join(list: ClusterList): void {
    this.#list = list;
    list.onchange = () => this.#changed(list);
    this.#changed(list);
  }

  get version(): string {
    return (this.#list ?? this.#copy).version;
  }

  list(): readonly Stream[] {
    return (this.#list ?? this.#copy).list();
  }

  get(id: string): Stream | undefined {
    return (this.#list ?? this.#copy).get(id);
  }

  /** Whether a node has removed the stream from the cluster's list. */
  wasRemoved(id: string): boolean {
    return this.#list?.wasRemoved(id) ?? false;
  }

  async change(change: ListChange): Promise<void> {
    if (this.#list === null) {
      throw notReached();
    }
    await this.#list.change(change);
  }

  async settled(): Promise<void> {
    await this.#list?.settled();
    await this.#copy.settled();
  }

  #changed(list: ClusterList): void {
    this.onchange();
    if (this.#isDue) return;
    this.#isDue = true;
    this.#copy.change(() => {
      this.#isDue = false;
      return list.list();
    }).catch((error) =>
      log("error", "the copy of the cluster's list was not written", { error: errorText(error) })
    );
  }
}
