import { useRef, useState } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import { useBoardContext } from "../board/BoardContext.ts";
import { Field } from "../ui/Field.tsx";
import { ManyDialog } from "./ManyDialog.tsx";
import { renamings } from "./renaming.ts";
import { useManyChange } from "./useManyChange.ts";

/** The number of new names that are shown before it is done. */
const SHOWN = 5;

interface RenameDialogProps {
  streams: readonly PublicStream[];
  onClose: () => void;
}

/** Replaces a text in the names of all selected streams, or puts one before them. */
export function RenameDialog({ streams, onClose }: RenameDialogProps) {
  const { board } = useBoardContext();
  const form = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState({ find: "", replacement: "" });
  const { save, setProblem, ...progress } = useManyChange(board, "name");
  const changes = renamings(streams, typed.find, typed.replacement);
  const isNowhere = typed.find !== "" && !streams.some(({ name }) => name.includes(typed.find));

  async function submit() {
    if (changes.length > 0) {
      return await save(
        changes,
        changes.length === 1 ? "1 name is changed." : `${changes.length} names are changed.`,
      );
    }
    setProblem(
      isNowhere
        ? `No selected name has “${typed.find}” in it.`
        : "Type the new text. Example: “Hall ” makes “Hall Clock” of “Clock”.",
    );
    return false;
  }

  return (
    <ManyDialog
      id="rename-many"
      title="Rename"
      action={changes.length > 0 ? `Rename ${changes.length}` : "Rename"}
      {...{ form, streams, submit, onClose, ...progress }}
    >
      <div class="rename-fields" onInput={() => setTyped(textsOf(form.current!))}>
        <Field
          form="many"
          name="find"
          label="Find"
          hint="Leave it empty to put the new text before each name."
          maxLength={120}
          autocomplete="off"
          autofocus
        />
        <Field form="many" name="replacement" label="Replace with" maxLength={120} autocomplete="off" />
      </div>
      <ul class="new-names" aria-live="polite">
        {changes.slice(0, SHOWN).map(({ item, value }) => (
          <li key={item.id} class="wrap">
            <span class="hint">{item.name} →</span> {value || <em>no name</em>}
          </li>
        ))}
        {changes.length > SHOWN && <li class="hint">and {changes.length - SHOWN} more</li>}
      </ul>
    </ManyDialog>
  );
}

function textsOf(form: HTMLFormElement): { find: string; replacement: string } {
  const typed = new FormData(form);
  return { find: String(typed.get("find")), replacement: String(typed.get("replacement")) };
}
