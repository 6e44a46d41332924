import { useState } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import { AT_ONCE } from "../board/deletions.ts";
import type { Board } from "../board/useBoard.ts";
import { ApiError, problemOf } from "../client/api.ts";
import { forEachOf, nameList } from "./selection.ts";

interface Change {
  item: PublicStream;
  value: string;
}

/** Changes one field of many streams, which Undo takes back. */
export function useManyChange(board: Board, field: "name" | "group") {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");

  const send = (changes: readonly Change[]) =>
    forEachOf(changes, AT_ONCE, ({ item, value }) => board.update(item.id, { [field]: value }));

  const names = (failed: { item: Change }[]) => nameList(failed.map(({ item }) => item.item.name));

  /** @param done the text when all is done. @returns whether it is. */
  async function save(changes: readonly Change[], done: string): Promise<boolean> {
    if (isBusy) return false;
    setBusy(true);
    setProblem("");
    const failed = await send(changes);
    setBusy(false);
    if (failed.length === 0) {
      board.toast.show(done, { undo: () => void putBack(changes) });
      return true;
    }
    const { error } = failed[0];
    const reason = error instanceof ApiError && error.fields[field] || problemOf(error);
    setProblem(`${names(failed)} not changed. ${reason}`);
    return false;
  }

  async function putBack(changes: readonly Change[]) {
    const failed = await send(changes.map(({ item }) => ({ item, value: item[field] })));
    if (failed.length === 0) return;
    board.problem.value = `${names(failed)} could not be put back. ${problemOf(failed[0].error)}`;
  }

  return { isBusy, problem, setProblem, save };
}
