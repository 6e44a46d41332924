import { useRef, useState } from "preact/hooks";
import { mergeEvents } from "../../lib/model/answers/events.ts";
import type { ProgramKind } from "../../lib/model/programs.ts";
import { api, problemOf } from "../client/api.ts";
import { type Connection, connectionAfter } from "../client/connection.ts";
import { mayDo } from "../client/mayDo.ts";
import { append, EMPTY_LOG } from "./logBuffer.ts";
import { usePolling } from "../client/usePolling.ts";
import type { EventPart, LogPart } from "../../lib/model/answers/shapes.ts";

const EVERY_MS = 2000;
/** Programs come and go with a stream's settings: the page asks for their list with every fifth poll. */
const LIST_EVERY = 5;

/** The data that a log page starts with. */
export interface LogPage {
  /** The stream's id. */
  id: string;
  name: string;
  /** The programs that have a log. */
  programs: ProgramKind[];
  /** The program whose log is shown; null: the stream's events. */
  program: ProgramKind | null;
  /** The end of that log. */
  part: LogPart;
  happened: EventPart;
  /** The service's time zone, in which the server writes times. */
  timeZone: string;
}

export type Log = ReturnType<typeof useLog>;

/** A stream's events or a program's growing log, and the choice among them. */
export function useLog({ id, ...first }: LogPage) {
  const [programs, setPrograms] = useState(first.programs);
  const [program, setProgram] = useState(first.program);
  const [buffer, setBuffer] = useState(() => append(EMPTY_LOG, first.part.text));
  const [happened, setHappened] = useState(first.happened);
  const [problem, setProblem] = useState("");
  const [connection, setConnection] = useState<Connection>("up");
  /** The program whose log is read, and the place to go on; `next` is undefined before the first answer. */
  const reading = useRef<{ program: ProgramKind | null; next?: LogPart["next"] }>({
    program: first.program,
    next: first.program === null ? first.happened.next : first.part.next,
  });
  const polls = useRef(0);

  async function readOn() {
    const now = reading.current;
    const after = now.next;
    const part = now.program === null ? await api.events(id, after) : await api.log(id, now.program, after);
    // another program was chosen, or another answer was faster
    if (reading.current !== now || now.next !== after) return;
    now.next = part.next;
    if ("text" in part) setBuffer((buffer) => append(buffer, part.text));
    else {
      setHappened(({ events }) => ({ next: part.next, events: mergeEvents(events, part.events) }));
    }
  }

  async function list() {
    // the events are all that a viewer may see
    if (mayDo("operator")) setPrograms((await api.logs(id)).programs.map(({ name }) => name));
  }

  async function poll() {
    try {
      if (++polls.current % LIST_EVERY === 0 || programs.length === 0) await list();
      await readOn();
      setProblem("");
      setConnection("up");
    } catch (error) {
      setProblem(problemOf(error));
      setConnection(connectionAfter(error));
      throw error;
    }
  }

  /** @param name null: the events. */
  function choose(name: ProgramKind | null) {
    if (reading.current.program === name) return;
    reading.current = { program: name, ...(name === null ? { next: happened.next } : {}) };
    setProgram(name);
    setBuffer(EMPTY_LOG);
    poll().catch(() => {}); // the problem is shown, and the poll is tried again
  }

  usePolling(poll, EVERY_MS);

  return { programs, program, buffer, happened, problem, connection, choose };
}
