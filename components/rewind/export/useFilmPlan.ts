import { useEffect, useState } from "preact/hooks";
import { readChanges } from "../past.ts";
import type { Range } from "../past.ts";
import { type FilmPlan, filmPlan, rangeProblem } from "./filmPlan.ts";

/** Whoever types is not asked for at each letter. */
const SETTLED_MS = 300;
/** Only gaps are wanted: one slot has all the rest. */
const SCALE = 86_400;

/** What a film of a range would be, as soon as that is known; null: not known. @param now Unix time in s. */
export function useFilmPlan(id: string, range: Range | null, now: number): FilmPlan | null {
  const [plan, setPlan] = useState<FilmPlan | null>(null);
  const { start = 0, end = 0 } = range ?? {};
  const isPossible = range !== null && rangeProblem(range) === null;
  useEffect(() => {
    if (!isPossible) return setPlan(null);
    let isOver = false;
    const timer = setTimeout(async () => {
      const past = { start, end: Math.min(end, now) };
      try {
        const changes = past.start < past.end ? await readChanges(id, past, SCALE) : null;
        if (!isOver) setPlan(filmPlan({ start, end }, changes, now));
      } catch {
        // the list of films, which is asked for too, says why
      }
    }, plan ? SETTLED_MS : 0);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [id, start, end, isPossible]);
  return plan?.range.start === start && plan.range.end === end ? plan : null;
}
