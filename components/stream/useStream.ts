import { useState } from "preact/hooks";
import type { StreamFigures, StreamHeartbeats, StreamStatus } from "../../lib/model/answers/shapes.ts";
import type { OverrideTime } from "../../lib/model/plan/stop_until.ts";
import type { PublicStream } from "../../lib/model/schema.ts";
import { statusOf } from "../board/boardState.ts";
import { useCommands } from "../board/useCommands.ts";
import { useStreams } from "../board/useStreams.ts";
import { api, type Command } from "../client/api.ts";
import { usePolling } from "../client/usePolling.ts";
import { oneStream } from "./oneStream.ts";

/** Figures and the last day change slowly. */
const SLOW_EVERY_MS = 10_000;

/** The data that a stream's page starts with. */
export interface FirstStream {
  stream: PublicStream;
  /** The version of the stream list that `stream` was read of. */
  listVersion: string;
  status: StreamStatus;
  heartbeats: StreamHeartbeats;
  figures?: StreamFigures;
}

export type ShownStream = ReturnType<typeof useStream>;

/** One stream as its page knows it, fresh as on the board, with the commands of the page. */
export function useStream(first: FirstStream) {
  const { id } = first.stream;
  const initial = { streams: [first.stream], statuses: { [id]: first.status }, pending: [] };
  const [source] = useState(() => oneStream(id));
  const streams = useStreams(initial, first.listVersion, source);
  const { problem, announcement, ...commands } = useCommands(streams);
  const [heartbeats, setHeartbeats] = useState(first.heartbeats);
  const [figures, setFigures] = useState(first.figures);
  const [isTrying, setTrying] = useState(false);
  const stream = streams.state.value.streams[0];
  const command = streams.busy.value.get(id);

  usePolling(async () => {
    const [system, heartbeats] = await Promise.all([api.system(), api.heartbeatsOf(id)]);
    setFigures(system.streams[id]);
    setHeartbeats(heartbeats);
  }, SLOW_EVERY_MS);

  async function attempt(says: string, send: () => Promise<unknown>) {
    if (isTrying || command) return;
    setTrying(true);
    if (await send()) announcement.value = says;
    setTrying(false);
    streams.poll();
  }

  /** @param time how long it is on the air, or stopped, whatever its plan has. */
  function run(command: Command, isForced = false, time?: OverrideTime) {
    if (!isTrying) void commands.run(stream, command, isForced, time);
  }

  return {
    stream,
    status: statusOf(stream, streams.state.value.statuses),
    heartbeats,
    figures,
    command,
    isBusy: command !== undefined || isTrying,
    problem: problem.value,
    announcement: announcement.value,
    connection: streams.connection.value,
    run,
    /** Opens the page again now; its programs go on. */
    tryNow: () =>
      attempt(
        "The page is being opened.",
        () => commands.attempt("The page could not be opened.", () => api.home(id).then(() => true)),
      ),
    /** Shows the page as it is, although its server answers with this error's number. */
    acceptStatus: (code: number) =>
      attempt(`The page is shown with status ${code}.`, () => commands.acceptStatus(stream, code)),
    dismiss: () => void (problem.value = ""),
  };
}
