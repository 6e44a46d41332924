import { useState } from "preact/hooks";
import { Field } from "../../ui/Field.tsx";
import type { FormOptions } from "../formOptions.ts";
import { type FormPartProps, named, text } from "../FormSections.tsx";
import { NextDay } from "./NextDay.tsx";
import { PagesField } from "./PagesField.tsx";
import { PlanField } from "./PlanField.tsx";

/** More pages, and a weekly plan: folded away, since most streams show one page all the time. */
export function ScheduleDetails({ options, ...props }: FormPartProps & { options: FormOptions }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Advanced: several pages, and a weekly plan</summary>
      <div class="details-body">
        <PagesField {...named("morePages", props)} />
        <Field {...text("pageSeconds", props)} />
        <PlanField {...named("plan", props)} />
        <Field {...text("planTimeZone", props)} placeholder={options.timeZone} />
        {isOpen && <NextDay timeZone={options.timeZone} />}
      </div>
    </details>
  );
}
