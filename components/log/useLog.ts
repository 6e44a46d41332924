import { useRef, useState } from "preact/hooks";
import type { LogPart } from "../../lib/streams/log_text.ts";
import { api, problemOf } from "../client/api.ts";
import { type Connection, connectionAfter } from "../client/connection.ts";
import { append, EMPTY_LOG } from "./logBuffer.ts";
import { usePolling } from "../client/usePolling.ts";

const EVERY_MS = 2000;
/** Programs come and go with a stream's settings: their list is asked for with every so many polls. */
const LIST_EVERY = 5;

/** What a log page starts with. */
export interface LogPage {
  /** The stream. */
  id: string;
  name: string;
  /** The programs that have a log. */
  programs: string[];
  /** The one whose log is shown; null while there is none. */
  program: string | null;
  /** The end of that log. */
  part: LogPart;
}

/** A program's log as it grows, and the choice among the programs. */
export function useLog({ id, ...first }: LogPage) {
  const [programs, setPrograms] = useState(first.programs);
  const [program, setProgram] = useState(first.program);
  const [buffer, setBuffer] = useState(() => append(EMPTY_LOG, first.part.text));
  const [problem, setProblem] = useState("");
  const [connection, setConnection] = useState<Connection>("up");
  /** Whose log is read, and from where on; `next` is undefined before the first answer. */
  const reading = useRef<{ program: string | null; next?: LogPart["next"] }>({
    program: first.program,
    next: first.part.next,
  });
  const polls = useRef(0);

  async function readOn() {
    const now = reading.current;
    const after = now.next;
    if (now.program === null) return;
    const part = await api.log(id, now.program, after);
    // another program was chosen, or another answer was faster
    if (reading.current !== now || now.next !== after) return;
    now.next = part.next;
    setBuffer((buffer) => append(buffer, part.text));
  }

  async function list() {
    const names = (await api.logs(id)).programs.map(({ name }) => name as string);
    setPrograms(names);
    if (reading.current.program === null && names.length > 0) {
      choose(names.includes("browser") ? "browser" : names[0]);
    }
  }

  async function poll() {
    try {
      if (++polls.current % LIST_EVERY === 0 || reading.current.program === null) await list();
      await readOn();
      setProblem("");
      setConnection("up");
    } catch (error) {
      setProblem(problemOf(error));
      setConnection(connectionAfter(error));
      throw error;
    }
  }

  function choose(name: string) {
    if (reading.current.program === name) return;
    reading.current = { program: name };
    setProgram(name);
    setBuffer(EMPTY_LOG);
    poll().catch(() => {}); // shown, and tried again
  }

  usePolling(poll, EVERY_MS);

  return { programs, program, buffer, problem, connection, choose };
}
