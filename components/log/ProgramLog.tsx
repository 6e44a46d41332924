import { useMemo } from "preact/hooks";
import { type ProgramKind, PROGRAMS } from "../../lib/model/programs.ts";
import { api } from "../client/api.ts";
import { allLines, cutAtMatches, lineCount } from "./logBuffer.ts";
import { LogFrame } from "./LogFrame.tsx";
import { LogLines } from "./LogLines.tsx";
import { useFollowing } from "./useFollowing.ts";
import type { Log } from "./useLog.ts";

interface ProgramLogProps {
  log: Log;
  /** The stream's id. */
  id: string;
  program: ProgramKind;
  query: string;
  onQuery: (query: string) => void;
}

/** The log of one of a stream's programs. */
export function ProgramLog({ log, id, program, query, onQuery }: ProgramLogProps) {
  const { buffer } = log;
  const all = useMemo(() => {
    return allLines(buffer).map((text, at) => ({ number: buffer.first + at, text }));
  }, [buffer]);
  const lines = useMemo(() => {
    return query === "" ? all : all.filter(({ text }) => cutAtMatches(text, query).length > 1);
  }, [all, query]);
  return (
    <LogFrame
      {...{ log, query, onQuery }}
      noun="line"
      total={all.length}
      shown={lines.length}
      following={useFollowing(lineCount(buffer), lines)}
      label={`Log of the program ${PROGRAMS[program].label}`}
      downloadUrl={api.logDownload(id, program)}
      empty="Nothing is written yet."
    >
      <LogLines lines={lines} query={query} />
    </LogFrame>
  );
}
