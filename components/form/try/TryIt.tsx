import { useEffect, useRef, useState } from "preact/hooks";
import type { StreamFields } from "../../../lib/model/schema.ts";
import { ApiError, problemOf } from "../../client/api.ts";
import { fillForm } from "../controls.ts";
import { TriedPanel } from "./TriedPanel.tsx";
import { trialBody, tryPage } from "./trials.ts";
import type { TriedPage } from "../../../lib/model/answers/shapes.ts";

type Outcome = { tried: TriedPage } | { problem: string } | null;

interface TryItProps {
  defaults: StreamFields;
  /** The id of the stream that is edited. */
  stream?: string;
}

/** Opens the typed address before it is saved, and shows the result. */
export function TryIt({ defaults, stream }: TryItProps) {
  const root = useRef<HTMLDivElement>(null);
  const trying = useRef<AbortController | null>(null);
  const [isTrying, setTrying] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>(null);
  useEffect(() => () => trying.current?.abort(), []);
  const form = () => root.current!.closest("form")!;

  async function tryIt() {
    const own = trying.current = new AbortController();
    setTrying(true);
    setOutcome(null);
    const next: Outcome = await tryPage(trialBody(form(), defaults, stream), own.signal).then(
      (tried) => ({ tried }),
      (error) => ({ problem: error instanceof ApiError && firstOf(error.fields) || problemOf(error) }),
    );
    if (trying.current !== own) return;
    setTrying(false);
    if (!own.signal.aborted) setOutcome(next);
  }

  return (
    <div class="try" ref={root}>
      <p class="try-line">
        <button
          type="button"
          class="small"
          onClick={() => isTrying ? trying.current!.abort() : tryIt()}
        >
          {isTrying ? "Stop trying" : "Try it"}
        </button>
        <span class="hint" role="status">
          {isTrying ? "Opening the page. This takes some seconds…" : outcome ? "" : HINT}
        </span>
      </p>
      {outcome && "problem" in outcome && <p class="problem" role="alert">{outcome.problem}</p>}
      {outcome && "tried" in outcome && (
        <TriedPanel
          tried={outcome.tried}
          onName={(name) => fillForm(form(), { name })}
        />
      )}
    </div>
  );
}

/** The problem of the address or of another setting. */
const firstOf = (fields: Record<string, string>) => fields.url ?? Object.values(fields)[0];

const HINT = "Opens the page now and shows its picture. Nothing is saved.";
