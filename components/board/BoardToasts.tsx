import { Toasts } from "../ui/Toasts.tsx";
import { useBoardContext } from "./BoardContext.ts";

/** The messages over the board. */
export function BoardToasts() {
  const { connection, problem, announcement, toast } = useBoardContext().board;
  return (
    <Toasts
      connection={connection.value}
      problem={problem.value}
      announcement={announcement.value}
      toast={toast}
      onDismiss={() => problem.value = ""}
    />
  );
}
