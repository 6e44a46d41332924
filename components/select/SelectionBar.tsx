import { useEffect, useState } from "preact/hooks";
import type { Command } from "../client/api.ts";
import { useBoardContext } from "../board/BoardContext.ts";
import { Icon } from "../ui/Icon.tsx";
import { GroupDialog } from "./GroupDialog.tsx";
import { OrderDialog } from "./OrderDialog.tsx";
import { pickId } from "./PickButton.tsx";
import { RenameDialog } from "./RenameDialog.tsx";
import { useBatch } from "./useBatch.ts";

const DIALOGS = { group: GroupDialog, rename: RenameDialog, order: OrderDialog };

/** The commands for the selected streams, over the page's lower edge. Escape ends the selection. */
export function SelectionBar() {
  const { board, selection } = useBoardContext();
  const { run, isBusy } = useBatch(board);
  const [asked, ask] = useState<keyof typeof DIALOGS | null>(null);
  const Asked = asked && DIALOGS[asked];
  const streams = board.state.value.streams.filter(({ id }) => selection.has(id));
  const stopped = streams.filter(({ desiredState }) => desiredState === "stopped");
  const running = streams.filter(({ desiredState }) => desiredState === "running");

  function end() {
    const isHere = document.activeElement?.closest(".selection-bar");
    const last = selection.end();
    if (isHere && last) document.getElementById(pickId(last))?.focus({ preventScroll: true });
  }

  useEffect(() => {
    const endByKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (!document.querySelector("dialog[open], [role=menu]")) end();
    };
    addEventListener("keydown", endByKey);
    return () => removeEventListener("keydown", endByKey);
  });

  const command = (word: Command, label: string, icon: "start" | "stop" | "restart", those = running) => {
    const isOff = isBusy || those.length === 0;
    return (
      <button
        type="button"
        aria-disabled={isOff || undefined}
        title={those.length === streams.length ? undefined : `${label} ${those.length} of ${streams.length}`}
        onClick={() => isOff || run(those, word)}
      >
        <Icon name={icon} />
        {label}
      </button>
    );
  };
  return (
    <>
      <div class="selection-bar" role="toolbar" aria-label="Selected streams">
        <span class="selection-count" role="status">{streams.length} selected</span>
        <div class="selection-commands">
          {command("start", "Start", "start", stopped)}
          {command("stop", "Stop", "stop")}
          {command("restart", "Restart", "restart")}
          <button type="button" onClick={() => ask("group")}>
            <Icon name="group" />Group…
          </button>
          <button type="button" onClick={() => ask("rename")}>
            <Icon name="edit" />Rename…
          </button>
          <button type="button" onClick={() => ask("order")}>
            <Icon name="move" />Move…
          </button>
          <button type="button" class="is-dangerous" onClick={() => board.remove(streams)}>
            <Icon name="delete" />Delete
          </button>
        </div>
        {streams.length < selection.shown && (
          <button type="button" onClick={selection.pickAll}>
            All {selection.shown}
            <span class="hidden">shown streams</span>
          </button>
        )}
        <button type="button" class="square" title="End the selection (Escape)" onClick={end}>
          <Icon name="close" />
          <span class="hidden">End the selection</span>
        </button>
      </div>
      {Asked && <Asked streams={streams} onClose={() => ask(null)} />}
    </>
  );
}
