import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../components/client/api.ts";
import { loginLink } from "../components/client/connection.ts";
import { Icon } from "../components/ui/Icon.tsx";
import { allLines, cutAtMatches, lineCount } from "../components/log/logBuffer.ts";
import { LogLines } from "../components/log/LogLines.tsx";
import { LogTools } from "../components/log/LogTools.tsx";
import { PageHeader } from "../components/ui/PageHeader.tsx";
import { isProgramKind, PROGRAMS } from "../lib/streams/programs.ts";
import { useTheme } from "../components/prefs/useTheme.ts";
import { useFollowing } from "../components/log/useFollowing.ts";
import { type LogPage, useLog } from "../components/log/useLog.ts";

function labelOf(program: string): string {
  return isProgramKind(program) ? PROGRAMS[program].label : program;
}

/** The logs of a stream's programs, one at a time: live, searchable, and readable without JavaScript. */
export function LogView(page: LogPage) {
  useTheme();
  const log = useLog(page);
  const { program, buffer } = log;
  const [query, setQuery] = useState("");
  const all = useMemo(() => {
    return allLines(buffer).map((text, at) => ({ number: buffer.first + at, text }));
  }, [buffer]);
  const lines = useMemo(() => {
    return query === "" ? all : all.filter(({ text }) => cutAtMatches(text, query).length > 1);
  }, [all, query]);
  const following = useFollowing(lineCount(buffer), lines);
  const count = query === "" ? plural(all.length) : `${lines.length} of ${plural(all.length)}`;
  const found = useSettled(query === "" ? "" : `${count} match`, query);
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  // on a phone there are more programs than fit
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [program]);

  function choose(event: MouseEvent, name: string) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    history.replaceState(history.state, "", `?program=${name}`);
    log.choose(name);
    following.follow(true);
  }

  return (
    <>
      <PageHeader>
        <a class="button quiet" href="/">
          <Icon name="back" />Streams
        </a>
      </PageHeader>
      <main id="main" class="page log-page" data-ready={isReady}>
        <h1 class="wrap">Log of {page.name}</h1>
        {program === null
          ? (
            <p class="log-empty">
              There is no log yet: the stream has not run. Lines appear here once it does.
            </p>
          )
          : (
            <>
              <nav class="log-programs" aria-label="Programs" ref={tabs}>
                {log.programs.map((name) => (
                  <a
                    key={name}
                    href={`?program=${name}`}
                    aria-current={name === program ? "page" : undefined}
                    onClick={(event) => choose(event, name)}
                  >
                    {labelOf(name)}
                  </a>
                ))}
              </nav>
              <LogTools
                query={query}
                onQuery={setQuery}
                count={count}
                isFollowing={following.isFollowing}
                onFollow={following.follow}
                downloadUrl={api.logDownload(page.id, program)}
              />
              <p class="hidden" role="status">{found}</p>
              <p class="log-problem problem" role="status">
                {log.connection === "loggedOut"
                  ? (
                    <>
                      Not live: you are logged out. <a href={loginLink()}>Log in again</a>
                    </>
                  )
                  : log.problem && `Not live: ${log.problem}`}
              </p>
              <div class="log-frame">
                <div
                  class="log-lines"
                  role="region"
                  aria-label={`Log of the program ${labelOf(program)}`}
                  tabIndex={0}
                  ref={following.region}
                  onScroll={following.scrolled}
                >
                  {lines.length > 0
                    ? <LogLines lines={lines} query={query} />
                    : <p class="log-empty">{query === "" ? "Nothing is written yet." : "No line matches."}
                    </p>}
                </div>
                {following.unseen > 0 && (
                  <button
                    type="button"
                    class="log-unseen primary"
                    onClick={() => following.follow(true)}
                  >
                    {following.unseen === 1 ? "1 new line" : `${following.unseen} new lines`} ↓
                  </button>
                )}
              </div>
            </>
          )}
      </main>
    </>
  );
}

const plural = (count: number) => count === 1 ? "1 line" : `${count} lines`;

/** `text` as it was when `cause` had not changed for half a second: for screen readers, which read every change. */
function useSettled(text: string, cause: string): string {
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 500);
    return () => clearTimeout(timer);
  }, [cause]);
  return settled;
}
