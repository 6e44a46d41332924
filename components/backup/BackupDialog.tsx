import { useRef, useState } from "preact/hooks";
import { api, ApiError, problemOf } from "../client/api.ts";
import { BackupProblems, changesOf, ImportPreview, ImportReport } from "./BackupParts.tsx";
import { readListFile } from "./backupFile.ts";
import { closeDialog, Dialog } from "../ui/Dialog.tsx";
import { useFileDrop } from "../ui/useFileDrop.ts";
import type { Imported } from "../../lib/model/answers/shapes.ts";

interface BackupDialogProps {
  /** Called when the list has changed. */
  onImported: () => void;
  onClose: () => void;
}

interface Chosen {
  name: string;
  text: string;
  plan: Imported;
}

interface Problem {
  message: string;
  /** Problems by entry and field. */
  fields: Record<string, string>;
}

/** Saves the stream list as a file, and imports a file after a preview. */
export function BackupDialog({ onImported, onClose }: BackupDialogProps) {
  const outcome = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [work, setWork] = useState<"" | "reading" | "importing">("");
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [done, setDone] = useState<Imported | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  /** Whether the file was refused because the machine can probably not carry its streams. */
  const [hasNoRoom, setHasNoRoom] = useState(false);
  /** The name of a file that was chosen while another file was being read or imported. */
  const [refused, setRefused] = useState("");

  async function attempt(kind: "reading" | "importing", run: () => Promise<void>) {
    setWork(kind);
    setRefused("");
    setProblem(null);
    setHasNoRoom(false);
    setDone(null);
    try {
      await run();
    } catch (error) {
      const isForceable = error instanceof ApiError && error.noRoom !== undefined;
      setHasNoRoom(isForceable);
      if (!isForceable) setChosen(null);
      setProblem({ message: problemOf(error), fields: error instanceof ApiError ? error.fields : {} });
    } finally {
      setWork("");
      // the same file can be chosen again after a correction
      if (input.current) input.current.value = "";
      setTimeout(() => outcome.current?.focus());
    }
  }

  function choose(file: File) {
    if (work) return setRefused(file.name);
    attempt("reading", async () => {
      const text = await readListFile(file);
      setChosen({ name: file.name, text, plan: await api.importList(text, "preview") });
    });
  }

  function confirm({ text }: Chosen) {
    if (work) return;
    attempt("importing", async () => {
      setDone(await api.importList(text, hasNoRoom ? "forced" : "checked"));
      setChosen(null);
      onImported();
    });
  }

  const isOver = useFileDrop(choose);

  const [count, wallCount] = chosen ? [chosen.plan, chosen.plan.walls].map(changesOf) : [0, 0];
  const isIdle = count + wallCount === 0;
  return (
    <Dialog id="backup" title="Backup" onClose={onClose}>
      <div class="dialog-body" aria-busy={work !== ""}>
        <section aria-labelledby="backup-export">
          <h3 id="backup-export">Export</h3>
          <p class="hint">
            One file with all streams and their settings, and with all walls. It has no passwords, except
            those inside page addresses.
          </p>
          <a class="button" href={api.exportDownload} download>Download the list</a>
        </section>
        <section aria-labelledby="backup-import" class={`drop ${isOver ? "is-over" : ""}`}>
          <h3 id="backup-import">Import</h3>
          <div class="field">
            <label for="backup-file">A list that was exported here, or a streams.json</label>
            <input
              id="backup-file"
              ref={input}
              type="file"
              accept=".json,application/json"
              aria-describedby="backup-hint"
              onChange={(event) => {
                const file = event.currentTarget.files?.[0];
                if (file) choose(file);
              }}
            />
            <p class="hint" id="backup-hint">
              You can also drop the file into this window. It shows the changes before you import them.
            </p>
          </div>
        </section>
        <p class="hidden" role="status">{work === "reading" ? "Reading the file…" : ""}</p>
        <p class="problem wrap" role="alert">
          {refused && `“${refused}” was not read, because another file was being read. Choose it again.`}
        </p>
        <div class="backup-outcome" ref={outcome} tabIndex={-1}>
          {problem && <BackupProblems {...problem} />}
          {chosen && <ImportPreview fileName={chosen.name} plan={chosen.plan} />}
          {done && <ImportReport result={done} />}
        </div>
      </div>
      <div class="dialog-actions">
        <button type="button" onClick={closeDialog}>{chosen && !isIdle ? "Cancel" : "Close"}</button>
        {chosen && !isIdle && (
          <button
            type="button"
            class="primary"
            aria-disabled={work !== ""}
            onClick={() => confirm(chosen)}
          >
            {work === "importing"
              ? "Importing…"
              : hasNoRoom
              ? "Import anyway"
              : `Import ${whatText(count, wallCount)}`}
          </button>
        )}
      </div>
    </Dialog>
  );
}

const counted = (count: number, word: string) => count === 1 ? `1 ${word}` : `${count} ${word}s`;

/** "2 streams", "1 wall", "2 streams and 1 wall". */
function whatText(streams: number, walls: number): string {
  return [streams > 0 && counted(streams, "stream"), walls > 0 && counted(walls, "wall")]
    .filter(Boolean).join(" and ");
}
