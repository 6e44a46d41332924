import type { RefObject } from "preact";
import type { Difference } from "./draft.ts";

interface ConflictPanelProps {
  differences: Difference[];
  isBusy: boolean;
  panelRef: RefObject<HTMLDivElement>;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

/** The panel after another person has saved the edited stream: the differences, and the choice between the versions. */
export function ConflictPanel(
  { differences, isBusy, panelRef, onKeepMine, onTakeTheirs }: ConflictPanelProps,
) {
  return (
    <div class="conflict" role="group" aria-labelledby="conflict-title" ref={panelRef} tabIndex={-1}>
      <h3 id="conflict-title">Someone else saved this stream while you were editing it</h3>
      <p>Your changes are not saved yet. Nothing that you typed is lost.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Yours</th>
            <th scope="col">Theirs</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ field, label, yours, theirs }) => (
            <tr key={field}>
              <th scope="row">{label}</th>
              <td>{yours ?? <span class="hint">you did not change it: theirs stays</span>}</td>
              <td>{theirs}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="conflict-actions">
        <button type="button" aria-disabled={isBusy} onClick={onKeepMine}>Keep mine</button>
        <button type="button" aria-disabled={isBusy} onClick={onTakeTheirs}>Take theirs</button>
      </div>
      <p class="hint">
        “Keep mine” saves the fields that you changed and keeps their other fields. “Take theirs” discards
        your changes.
      </p>
    </div>
  );
}
