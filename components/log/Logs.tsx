import { useEffect, useRef, useState } from "preact/hooks";
import { type ProgramKind, PROGRAMS } from "../../lib/model/programs.ts";
import { EventsLog } from "./EventsLog.tsx";
import { ProgramLog } from "./ProgramLog.tsx";
import { type LogPage, useLog } from "./useLog.ts";

interface LogsProps {
  page: LogPage;
  isReady: boolean;
  /** The page that has a log without JavaScript; absent: this page, whose address then says which log is shown. */
  address?: string;
}

/** The events and the logs of a stream's programs, one at a time: live and searchable. */
export function Logs({ page, isReady, address = "" }: LogsProps) {
  const log = useLog(page);
  const { program } = log;
  const [query, setQuery] = useState("");
  // a phone has no room for all programs; the page itself stays where it is
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = tabs.current?.querySelector<HTMLElement>("[aria-current]");
    if (!current) return;
    tabs.current!.scrollLeft = current.offsetLeft - tabs.current!.offsetLeft - current.offsetWidth;
  }, [program]);

  /** @param name null: the events. */
  function tab(name: ProgramKind | null) {
    const href = address + (name === null ? "?" : `?program=${name}`);
    const choose = (event: MouseEvent) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      if (address === "") history.replaceState(history.state, "", name === null ? location.pathname : href);
      log.choose(name);
    };
    return (
      <a key={name} href={href} aria-current={name === program ? "page" : undefined} onClick={choose}>
        {name === null ? "Events" : PROGRAMS[name].label}
      </a>
    );
  }

  const shared = { log, query, onQuery: setQuery };
  return (
    <>
      <nav class="log-programs" aria-label="Logs" ref={tabs}>
        {[null, ...log.programs].map(tab)}
      </nav>
      {program === null
        // the server's HTML has the service's zone
        ? <EventsLog {...shared} timeZone={isReady ? undefined : page.timeZone} />
        : <ProgramLog key={program} {...shared} id={page.id} program={program} />}
    </>
  );
}
