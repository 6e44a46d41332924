import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Problems } from "./FormSummary.tsx";
import { SECTION_FIELDS, type SectionName } from "./sectionLines.ts";

/** What every section of the form is told. */
export interface FoldedParts {
  /** What is set in each section. */
  lines: Record<SectionName, string>;
  /** The problems of the fields and of the stored secrets. */
  problems: Problems;
}

interface FoldedSectionProps extends FoldedParts {
  name: SectionName;
  title: string;
  /** A function is told whether the section is open: it may do more then. */
  children: ComponentChildren | ((isOpen: boolean) => ComponentChildren);
}

/** A closed part of the form: its title, and one line of what is set in it, or that something in it is wrong. */
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
