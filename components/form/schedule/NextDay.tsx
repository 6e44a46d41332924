import { useEffect, useRef, useState } from "preact/hooks";
import { serverNow } from "../../client/serverClock.ts";
import { readForm } from "../controls.ts";
import { type DayPart, nextDay } from "./nextDay.ts";

/** A minute: the plan's own step. */
const RENEW_MS = 60_000;

/** The next 24 hours of the form's plan: as a bar, and in words. @param timeZone the service's. */
export function NextDay({ timeZone }: { timeZone: string }) {
  const root = useRef<HTMLElement>(null);
  const [parts, setParts] = useState<DayPart[] | null>(null);
  useEffect(() => {
    const form = root.current!.closest("form")!;
    const look = () => setParts(nextDay(readForm(form), timeZone, serverNow()));
    look();
    const timer = setInterval(look, RENEW_MS);
    form.addEventListener("input", look);
    return () => {
      clearInterval(timer);
      form.removeEventListener("input", look);
    };
  }, []);
  return (
    <section class="next-day" ref={root} aria-label="The next 24 hours">
      <p class="label">The next 24 hours</p>
      <div class="day-bar" aria-hidden="true">
        {parts?.map(({ key, share, isOn }) => (
          <span key={key} class={isOn ? "is-on" : undefined} style={{ flexGrow: share }} />
        ))}
      </div>
      {parts === null
        ? <p class="hint">The next 24 hours appear here when all times and addresses are complete.</p>
        : (
          <ul>
            {parts.map(({ key, time, what, isOn }) => (
              <li key={key} class={isOn ? "is-on" : undefined}>
                <span>{time}</span>
                <span>{what}</span>
              </li>
            ))}
          </ul>
        )}
    </section>
  );
}
