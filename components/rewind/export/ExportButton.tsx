import { useEffect, useState } from "preact/hooks";
import { CurrentConnection } from "../../client/connection.ts";
import { mayDo } from "../../client/mayDo.ts";
import { usePolling } from "../../client/usePolling.ts";
import { Exports } from "./exports.ts";
import type { ShownPast } from "./shownPast.ts";

/** What few viewers need. Not by ui/lazy.tsx: shared with this page, it would be a file more for each board. */
const loadDialog = async () => (await import("./ExportDialog.tsx")).ExportDialog;
type Dialog = Awaited<ReturnType<typeof loadDialog>>;

/** A film that is being made is looked at each second. */
const EVERY_MS = 1000;

/** The way to the films of this past: to have one made, and for viewers to those that are there. */
export function ExportButton({ id, past, isReady }: { id: string; past: ShownPast; isReady: boolean }) {
  const [exports] = useState(() =>
    new Exports(id, ({ state }) => {
      if (exports.isOpen.value) return;
      past.say(state === "done" ? "The film is made, and can be downloaded." : "The film was not made.");
    })
  );
  const [ExportDialog, setDialog] = useState<Dialog | null>(null);
  const ask = usePolling(async (isAsked) => {
    if (isAsked || exports.isWatched) await exports.read();
  }, EVERY_MS);
  useEffect(() => ask(), []);

  const mayMake = !isReady || mayDo("operator");
  const hasFilms = (exports.films.value ?? []).length > 0;
  const isThere = mayMake ? past.kept.value !== null || hasFilms : hasFilms;
  const { value: current } = exports.current;
  const percent = Math.floor((current?.progress ?? 0) * 100);

  async function open() {
    try {
      const dialog = await loadDialog();
      setDialog(() => dialog);
      exports.isOpen.value = true;
      ask();
    } catch {
      past.say("This part of the page could not be loaded. Reload the page, then try again.");
    }
  }

  return (
    <>
      {isThere && (
        <button
          type="button"
          class="export-button"
          data-least={mayMake ? "operator" : undefined}
          aria-haspopup="dialog"
          onClick={open}
        >
          <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <path d="M4 5.5h16v13H4zM8.5 5.5v13M15.5 5.5v13M4 10h4.5M4 14h4.5M15.5 10h4.5M15.5 14h4.5" />
          </svg>
          {mayMake ? "Export" : "Films"}
          {current && (
            <>
              <span class="hidden">: a film is being made, {percent} %</span>
              <span class="export-sign" style={{ width: `${percent}%` }} aria-hidden="true" />
            </>
          )}
        </button>
      )}
      {exports.isOpen.value && ExportDialog && (
        <CurrentConnection.Provider value={exports.connection.value}>
          <ExportDialog
            exports={exports}
            past={past}
            mayMake={mayMake}
            onChange={ask}
            onClose={() => exports.isOpen.value = false}
          />
        </CurrentConnection.Provider>
      )}
    </>
  );
}
