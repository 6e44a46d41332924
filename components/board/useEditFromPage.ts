import { useEffect, useRef } from "preact/hooks";
import { streamLinks } from "../../lib/model/links.ts";
import { mayDo } from "../client/mayDo.ts";
import { type BoardState, statusOf } from "./boardState.ts";
import { remedyDialog } from "./card/cardRemedies.ts";
import type { OpenDialog } from "./openDialog.ts";

/**
 * A stream's own page leads to its form on the board by `#edit=ID`, and to the dialog of a remedy by `&remedy=NAME`. It
 * opens as soon as the stream is in the list.
 * @returns leads the person back to that page; false: the form was opened on the board.
 */
export function useEditFromPage(
  { streams, statuses }: BoardState,
  openDialog: (dialog: OpenDialog) => void,
): () => boolean {
  const editedFrom = useRef<string>();
  useEffect(() => {
    const asked = new URLSearchParams(location.hash.slice(1));
    const stream = streams.find(({ id }) => id === asked.get("edit"));
    if (!stream || !mayDo("operator")) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    editedFrom.current = streamLinks(stream.id).stream;
    const remedy = remedyDialog(asked.get("remedy"), stream, statusOf(stream, statuses));
    openDialog(remedy ?? { kind: "edit", stream });
  }, [streams]);
  return () => {
    if (editedFrom.current) location.assign(editedFrom.current);
    return editedFrom.current !== undefined;
  };
}
