import { Toasts } from "../ui/Toasts.tsx";
import { useBoardContext } from "./BoardContext.ts";

/** The messages over the board. */
export function BoardToasts() {
  const { connection, problem, announcement, toast, deleting } = useBoardContext().board;
  return (
    <Toasts
      connection={connection.value}
      problem={problem.value}
      announcement={announcement.value}
      toast={toast}
      work={deleting.value && { what: "Deleting", ...deleting.value }}
      onDismiss={() => problem.value = ""}
    />
  );
}
