import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Problems } from "./FormSummary.tsx";
import { SECTION_FIELDS, type SectionName } from "./sectionLines.ts";

/** The properties of every section of the form. */
export interface FoldedParts {
  /** The line about the settings of each section. */
  lines: Record<SectionName, string>;
  /** The problems of the fields and of the stored secrets. */
  problems: Problems;
}

interface FoldedSectionProps extends FoldedParts {
  name: SectionName;
  title: string;
  /** A function gets whether the section is open, and may show more then. */
  children: ComponentChildren | ((isOpen: boolean) => ComponentChildren);
}

/** A closed part of the form: its title, and one line with its settings, or with the news that a field in it is wrong. */
export function FoldedSection({ name, title, lines, problems, children }: FoldedSectionProps) {
  const [isOpen, setOpen] = useState(false);
  const isWrong = SECTION_FIELDS[name].some((field) => field in problems);
  return (
    <details class="folded" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="folded-title">{title}</span>
        <span class={isWrong ? "problem" : "hint"}>{isWrong ? "Needs a change" : lines[name]}</span>
      </summary>
      <div class="details-body">{typeof children === "function" ? children(isOpen) : children}</div>
    </details>
  );
}
