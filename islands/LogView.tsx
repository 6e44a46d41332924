import { useEffect, useRef, useState } from "preact/hooks";
import { EventsLog } from "../components/log/EventsLog.tsx";
import { ProgramLog } from "../components/log/ProgramLog.tsx";
import { type LogPage, useLog } from "../components/log/useLog.ts";
import { useTheme } from "../components/prefs/useTheme.ts";
import { Icon } from "../components/ui/Icon.tsx";
import { PageHeader } from "../components/ui/PageHeader.tsx";
import { type ProgramKind, PROGRAMS } from "../lib/model/programs.ts";

/** A stream's events and the logs of its programs, one at a time: live, searchable, and readable without JavaScript. */
export function LogView(page: LogPage) {
  useTheme();
  const log = useLog(page);
  const { program } = log;
  const [query, setQuery] = useState("");
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  // a phone has no room for all programs
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [program]);

  /** @param name null: the events. */
  function tab(name: ProgramKind | null) {
    const address = name === null ? "?" : `?program=${name}`;
    const choose = (event: MouseEvent) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      history.replaceState(history.state, "", name === null ? location.pathname : address);
      log.choose(name);
    };
    return (
      <a key={name} href={address} aria-current={name === program ? "page" : undefined} onClick={choose}>
        {name === null ? "Events" : PROGRAMS[name].label}
      </a>
    );
  }

  const shared = { log, query, onQuery: setQuery };
  return (
    <>
      <PageHeader>
        <a class="button quiet" href="/">
          <Icon name="back" />Streams
        </a>
      </PageHeader>
      <main id="main" class="page log-page" data-ready={isReady}>
        <h1 class="wrap">Log of {page.name}</h1>
        <nav class="log-programs" aria-label="Logs" ref={tabs}>
          {[null, ...log.programs].map(tab)}
        </nav>
        {program === null
          // the server's HTML has the service's zone
          ? <EventsLog {...shared} timeZone={isReady ? undefined : page.timeZone} />
          : <ProgramLog key={program} {...shared} id={page.id} program={program} />}
      </main>
    </>
  );
}
