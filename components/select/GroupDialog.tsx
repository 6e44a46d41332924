import { useRef, useState } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import { useBoardContext } from "../board/BoardContext.ts";
import { AT_ONCE } from "../board/deletions.ts";
import { ApiError, problemOf } from "../client/api.ts";
import { groupsOf } from "../form/suggestions.ts";
import { closeDialog, Dialog } from "../ui/Dialog.tsx";
import { Field } from "../ui/Field.tsx";
import { forEachOf, nameList } from "./selection.ts";

interface GroupDialogProps {
  streams: readonly PublicStream[];
  onClose: () => void;
}

/** Puts all selected streams into one group. */
export function GroupDialog({ streams, onClose }: GroupDialogProps) {
  const { board } = useBoardContext();
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const common = streams.every(({ group }) => group === streams[0].group) ? streams[0]?.group : "";

  async function save(event: SubmitEvent) {
    event.preventDefault();
    if (isBusy) return;
    const group = String(new FormData(form.current!).get("group"));
    setBusy(true);
    setProblem("");
    const others = streams.filter((stream) => stream.group !== group);
    const failed = await forEachOf(others, AT_ONCE, ({ id }) => board.update(id, { group }));
    setBusy(false);
    if (failed.length === 0) {
      const text = group.trim() ? `In the group “${group.trim()}” now.` : "In no group any more.";
      board.toast.show(text, { undo: () => void putBack(others) });
      return form.current!.closest("dialog")!.close();
    }
    const { error } = failed[0];
    const reason = error instanceof ApiError && error.fields.group || problemOf(error);
    setProblem(`${nameList(failed.map(({ item }) => item.name))} not changed. ${reason}`);
  }

  async function putBack(those: readonly PublicStream[]) {
    const failed = await forEachOf(those, AT_ONCE, ({ id, group }) => board.update(id, { group }));
    if (failed.length === 0) return;
    const names = nameList(failed.map(({ item }) => item.name));
    board.problem.value = `${names} could not be put back. ${problemOf(failed[0].error)}`;
  }

  return (
    <Dialog id="set-group" title="Set the group" mayClose={() => !isBusy} onClose={onClose}>
      <form ref={form} noValidate aria-busy={isBusy} onSubmit={save}>
        <div class="dialog-body">
          <p class="wrap">Of {nameList(streams.map(({ name }) => name), 5)}.</p>
          <Field
            form="many"
            name="group"
            label="Group"
            hint="Leave it empty for no group. Running streams are not disturbed."
            list="many-groups"
            maxLength={60}
            autocomplete="off"
            autofocus
            value={common}
          />
          <datalist id="many-groups">
            {groupsOf(board.state.value.streams).map((group) => <option key={group} value={group} />)}
          </datalist>
          <p class="problem" role="alert">{problem}</p>
        </div>
        <div class="dialog-actions">
          <button type="button" aria-disabled={isBusy} onClick={closeDialog}>Cancel</button>
          <button type="submit" class="primary" aria-disabled={isBusy}>
            {isBusy ? "Saving…" : "Set group"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
