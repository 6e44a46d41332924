import { labelOf } from "../../lib/model/fields.ts";
import type { ImportSummary } from "../../lib/model/answers/shapes.ts";

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

/** The changes that importing a file would make. */
export function ImportPreview({ fileName, plan }: { fileName: string; plan: ImportSummary }) {
  const { added, changed, unchanged } = plan;
  const isIdle = added.length + changed.length === 0;
  return (
    <div class="import-preview">
      <h3 class="wrap">What “{fileName}” would do</h3>
      {isIdle && <p>It changes nothing. All its streams are here with the same settings.</p>}
      {added.length > 0 && (
        <div>
          <h4>Added ({added.length})</h4>
          <ul>
            {added.map((stream) => (
              <li key={stream.id} class="wrap">
                {stream.name}
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
      <p class="hint">Streams that are not in the file stay as they are.</p>
    </div>
  );
}

/** The result of an import. */
export function ImportReport({ result }: { result: ImportSummary }) {
  const { added, changed } = result;
  const open = [...added, ...changed].filter(({ needsPassword }) => needsPassword);
  return (
    <div class="import-report" role="status">
      <p class="solved">Imported: {added.length} added, {changed.length} changed.</p>
      {open.length > 0 && (
        <p class="wrap">
          Type the password again in the settings of: {open.map(({ name }) => name).join(", ")}.
        </p>
      )}
    </div>
  );
}

function Password({ isNeeded }: { isNeeded?: boolean }) {
  return isNeeded ? <strong class="needs-password">needs its password again</strong> : null;
}

const OTHERS: Record<string, string> = { desiredState: "Running or stopped", order: "Position" };

function label(field: string): string {
  return OTHERS[field] ?? labelOf(field);
}
