import { useEffect, useRef } from "preact/hooks";
import { streamLinks } from "../../lib/model/links.ts";
import type { PublicStream } from "../../lib/model/schema.ts";
import { mayDo } from "../client/mayDo.ts";
import type { OpenDialog } from "./openDialog.ts";

/**
 * A stream's own page leads to its form on the board by `#edit=ID`. The form opens as soon as the stream is in the list.
 * @returns leads the person back to that page; false: the form was opened on the board.
 */
export function useEditFromPage(
  streams: readonly PublicStream[],
  openDialog: (dialog: OpenDialog) => void,
): () => boolean {
  const editedFrom = useRef<string>();
  useEffect(() => {
    const id = new URLSearchParams(location.hash.slice(1)).get("edit");
    const stream = streams.find((one) => one.id === id);
    if (!stream || !mayDo("operator")) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    editedFrom.current = streamLinks(stream.id).stream;
    openDialog({ kind: "edit", stream });
  }, [streams]);
  return () => {
    if (editedFrom.current) location.assign(editedFrom.current);
    return editedFrom.current !== undefined;
  };
}
