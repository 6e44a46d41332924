/** Other nodes that had a stream: each has a folder of this machine, and can be away. */
import type { PastElsewhere, Stay } from "../../lib/store/pieces.ts";
import { OwnPieces } from "../../lib/rewind/own_pieces.ts";

/** The name of the node that looks. */
export const HERE = "a1";

export interface PretendedNodes extends PastElsewhere {
  /** The nodes that cannot be asked. */
  away: Set<string>;
  /** The nodes that are heard, and do not answer. */
  silent: Set<string>;
  /** The questions to other nodes. */
  asked: string[];
}

/** @param stays which node had the stream since which Unix time in s, the oldest first. @param folders of the other nodes. */
export function pretendedNodes(
  stays: readonly [node: string, since: number][],
  folders: Record<string, string>,
): PretendedNodes {
  const list: Stay[] = stays.map(([node, since]) => ({ node, since: since * 1000, isHere: node === HERE }));
  const away = new Set<string>();
  const silent = new Set<string>();
  const asked: string[] = [];
  return {
    away,
    silent,
    asked,
    stays: () => list,
    pieces: (node) => {
      if (away.has(node)) return null;
      const own = new OwnPieces(folders[node]);
      const note = (what: string) => {
        asked.push(`${node} ${what}`);
        if (silent.has(node)) throw new Error("silence");
      };
      return {
        // deno-lint-ignore require-await -- what is thrown is a rejection
        names: async (id) => (note("names"), own.names(id)),
        // deno-lint-ignore require-await -- what is thrown is a rejection
        texts: async (id, names) => (note("texts"), own.texts(id, names)),
        video: (id, name, from, to) => (note("video"), own.video(id, name, from, to)),
      };
    },
  };
}
