import { useRef } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import { useBoardContext } from "../board/BoardContext.ts";
import { groupsOf } from "../form/suggestions.ts";
import { Field } from "../ui/Field.tsx";
import { ManyDialog } from "./ManyDialog.tsx";
import { useManyChange } from "./useManyChange.ts";

interface GroupDialogProps {
  streams: readonly PublicStream[];
  onClose: () => void;
}

/** Puts all selected streams into one group. */
export function GroupDialog({ streams, onClose }: GroupDialogProps) {
  const { board } = useBoardContext();
  const form = useRef<HTMLFormElement>(null);
  const { save, ...progress } = useManyChange(board, "group");
  const common = streams.every(({ group }) => group === streams[0].group) ? streams[0]?.group : "";

  function submit() {
    const group = String(new FormData(form.current!).get("group"));
    const others = streams.filter((stream) => stream.group !== group);
    const text = group.trim() ? `The group is “${group.trim()}” now.` : "The group is removed.";
    return save(others.map((item) => ({ item, value: group })), text);
  }

  return (
    <ManyDialog
      id="set-group"
      title="Set the group"
      action="Set group"
      {...{ form, streams, submit, onClose, ...progress }}
    >
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
    </ManyDialog>
  );
}
