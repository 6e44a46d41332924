import { labelOf } from "../../lib/model/fields.ts";
import type { Imported, WallsImported } from "../../lib/model/answers/shapes.ts";

/** Why a file cannot be imported; `fields` are the file's problems by entry. */
export function BackupProblems({ message, fields }: { message: string; fields: Record<string, string> }) {
  const problems = Object.entries(fields);
  return (
    <div class="summary" role="alert">
      <p class="problem">{message}</p>
      {problems.length > 0 && (
        <ul>
          {problems.map(([where, problem]) => (
            <li key={where} class="wrap">
              <strong>{where}</strong>: {problem}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** How many streams, or walls, an import adds or changes. */
export const changesOf = ({ added, changed }: { added: unknown[]; changed: unknown[] }) =>
  added.length + changed.length;

/** The changes that importing a file would make. */
export function ImportPreview({ fileName, plan }: { fileName: string; plan: Imported }) {
  const { added, changed, unchanged, walls } = plan;
  const isIdle = changesOf(plan) + changesOf(walls) === 0;
  return (
    <div class="import-preview">
      <h3 class="wrap">What “{fileName}” would do</h3>
      {isIdle && (
        <p>The file changes nothing: all its streams and walls are here already, with the same settings.</p>
      )}
      {added.length > 0 && (
        <div>
          <h4>Added ({added.length})</h4>
          <ul>
            {added.map((stream) => (
              <li key={stream.id} class="wrap">
                {stream.name}
                <OtherNumber number={stream.channelNumber} />
                <Password isNeeded={stream.needsPassword} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {changed.length > 0 && (
        <div>
          <h4>Changed ({changed.length})</h4>
          <ul>
            {changed.map((stream) => (
              <li key={stream.id} class="wrap">
                {stream.name}: <span class="hint">{stream.fields.map(label).join(", ")}</span>
                <OtherNumber number={stream.channelNumber} />
                <Password isNeeded={stream.needsPassword} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {unchanged.length > 0 && (
        <details>
          <summary>Unchanged ({unchanged.length})</summary>
          <p class="details-body wrap">{unchanged.join(", ")}</p>
        </details>
      )}
      <WallsPreview walls={walls} />
      <p class="hint">Streams and walls that are not in the file stay as they are.</p>
    </div>
  );
}

/** What importing a file would do to the walls, and which streams their slots miss. */
function WallsPreview({ walls: { added, changed, unchanged } }: { walls: WallsImported }) {
  return (
    <>
      {added.length > 0 && (
        <div>
          <h4>Walls added ({added.length})</h4>
          <ul>
            {added.map(({ id, name, missing }) => (
              <li key={id} class="wrap">
                {name}
                <Missing ids={missing} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {changed.length > 0 && (
        <div>
          <h4>Walls changed ({changed.length})</h4>
          <ul>
            {changed.map(({ id, name, fields, missing }) => (
              <li key={id} class="wrap">
                {name}:{" "}
                <span class="hint">{fields.map((field) => WALL_FIELDS[field] ?? field).join(", ")}</span>
                <Missing ids={missing} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {unchanged.length > 0 && (
        <details>
          <summary>Walls unchanged ({unchanged.length})</summary>
          <p class="details-body wrap">{unchanged.join(", ")}</p>
        </details>
      )}
    </>
  );
}

function Missing({ ids }: { ids?: string[] }) {
  return ids ? <strong class="needs-password">without {ids.join(", ")}: not here</strong> : null;
}

const WALL_FIELDS: Record<string, string> = {
  name: "Name",
  rows: "Rows",
  columns: "Columns",
  showNames: "Names on the picture",
  slots: "Slots",
};

/** The result of an import. */
export function ImportReport({ result }: { result: Imported }) {
  const { added, changed, walls } = result;
  const open = [...added, ...changed].filter(({ needsPassword }) => needsPassword);
  return (
    <div class="import-report" role="status">
      <p class="solved">
        Imported: {added.length} added, {changed.length} changed.
        {changesOf(walls) > 0 &&
          ` Walls: ${walls.added.length} added, ${walls.changed.length} changed.`}
      </p>
      {open.length > 0 && (
        <p class="wrap">
          Type passwords and other secrets again in the settings of:{" "}
          {open.map(({ name }) => name).join(", ")}.
        </p>
      )}
    </div>
  );
}

function OtherNumber({ number }: { number?: number }) {
  return number === undefined
    ? null
    : <span class="hint">: channel {number}, as another stream has its number here</span>;
}

function Password({ isNeeded }: { isNeeded?: boolean }) {
  return isNeeded ? <strong class="needs-password">needs its secrets again</strong> : null;
}

const OTHERS: Record<string, string> = { desiredState: "Running or stopped", order: "Position" };

function label(field: string): string {
  return OTHERS[field] ?? labelOf(field);
}
