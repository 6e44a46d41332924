import { useState } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import type { Board } from "../board/useBoard.ts";
import { AT_ONCE } from "../board/deletions.ts";
import { type Command, FAILED_WORDS, problemOf } from "../client/api.ts";
import { forEachOf, nameList } from "./selection.ts";

const DOING: Record<Command, string> = {
  start: "are starting",
  stop: "are stopped",
  restart: "are restarting",
  recreate: "are restarting with new browser profiles",
};

/** The command that takes another one back. */
const OPPOSITES: Partial<Record<Command, Command>> = { start: "stop", stop: "start" };

/** One command for many streams; failures are shown once, at the end. */
export function useBatch(board: Board) {
  const [isBusy, setBusy] = useState(false);

  async function run(streams: readonly PublicStream[], command: Command) {
    setBusy(true);
    board.problem.value = "";
    let waiting = 0;
    const failed = await forEachOf(streams, AT_ONCE, async (stream) => {
      if ((await board.command(stream, command))?.noRoom !== undefined) waiting++;
    });
    setBusy(false);
    const done = streams.filter((stream) => !failed.some(({ item }) => item === stream));
    const opposite = OPPOSITES[command];
    const action = opposite && { undo: () => void run(done, opposite) };
    const room = waiting === 0 ? "" : ` ${waiting} of them ${waiting === 1 ? "waits" : "wait"} for room.`;
    if (done.length > 0) board.toast.show(countText(done.length, DOING[command]) + room, action);
    if (failed.length === 0) return;
    const names = nameList(failed.map(({ item }) => item.name));
    board.problem.value = `${names} could not be ${FAILED_WORDS[command]}. ${problemOf(failed[0].error)}`;
  }

  return { run, isBusy };
}

/** "1 stream is stopped.", "3 streams are stopped." */
function countText(count: number, doing: string): string {
  return count === 1 ? `1 stream ${doing.replace(/^are/, "is")}.` : `${count} streams ${doing}.`;
}
