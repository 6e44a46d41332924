import type { FeedEvent } from "../../lib/model/answers/shapes.ts";
import type { Source } from "../board/useStreams.ts";
import { api } from "../client/api.ts";

/** One stream alone, for its own page. */
export function oneStream(id: string): Source {
  return {
    statuses: () => api.statuses(id),
    // asked for after the statuses, so that it is of their version or a later one
    list: async (version) => ({ content: [await api.stream(id)], version }),
    news: (all) => newsOf(id, all),
  };
}

/** The news of one stream. */
export function newsOf(id: string, news: readonly FeedEvent[]): FeedEvent[] {
  return news.flatMap((event): FeedEvent[] => {
    if (event.name === "list") return [event];
    if (event.name !== "state") return event.data.id === id ? [event] : [];
    const { version, statuses } = event.data;
    const own = Object.hasOwn(statuses, id) ? { [id]: statuses[id] } : {};
    return [{ name: "state", data: { version, statuses: own } }];
  });
}
