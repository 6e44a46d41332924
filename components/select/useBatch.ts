import { useState } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import type { Board } from "../board/useBoard.ts";
import { type Command, FAILED_WORDS, problemOf } from "../client/api.ts";
import { forEachOf, nameList } from "./selection.ts";

/** The number of streams under a command at a time. */
export const AT_ONCE = 3;

const DOING: Record<Command, string> = {
  start: "are starting",
  stop: "are stopped",
  restart: "are restarting",
  recreate: "are restarting with new browser profiles",
};

/** One command for many streams; failures are shown once, at the end. */
export function useBatch(board: Board) {
  const [isBusy, setBusy] = useState(false);

  async function run(streams: readonly PublicStream[], command: Command) {
    setBusy(true);
    board.problem.value = "";
    const failed = await forEachOf(streams, AT_ONCE, (stream) => board.command(stream, command));
    setBusy(false);
    if (failed.length === 0) return board.toast.show(countText(streams.length, DOING[command]));
    const names = nameList(failed.map(({ item }) => item.name));
    board.problem.value = `${names} could not be ${FAILED_WORDS[command]}. ${problemOf(failed[0].error)}`;
  }

  return { run, isBusy };
}

/** "1 stream is stopped.", "3 streams are stopped." */
function countText(count: number, doing: string): string {
  return count === 1 ? `1 stream ${doing.replace(/^are/, "is")}.` : `${count} streams ${doing}.`;
}
