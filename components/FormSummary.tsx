import type { RefObject } from "preact";

/** Problems by field name; a problem of no single field is under "". */
export type Problems = Record<string, string>;

interface FormSummaryProps {
  form: string;
  problems: Problems;
  summaryRef: RefObject<HTMLDivElement>;
}

/** What is wrong, in one place that takes the focus; each line leads to its field. */
export function FormSummary({ form, problems, summaryRef }: FormSummaryProps) {
  const { "": general, ...byField } = problems;
  const fields = Object.entries(byField);
  if (!general && fields.length === 0) return null;
  return (
    <div class="summary" ref={summaryRef} tabIndex={-1} role="alert">
      <p class="problem">
        {general ??
          (fields.length === 1 ? "One field needs a change:" : `${fields.length} fields need a change:`)}
      </p>
      {fields.length > 0 && (
        <ul>
          {fields.map(([name, problem]) => (
            <li key={name}>
              <a href={`#${form}-${name}`} onClick={focusTarget}>{problem}</a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function focusTarget(event: MouseEvent) {
  const target = document.querySelector<HTMLElement>((event.currentTarget as HTMLAnchorElement).hash);
  if (!target) return;
  event.preventDefault();
  target.focus();
}
