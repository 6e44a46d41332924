import { useRef } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import { useBoardContext } from "../board/BoardContext.ts";
import { SelectField } from "../ui/Field.tsx";
import { ManyDialog } from "./ManyDialog.tsx";

/** Which no id can be. */
const END = "/";

interface OrderDialogProps {
  streams: readonly PublicStream[];
  onClose: () => void;
}

/** Moves all selected streams to one place of the board's order. */
export function OrderDialog({ streams, onClose }: OrderDialogProps) {
  const { board, items } = useBoardContext();
  const form = useRef<HTMLFormElement>(null);
  const ids = streams.map(({ id }) => id as string);
  const others = items.filter(({ id }) => !ids.includes(id));

  function submit() {
    const place = String(new FormData(form.current!).get("place"));
    void board.place(ids, place === END ? null : place);
    return Promise.resolve(true);
  }

  return (
    <ManyDialog id="order-many" title="Move" action="Move" {...{ form, streams, submit, onClose }}>
      <SelectField
        form="many"
        name="place"
        label="Where to"
        hint="They keep their order. Each group is a section of its own on the board."
        options={[...others.map(({ id }) => id), END]}
        labels={Object.fromEntries([
          ...others.map(({ id, name }, at) => [id, at === 0 ? "To the top" : `Before “${name}”`]),
          [END, "To the end"],
        ])}
        initial={others[0]?.id ?? END}
      />
    </ManyDialog>
  );
}
