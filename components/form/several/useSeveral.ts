import { useEffect, useRef, useState } from "preact/hooks";
import { completeAddress } from "../../../lib/model/web_address.ts";
import { ApiError, problemOf } from "../../client/api.ts";
import type { Problems } from "../FormSummary.tsx";
import { loadValidation } from "../loadValidation.ts";
import { type Line, MAX_LINES } from "./pasted.ts";

/** The fields of a line that a person may change. */
export type TypedField = "name" | "url" | "channelNumber";

/** A line of the list, which keeps its key while other lines go. */
export interface ListedLine extends Line {
  key: number;
  problems: Problems;
}

export interface SeveralWork {
  lines: readonly Line[];
  /** The settings that all streams of the list have in common. */
  common: () => Record<string, unknown>;
  /** @throws {ApiError} with the problems of the fields. */
  onCreate: (body: Record<string, unknown>) => Promise<unknown>;
  onDone: () => void;
  onBusy: (isBusy: boolean) => void;
}

/** A list of streams to add: each is added by itself. Refused streams stay in the list with the reason. */
export function useSeveral({ lines: pasted, common, onCreate, onDone, onBusy }: SeveralWork) {
  const [all, setLines] = useState<ListedLine[]>(() =>
    pasted.map((line, key) => ({ ...line, key, problems: {} }))
  );
  const lines = all.slice(0, MAX_LINES);
  /** The number of finished lines and of all lines; null: nothing is under way. */
  const [progress, setProgress] = useState<{ at: number; of: number } | null>(null);
  /** The number of lines that the last try refused. */
  const [refused, setRefused] = useState(0);
  const isAdding = useRef(false);
  const summary = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // without the schema (as offline) only the service checks the addresses
    loadValidation().then(({ problemsOf }) =>
      setLines((now) =>
        now.map((line) => {
          const { url } = problemsOf({ name: line.name, url: line.url });
          return url ? { ...line, problems: { ...line.problems, url } } : line;
        })
      ), () => {});
  }, []);
  useEffect(() => {
    if (refused > 0 && !progress) summary.current?.focus();
  }, [refused, progress]);

  function set(key: number, change: Partial<ListedLine>) {
    setLines((now) => now.map((line) => line.key === key ? { ...line, ...change } : line));
  }

  /** Takes the typed text; the problem of that field is over. */
  function type(line: ListedLine, field: TypedField, value: string) {
    const { [field]: _, "": __, ...problems } = line.problems;
    set(line.key, { [field]: value, problems });
  }

  async function problemsOf({ leftOut: _, ...line }: Line): Promise<Problems> {
    const rules = await loadValidation().catch(() => null);
    const all = common();
    const body = { ...all, ...line, group: all.group || line.group || "" };
    const found = rules?.problemsOf(body) ?? {};
    try {
      if (Object.keys(found).length === 0) await onCreate(body);
      return found;
    } catch (error) {
      const fields = error instanceof ApiError ? error.fields : {};
      return Object.keys(fields).length > 0 ? fields : { "": problemOf(error) };
    }
  }

  /** Adds the streams in the list's order, so that the cards have that order, too. */
  async function add() {
    if (isAdding.current || lines.length === 0) return;
    isAdding.current = true;
    onBusy(true);
    setRefused(0);
    let bad = 0;
    for (const [index, { key, problems: _, ...line }] of lines.entries()) {
      setProgress({ at: index + 1, of: lines.length });
      const problems = await problemsOf({ ...line, url: completeAddress(line.url.trim()) });
      if (Object.keys(problems).length === 0) setLines((now) => now.filter((line) => line.key !== key));
      else {
        bad++;
        set(key, { problems });
      }
    }
    isAdding.current = false;
    onBusy(false);
    setProgress(null);
    setRefused(bad);
    if (bad === 0 && all.length === lines.length) onDone();
  }

  return {
    lines,
    /** The number of lines that have no room in the list yet. */
    waiting: all.length - lines.length,
    progress,
    refused,
    summary,
    type,
    complete: (line: ListedLine) => set(line.key, { url: completeAddress(line.url.trim()) }),
    remove: (key: number) => setLines((now) => now.filter((line) => line.key !== key)),
    add,
  };
}
