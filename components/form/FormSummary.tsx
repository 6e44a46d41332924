import type { RefObject } from "preact";
import { labelOf } from "../../lib/model/fields.ts";

/** Problems by field name; a problem that belongs to no single field is under "". */
export type Problems = Record<string, string>;

interface FormSummaryProps {
  form: string;
  /** The problems when the form was sent: the list stays unchanged, so that nothing moves while people type. */
  problems: Problems;
  /** The problems that are left. */
  unsolved: Problems;
  summaryRef: RefObject<HTMLDivElement>;
}

/** The number of problems, in a line that takes the focus and leads to the fields, which show the problems. */
export function FormSummary({ form, problems, unsolved, summaryRef }: FormSummaryProps) {
  const { "": general, ...byField } = problems;
  const fields = Object.entries(byField);
  if (!general && fields.length === 0) return null;
  const left = fields.filter(([name]) => name in unsolved).length;
  return (
    <div class="summary" ref={summaryRef} tabIndex={-1} role="alert">
      <p class={general || left > 0 ? "problem" : "solved"}>{general ?? count(left)}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map(([name]) => (
            <li key={name}>
              <a
                href={`#${form}-${name}`}
                class={name in unsolved ? undefined : "is-solved"}
                onClick={focusTarget}
              >
                {labelOf(name)}
                {!(name in unsolved) && <span class="hidden">, corrected</span>}
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function count(left: number): string {
  if (left === 0) return "Ready to save.";
  return left === 1 ? "One field needs a change:" : `${left} fields need a change:`;
}

function focusTarget(event: MouseEvent) {
  const target = document.querySelector<HTMLElement>((event.currentTarget as HTMLAnchorElement).hash);
  if (!target) return;
  event.preventDefault();
  const details = target.closest("details");
  if (details) details.open = true;
  target.focus();
}
