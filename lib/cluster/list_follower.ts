/** Brings this machine to what other nodes change in the list of streams. */
import type { Fleet } from "../fleet/fleet.ts";
import type { Operations } from "../fleet/operations.ts";
import type { StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { ClusterView } from "./view.ts";

export interface FollowingParts {
  view: ClusterView;
  fleet: Pick<Fleet, "find" | "leave">;
  streams: Pick<Operations, "syncTokens">;
  /** Removes what this machine has of a stream that another node has removed. */
  removed(id: StreamId): Promise<void>;
}

/** Follows the list from now on. */
export function followList({ view, fleet, streams, removed }: FollowingParts): void {
  const { store, own } = view;
  let before: readonly Stream[] = store.list();
  const tried = (id: StreamId, work: Promise<unknown> | undefined) =>
    void work?.catch((error) =>
      log("error", "a change by another node was not carried out", { stream: id, error: errorText(error) })
    );
  store.onchange = () => {
    const [old, now] = [new Set(before), store.list()];
    const had = new Set(before.map(({ id }) => id));
    const gone = before.filter(({ id }) => !store.get(id));
    before = now;
    for (const stream of now) {
      if (!old.has(stream) && own.has(stream.id)) {
        tried(stream.id, fleet.find(stream.id)?.work.retryInBackground());
      }
    }
    // what this machine had alone, and what only a newer version can read, stays on disk
    for (const { id } of gone) {
      tried(id, store.wasRemoved(id) ? removed(id) : fleet.leave(id));
      if (store.wasRemoved(id)) tried(id, view.joined?.claims.forgetStays(id));
    }
    if (gone.length > 0 || now.some(({ id }) => !had.has(id))) void streams.syncTokens();
  };
}
