import { TROUBLES } from "../../lib/model/answers/page_health.ts";
import { nextTry, remediesOf, REMEDY_WORDS } from "../board/card/cardRemedies.ts";
import { problemPlace } from "../board/card/problemPlace.ts";
import { serverNow } from "../client/serverClock.ts";
import { editLink } from "./editLink.ts";
import type { ShownStream } from "./useStream.ts";

/** The reason why the stream is not well, the remedies, and the next try. */
export function StreamProblem({ shown, isReady }: { shown: ShownStream; isReady: boolean }) {
  const { stream, status, isBusy, run, tryNow, acceptStatus } = shown;
  if (status.noRoom !== undefined) {
    return (
      <div class="stream-problem is-degraded">
        <p>
          <strong>No room now: {status.noRoom}.</strong> It starts by itself when there is room.
        </p>
        <p class="js" data-least="operator">
          <button type="button" disabled={isBusy} onClick={() => run("start", true)}>
            Start anyway
          </button>{" "}
          <button type="button" disabled={isBusy} onClick={() => run("stop")}>
            Stop waiting
          </button>
        </p>
      </div>
    );
  }
  if (status.state !== "failed" && status.state !== "degraded") return null;
  const { trouble, page } = status;
  const place = problemPlace(stream, status);
  const seen = trouble !== undefined && trouble === page?.state && page.error;
  const remedies = remediesOf(status);
  const isOfPage = trouble !== undefined && !TROUBLES[trouble].isAround;
  return (
    <div class={`stream-problem is-${status.state}`}>
      <p>
        <strong>{status.reason || "The reason is not known."}</strong>
      </p>
      {trouble && <p>{TROUBLES[trouble].advice}</p>}
      {(place || seen) && <p class="muted wrap">{[place, seen].filter(Boolean).join(", ")}</p>}
      {remedies.some((remedy) => remedy === "status" || remedy in REMEDY_WORDS) && (
        <p class="stream-remedies js" data-least="operator">
          {remedies.filter((remedy) =>
            remedy in REMEDY_WORDS
          ).map((remedy) => (
            <a key={remedy} class="button" href={editLink(stream.id, remedy)}>{REMEDY_WORDS[remedy]}</a>
          ))}
          {remedies.includes("status") && (
            <button
              type="button"
              disabled={isBusy}
              onClick={() => acceptStatus(page!.status!)}
            >
              Show it anyway
            </button>
          )}
        </p>
      )}
      {isOfPage && (
        <p class="stream-retry js">
          <button type="button" data-least="operator" disabled={isBusy} onClick={tryNow}>
            Try now
          </button>
          <span>{isReady && nextTry(status, serverNow())}</span>
        </p>
      )}
    </div>
  );
}
