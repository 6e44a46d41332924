import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { problemOf } from "../../client/api.ts";
import { Question } from "../../ui/Question.tsx";
import { type Exports, type Film, isUnderWay } from "./exports.ts";
import { daysText, rangeText, sizeText, timesText } from "./exportText.ts";

interface FilmListProps {
  exports: Exports;
  mayMake: boolean;
  /** Takes the focus of what goes away. */
  heading: RefObject<HTMLElement>;
  /** Called when this page has changed the films, with a sentence that says what. */
  onChange: (text: string) => void;
}

/** The films that are there, being made, or not made. */
export function FilmList({ exports, mayMake, heading, onChange }: FilmListProps) {
  const [asked, setAsked] = useState<string | null>(null);
  const [problem, setProblem] = useState("");
  const { value: films } = exports.films;
  const ids = (films ?? []).map(({ id }) => id).join(" ");

  // somebody else may have deleted what has the focus
  useLayoutEffect(() => {
    if (asked !== null && !ids.includes(asked)) setAsked(null);
    const timer = setTimeout(() => {
      const isLost = (document.activeElement ?? document.body) === document.body;
      if (isLost) heading.current?.focus({ preventScroll: true });
    });
    return () => clearTimeout(timer);
  }, [ids]);

  async function remove(film: Film) {
    await exports.remove(film);
    setAsked(null);
    setTimeout(() => heading.current?.focus());
    onChange("The film is deleted.");
  }

  async function retry(film: Film) {
    setProblem("");
    try {
      await exports.retry(film);
      setTimeout(() => heading.current?.focus());
      onChange("The film is being made again.");
    } catch (error) {
      setProblem(problemOf(error));
    }
  }

  if (films === null) {
    return exports.problem.value
      ? <p class="problem" role="alert">{exports.problem.value}</p>
      : <p class="hint">Looking for them…</p>;
  }
  return (
    <>
      <p class="problem" role="alert">{problem || exports.problem.value}</p>
      {films.length === 0
        ? <p class="hint">There is no film yet. Films stay here until somebody deletes them.</p>
        : (
          <ul>
            {films.map((film) => (
              <li key={film.id}>
                <FilmRow
                  exports={exports}
                  film={film}
                  mayMake={mayMake}
                  onRetry={() => retry(film)}
                  onDelete={() => setAsked(film.id)}
                />
                {asked === film.id && (
                  <Question
                    id="delete-film"
                    title={isUnderWay(film) ? "Stop making this film?" : "Delete this film?"}
                    keep="Keep it"
                    action="Delete"
                    acting="Deleting…"
                    failed="It was not deleted."
                    onConfirm={() => remove(film)}
                    onKeep={() => setAsked(null)}
                  >
                    It goes for everybody. It can be made again only while its time is kept.
                  </Question>
                )}
              </li>
            ))}
          </ul>
        )}
    </>
  );
}

interface FilmRowProps {
  exports: Exports;
  film: Film;
  mayMake: boolean;
  onRetry: () => Promise<void>;
  onDelete: () => void;
}

function FilmRow({ exports, film, mayMake, onRetry, onDelete }: FilmRowProps) {
  const [isBusy, setBusy] = useState(false);
  const name = rangeText(film);
  const address = film.url && ownAddress(film.url);

  async function retry() {
    if (isBusy) return;
    setBusy(true);
    await onRetry();
    setBusy(false);
  }

  return (
    <div class="export-film">
      <p class="export-name">
        <strong>{timesText(film)}</strong>
      </p>
      <div class="export-state">
        <p class="hint">{daysText(film)}</p>
        <FilmState film={film} name={name} isLost={exports.connection.value !== "up"} />
      </div>
      <div class="export-does">
        {address && (
          <a class="button" href={address} download>
            Download<span class="hidden">: {name}</span>
          </a>
        )}
        {mayMake && film.state === "failed" && (
          <button type="button" aria-disabled={isBusy} onClick={retry}>
            Try again<span class="hidden">: {name}</span>
          </button>
        )}
        {mayMake && (
          <button type="button" onClick={onDelete}>
            Delete<span class="hidden">: {name}</span>
          </button>
        )}
      </div>
    </div>
  );
}

/** On this page's own origin, which may have another name than the service gives itself. */
function ownAddress(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}

function FilmState({ film, name, isLost }: { film: Film; name: string; isLost: boolean }) {
  const { state, speed, bytes, problem } = film;
  const percent = Math.floor(film.progress * 100);
  switch (state) {
    case "done":
      return <p class="hint">{speed}×, {sizeText(bytes ?? 0)}</p>;
    case "failed":
      return (
        <p class="hint">
          {speed}×. <strong class="problem">It was not made: {problem}</strong>
        </p>
      );
    case "waiting":
      return <p class="hint">{speed}×, waits for another film</p>;
    case "making":
      return (
        <>
          <p class="hint">
            {speed}×, {isLost ? `${percent} % when the service was last reached` : `${percent} %`}
          </p>
          <div
            class="export-progress"
            role="progressbar"
            aria-label={`Film of ${name}`}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={percent}
          >
            <span style={{ width: `${percent}%` }} />
          </div>
        </>
      );
  }
}
