import { useRef, useState } from "preact/hooks";
import { Dialog } from "../../ui/Dialog.tsx";
import type { ShownPast } from "./shownPast.ts";
import { ExportForm } from "./ExportForm.tsx";
import type { Exports } from "./exports.ts";
import { FilmList } from "./FilmList.tsx";

interface ExportDialogProps {
  exports: Exports;
  past: ShownPast;
  /** Whether who looks may have films made, and delete them. */
  mayMake: boolean;
  /** Called when this page has changed the films. */
  onChange: () => void;
  onClose: () => void;
}

/** Has a film of the past made, and lists those that are there. */
export function ExportDialog({ exports, past, mayMake, onChange, onClose }: ExportDialogProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [said, say] = useState("");
  return (
    <Dialog id="export" title={mayMake ? "Export" : "Films"} onClose={onClose}>
      <div class="dialog-body">
        {mayMake && (
          <ExportForm
            id={exports.id}
            past={past}
            onMake={async (range, speed) => {
              await exports.add(range, speed);
              say("The film is being made. You can close this window: it goes on.");
              onChange();
            }}
          />
        )}
        <section class="export-films" aria-labelledby="export-films">
          <h3 id="export-films" ref={heading} tabIndex={-1}>{mayMake ? "Films" : "Films of this channel"}</h3>
          <FilmList
            exports={exports}
            mayMake={mayMake}
            heading={heading}
            onChange={(text) => {
              say(text);
              onChange();
            }}
          />
          <p class="hint export-said" role="status">{said}</p>
        </section>
      </div>
    </Dialog>
  );
}
