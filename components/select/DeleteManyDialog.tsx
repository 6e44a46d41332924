import { useState } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import { useBoardContext } from "../board/BoardContext.ts";
import { problemOf } from "../client/api.ts";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { forEachOf, nameList } from "./selection.ts";
import { AT_ONCE } from "./useBatch.ts";

interface DeleteManyDialogProps {
  streams: readonly PublicStream[];
  onClose: () => void;
}

/** Asks once before all selected streams are deleted. */
export function DeleteManyDialog({ streams, onClose }: DeleteManyDialogProps) {
  const { board } = useBoardContext();
  // the streams of the question: deleted streams leave the selection
  const [asked] = useState(streams);
  const [left, setLeft] = useState(streams);
  const done = asked.length - left.length;

  async function remove() {
    const failed = await forEachOf(left, AT_ONCE, async (stream) => {
      await board.remove(stream);
      setLeft((those) => those.filter(({ id }) => id !== stream.id));
    });
    if (failed.length === 0) return;
    throw new Error(`${nameList(failed.map(({ item }) => item.name))}: ${problemOf(failed[0].error)}`);
  }

  const count = asked.length === 1 ? "this stream" : `these ${asked.length} streams`;
  return (
    <ConfirmDialog
      id="delete-many"
      title={`Delete ${count}?`}
      keep={asked.length === 1 ? "Keep it" : "Keep them"}
      action={`Delete ${left.length}`}
      acting={`Deleting… ${done} of ${asked.length}`}
      failed="Not deleted:"
      onConfirm={remove}
      onClose={onClose}
    >
      <strong class="wrap">{nameList(asked.map(({ name }) => name), 12)}</strong>{" "}
      {asked.length === 1 ? "goes" : "go"}{" "}
      off air. Their settings and browser profiles, with any sign-in, are removed for good.
    </ConfirmDialog>
  );
}
