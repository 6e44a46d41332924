import { useRef, useState } from "preact/hooks";
import type { StreamFigures, StreamHeartbeats, StreamStatus } from "../../lib/model/answers/shapes.ts";
import type { OverrideTime } from "../../lib/model/plan/stop_until.ts";
import type { PublicStream } from "../../lib/model/schema.ts";
import { api, type Command, FAILED_WORDS, problemOf } from "../client/api.ts";
import { type Connection, connectionAfter } from "../client/connection.ts";
import { usePolling } from "../client/usePolling.ts";

const EVERY_MS = 2000;
/** Settings, figures and the last day change slowly: the page asks for them with its first and every fifth poll. */
const SLOW_EVERY = 5;

const DONE: Record<Command, string> = {
  start: "It is starting.",
  restart: "It is restarting.",
  recreate: "It is restarting with a new browser profile.",
  stop: "It is stopped.",
};

/** The data that a stream's page starts with. */
export interface FirstStream {
  stream: PublicStream;
  status: StreamStatus;
  heartbeats: StreamHeartbeats;
  figures?: StreamFigures;
}

export type ShownStream = ReturnType<typeof useStream>;

/** One stream as its page knows it: polled while the page is visible, with the commands of the page. */
export function useStream(first: FirstStream) {
  const { id } = first.stream;
  const [stream, setStream] = useState(first.stream);
  const [status, setStatus] = useState(first.status);
  const [heartbeats, setHeartbeats] = useState(first.heartbeats);
  const [figures, setFigures] = useState(first.figures);
  const [busy, setBusy] = useState<Command | "try">();
  const [problem, setProblem] = useState("");
  const [announcement, setAnnouncement] = useState("");
  const [connection, setConnection] = useState<Connection>("up");
  const polls = useRef(0);
  /** Counts this page's commands: an answer to an earlier question is older than their result. */
  const commands = useRef(0);

  async function poll() {
    const asked = commands.current;
    try {
      const isSlow = polls.current++ % SLOW_EVERY === 0;
      const [status, slow] = await Promise.all([
        api.status(id),
        isSlow ? Promise.all([api.stream(id), api.system(), api.heartbeatsOf(id)]) : null,
      ]);
      setConnection("up");
      if (commands.current !== asked) return;
      setStatus(status);
      if (!slow) return;
      setStream(slow[0]);
      setFigures(slow[1].streams[id]);
      setHeartbeats(slow[2]);
    } catch (error) {
      setConnection(connectionAfter(error));
      throw error;
    }
  }

  const again = usePolling(poll, EVERY_MS);

  async function act(what: Command | "try", says: string, failed: string, send: () => Promise<unknown>) {
    if (busy) return;
    setBusy(what);
    setProblem("");
    try {
      await send();
      setAnnouncement(says);
    } catch (error) {
      setProblem(`${failed} ${problemOf(error)}`);
    }
    setBusy(undefined);
    commands.current++;
    polls.current = 0;
    again();
  }

  /**
   * @param isForced whether it starts although the machine can probably not carry it.
   * @param time how long it is on the air, or stopped, whatever its plan has.
   */
  function run(command: Command, isForced = false, time?: OverrideTime) {
    const failed = `It could not be ${FAILED_WORDS[command]}.`;
    return act(command, DONE[command], failed, () => api.command(id, command, isForced, time));
  }

  /** Opens the page again now; its programs go on. */
  function tryNow() {
    return act("try", "The page is being opened.", "The page could not be opened.", () => api.home(id));
  }

  /** Shows the page as it is, although its server answers with this error's number. */
  function acceptStatus(code: number) {
    const { acceptedStatuses, revision } = stream;
    const body = { acceptedStatuses: `${acceptedStatuses} ${code}`.trim(), revision };
    const says = `It is shown with status ${code}.`;
    return act("try", says, "It is not shown.", () => api.update(id, body));
  }

  return {
    acceptStatus,
    stream,
    status,
    heartbeats,
    figures,
    busy,
    problem,
    announcement,
    connection,
    run,
    tryNow,
    dismiss: () => setProblem(""),
  };
}
