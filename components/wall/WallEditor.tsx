import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { isSameGroup } from "../../lib/model/group.ts";
import type { Wall } from "../../lib/model/wall/wall.ts";
import { api, ApiError, problemOf } from "../client/api.ts";
import { CheckLine } from "../ui/CheckLine.tsx";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { Field } from "../ui/Field.tsx";
import { EditorGrid } from "./EditorGrid.tsx";
import { FillByGroup } from "./FillByGroup.tsx";
import { SlotTools } from "./SlotTools.tsx";
import { StreamPalette } from "./StreamPalette.tsx";
import { useWallDraft } from "./useWallDraft.ts";
import { useWallDrag } from "./useWallDrag.ts";
import { SIDES, type WallStream } from "./wallStreams.ts";

interface WallEditorProps {
  /** null: a new wall. */
  wall: Wall | null;
  streams: readonly WallStream[];
  onSaved: (wall: Wall) => void;
  onCancel: () => void;
}

/** The name, size and slots of a wall. Nothing is stored before Save. */
export function WallEditor({ wall, streams, onSaved, onCancel }: WallEditorProps) {
  const form = useRef<HTMLFormElement>(null);
  const draft = useWallDraft(wall);
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState("");
  const [problems, setProblems] = useState<Record<string, string>>({});
  const { rows, columns, slots } = draft.layout;
  const geometry = slots.map((slot) => `${slot.row} ${slot.column} ${slot.rowSpan} ${slot.columnSpan}`)
    .join();
  useWallDrag(form, geometry, { onPlace: (stream, slot) => draft.place(slot, stream), onSwap: draft.swap });
  const name = () => String(new FormData(form.current!).get("name")).trim();
  const isChanged = () => draft.isChanged() || name() !== (wall?.name ?? "");
  const changed = useRef(isChanged);
  changed.current = isChanged;

  useLayoutEffect(() => {
    form.current!.querySelector("input")!.focus();
    scrollTo(0, 0);
    const ask = (event: BeforeUnloadEvent) => changed.current() && event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, []);
  useLayoutEffect(() => form.current!.querySelector<HTMLElement>("[aria-invalid]")?.focus(), [problems]);

  async function save(event: SubmitEvent) {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem("");
    setProblems({});
    try {
      const body = { name: name(), ...draft.fields() };
      const saved = wall
        ? await api.updateWall(wall.id, { ...body, revision: wall.revision })
        : await api.createWall(body);
      changed.current = () => false;
      onSaved(saved);
    } catch (error) {
      const fields = error instanceof ApiError ? error.fields : {};
      setProblems(fields);
      setProblem(fields.name ? "" : Object.values(fields)[0] ?? problemOf(error));
      setBusy(false);
    }
  }

  const side = (id: "rows" | "columns", label: string, value: number) => (
    <div class="field">
      <label for={`wall-${id}`}>{label}</label>
      <select
        id={`wall-${id}`}
        value={String(value)}
        onChange={({ currentTarget }) => {
          const count = Number(currentTarget.value);
          draft.resize(id === "rows" ? count : rows, id === "columns" ? count : columns);
        }}
      >
        {SIDES.map((each) => <option key={each} value={each}>{each}</option>)}
      </select>
    </div>
  );

  return (
    <form class="wall-editor" ref={form} noValidate aria-busy={isBusy} onSubmit={save}>
      <h1>{wall ? `Edit “${wall.name}”` : "New wall"}</h1>
      <div class="wall-fields">
        <Field
          form="wall"
          name="name"
          label="Name"
          placeholder="Control room"
          maxLength={60}
          autocomplete="off"
          defaultValue={wall?.name ?? ""}
          problem={problems.name}
        />
        {side("rows", "Rows", rows)}
        {side("columns", "Columns", columns)}
      </div>
      <div class="wall-work">
        <div class="wall-left">
          <EditorGrid draft={draft} streams={streams} />
          <SlotTools draft={draft} streams={streams} />
          <FillByGroup
            streams={streams}
            onFill={(group) =>
              draft.fill(
                streams.filter((stream) => group === "" || isSameGroup(stream.group, group)).map(({ id }) =>
                  id
                ),
              )}
          />
          <CheckLine
            of="wall"
            name="showNames"
            label="Show the streams' names"
            isOn={draft.showNames}
            onChange={draft.setShowNames}
          />
        </div>
        <StreamPalette draft={draft} streams={streams} />
      </div>
      <p class="problem" role="alert">{problem}</p>
      <div class="wall-save">
        <button type="button" onClick={() => isChanged() ? setAsking(true) : onCancel()}>Cancel</button>
        <button type="submit" class="primary" aria-disabled={isBusy}>{isBusy ? "Saving…" : "Save"}</button>
      </div>
      {isAsking && (
        <ConfirmDialog
          id="leave-wall"
          title="Leave without saving?"
          keep="Go on editing"
          action="Leave"
          onConfirm={() => {
            changed.current = () => false;
            onCancel();
          }}
          onClose={() => setAsking(false)}
        >
          Your changes to this wall are not saved yet.
        </ConfirmDialog>
      )}
    </form>
  );
}
