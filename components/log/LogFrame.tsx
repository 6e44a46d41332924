import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { wayBack } from "../client/connection.ts";
import { LogTools } from "./LogTools.tsx";
import type { useFollowing } from "./useFollowing.ts";
import type { Log } from "./useLog.ts";

interface LogFrameProps {
  /** The page's state towards the service. */
  log: Pick<Log, "problem" | "connection">;
  /** "line" or "event" */
  noun: string;
  /** The number of all lines or events, and the number of matches. */
  total: number;
  shown: number;
  query: string;
  onQuery: (query: string) => void;
  following: ReturnType<typeof useFollowing>;
  /** The region's name for screen readers. */
  label: string;
  downloadUrl?: string;
  /** The region's text when there are no lines or events. */
  empty: string;
  children: ComponentChildren;
}

/** A growing list with its tools: filter, follow, download. */
export function LogFrame(
  { log, noun, total, shown, query, onQuery, following, label, downloadUrl, empty, children }: LogFrameProps,
) {
  const count = query === "" ? plural(total, noun) : `${shown} of ${plural(total, noun)}`;
  const found = useSettled(query === "" ? "" : `${count} match`, query);
  const back = wayBack(log.connection);
  return (
    <>
      <LogTools
        noun={noun}
        query={query}
        onQuery={onQuery}
        count={count}
        isFollowing={following.isFollowing}
        onFollow={following.follow}
        downloadUrl={downloadUrl}
      />
      <p class="hidden" role="status">{found}</p>
      <p class="log-problem problem" role="status">
        {back
          ? (
            <>
              Not live. {back.says} <a href={back.href}>{back.link}</a>
            </>
          )
          : log.problem && `Not live: ${log.problem}`}
      </p>
      <div class="log-frame">
        <div
          class="log-lines"
          role="region"
          aria-label={label}
          tabIndex={0}
          ref={following.region}
          onScroll={following.scrolled}
        >
          {shown > 0 ? children : <p class="log-empty">{query === "" ? empty : `No ${noun} matches.`}</p>}
        </div>
        {following.unseen > 0 && (
          <button
            type="button"
            class="log-unseen primary"
            onClick={() => following.follow(true)}
          >
            {following.unseen === 1 ? `1 new ${noun}` : `${following.unseen} new ${noun}s`} ↓
          </button>
        )}
      </div>
    </>
  );
}

const plural = (count: number, noun: string) => count === 1 ? `1 ${noun}` : `${count} ${noun}s`;

/** `text` at the time when `cause` was unchanged for half a second: screen readers read every change. */
function useSettled(text: string, cause: string): string {
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 500);
    return () => clearTimeout(timer);
  }, [cause]);
  return settled;
}
