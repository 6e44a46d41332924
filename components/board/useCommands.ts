import { useSignal } from "@preact/signals";
import type { StreamState } from "../../lib/model/answers/status.ts";
import type { StreamStatus } from "../../lib/model/answers/shapes.ts";
import type { OverrideTime } from "../../lib/model/plan/stop_until.ts";
import type { PublicStream } from "../../lib/model/schema.ts";
import { api, type Command, FAILED_WORDS, problemOf } from "../client/api.ts";
import { statusOf } from "./boardState.ts";
import type { Streams } from "./useStreams.ts";

const EXPECTED: Record<Command, StreamState> = {
  start: "starting",
  restart: "starting",
  recreate: "starting",
  stop: "stopped",
};
const DONE: Record<Command, string> = {
  start: "is starting",
  restart: "is restarting",
  recreate: "is restarting with a new browser profile",
  stop: "is stopped",
};
/** The pause between two polls during a recreation. */
const RECREATE_POLL_MS = 700;

/** The commands of streams, and the page's words about their outcome. */
export function useCommands({ state, busy, setStatus, setBusy, upsert }: Streams) {
  const problem = useSignal("");
  const announcement = useSignal("");

  /** The status when a recreation is over. @throws {Error} why it failed. */
  async function ended(id: string, answer: StreamStatus): Promise<StreamStatus> {
    let status = answer;
    while (status.recreate && status.recreate.step !== "failed") {
      setStatus(id, status);
      await new Promise((done) => setTimeout(done, RECREATE_POLL_MS));
      status = (await api.statuses(id)).content[id];
    }
    if (status.recreate?.error) throw new Error(status.recreate.error);
    return status;
  }

  /**
   * Shows the expected result until the command ends.
   * @param isForced whether it starts although the machine can probably not carry it.
   * @param time how long it is on the air, or stopped, whatever its plan has.
   * @returns the status then. @throws {Error} why it failed; the old state is then back.
   */
  async function command(
    stream: PublicStream,
    command: Command,
    isForced = false,
    time?: OverrideTime,
  ): Promise<StreamStatus | undefined> {
    const { id } = stream;
    if (busy.peek().has(id)) return;
    const { streams, statuses } = state.peek();
    const before = statusOf(stream, statuses);
    // the caller's stream may be older, as an Undo's is
    const { desiredState } = streams.find((it) => it.id === id) ?? stream;
    const isPaused = command === "stop" && time !== undefined;
    const isStopped = command === "stop" && !isPaused ||
      (command === "recreate" && desiredState === "stopped");
    setBusy(id, command);
    setStatus(
      id,
      {
        id,
        state: isPaused ? "planned" : isStopped ? "stopped" : EXPECTED[command],
        programs: [],
        thumbAt: before.thumbAt,
      },
      isStopped ? "stopped" : "running",
    );
    try {
      const status = await ended(id, await api.command(id, command, isForced, time));
      setStatus(
        id,
        status,
        status.noRoom !== undefined && status.state === "stopped" ? "stopped" : undefined,
      );
      return status;
    } catch (error) {
      setStatus(id, before, desiredState);
      throw error;
    } finally {
      setBusy(id, null);
    }
  }

  /** Runs a command and says how it went. */
  async function run(stream: PublicStream, word: Command, isForced = false, time?: OverrideTime) {
    const { id, name } = stream;
    if (busy.peek().has(id)) return;
    problem.value = "";
    try {
      const noRoom = (await command(stream, word, isForced, time))?.noRoom;
      announcement.value = noRoom === undefined
        ? `${name} ${DONE[word]}.`
        : `${name} is not started. No room now: ${noRoom}.`;
    } catch (error) {
      problem.value = `“${name}” could not be ${FAILED_WORDS[word]}. ${problemOf(error)}`;
    }
  }

  /** Runs a small request; its failure is the page's problem. @returns the answer, if there is one. */
  async function attempt<T>(failed: string, send: () => Promise<T>): Promise<T | undefined> {
    problem.value = "";
    try {
      return await send();
    } catch (error) {
      problem.value = `${failed} ${problemOf(error)}`;
    }
  }

  /** @throws {ApiError} with the problems of its fields, or with the stream as it is stored by now. */
  async function update(id: string, body: Record<string, unknown>) {
    const stream = await api.update(id, body);
    upsert(stream);
    announcement.value = `${stream.name} is saved.`;
  }

  /** Accepts an error status of the page: the page is shown with it. @returns whether the service accepted it. */
  async function acceptStatus({ id, acceptedStatuses, revision }: PublicStream, status: number) {
    const body = { acceptedStatuses: `${acceptedStatuses} ${status}`.trim(), revision };
    return await attempt("The page is not shown.", async () => {
      await update(id, body);
      return true;
    }) ?? false;
  }

  return { problem, announcement, command, run, attempt, update, acceptStatus };
}
