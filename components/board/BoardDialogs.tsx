import { useEffect, useRef } from "preact/hooks";
import type { FormOptions } from "../form/formOptions.ts";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { lazy } from "../ui/lazy.tsx";
import { useBoardContext } from "./BoardContext.ts";
import { type MoreDialogProps } from "./MoreDialogs.tsx";
import type { OpenDialog } from "./openDialog.ts";

/** The following dialogs are fetched when they are opened for the first time. */
const StreamFormDialog = lazy(async () => (await import("../form/StreamFormDialog.tsx")).StreamFormDialog);
const MoreDialogs = lazy(async () => (await import("./MoreDialogs.tsx")).MoreDialogs);

interface BoardDialogsProps extends Pick<MoreDialogProps, "publicAddress" | "rtmpPort"> {
  dialog: OpenDialog | null;
  options: FormOptions;
  /** `added`: the id of the stream that the dialog has added; `isRemoved`: the dialog's stream is gone. */
  onClose: (outcome: { added?: string; isRemoved?: boolean }) => void;
}

/** The dialogs over the board, one at a time. */
export function BoardDialogs({ dialog, options, publicAddress, rtmpPort, ...props }: BoardDialogsProps) {
  const { board } = useBoardContext();
  const added = useRef<string>();
  useEffect(() => {
    if (dialog) board.problem.value = ""; // it was about an earlier command
  }, [dialog]);
  if (!dialog) return null;
  const { streams } = board.state.value;
  const onClose = () => {
    const isRemoved = "stream" in dialog &&
      !board.state.peek().streams.some(({ id }) => id === dialog.stream.id);
    props.onClose({ added: added.current, isRemoved });
    added.current = undefined;
  };
  const failed = (message: string) => {
    board.problem.value = message;
    onClose();
  };
  switch (dialog.kind) {
    case "add":
    case "edit":
    case "duplicate":
      return (
        <StreamFormDialog
          key={`${dialog.kind} ${"stream" in dialog ? dialog.stream.id : ""}`}
          kind={dialog.kind}
          stream={"stream" in dialog ? dialog.stream : undefined}
          field={"field" in dialog ? dialog.field : undefined}
          address={"address" in dialog ? dialog.address : undefined}
          streams={streams}
          options={options}
          onCreate={async (body) => added.current = await board.create(body)}
          onUpdate={board.update}
          onClose={onClose}
          onFail={failed}
        />
      );
    case "recreate":
      return (
        <ConfirmDialog
          id="recreate"
          title="Reset the sign-in?"
          keep="Keep it"
          action="Reset sign-in"
          // the recreation goes on behind: the card shows its progress
          onConfirm={() => void board.run(dialog.stream, "recreate")}
          onClose={onClose}
        >
          <strong class="wrap">{dialog.stream.name}</strong>{" "}
          gets a new browser profile: the page is signed out, and its cookies and stored data are removed for
          good. The settings stay. Viewers lose the picture for some seconds.
        </ConfirmDialog>
      );
    default:
      return (
        <MoreDialogs
          key={dialog.kind}
          dialog={dialog}
          publicAddress={publicAddress}
          rtmpPort={rtmpPort}
          onClose={onClose}
          onFail={failed}
        />
      );
  }
}
