import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { PublicStream, StreamState, StreamStatus } from "../lib/streams/stream.ts";
import { api, type Command, problemOf } from "./api.ts";
import { type BoardState, mergePoll } from "./boardState.ts";
import { usePolling } from "./usePolling.ts";

const EXPECTED: Record<Command, StreamState> = { start: "starting", restart: "starting", stop: "stopped" };
const DONE: Record<Command, string> = { start: "is starting", restart: "is restarting", stop: "is stopped" };
const FAILED: Record<Command, string> = { start: "started", restart: "restarted", stop: "stopped" };

/** The streams as this page knows them: polled from the service, ahead of it while a command is under way. */
export function useBoard(initial: BoardState) {
  const board = useSignal(initial);
  const isConnected = useSignal(true);
  const problem = useSignal("");
  const announcement = useSignal("");
  const busy = useSignal<Record<string, Command>>({});
  const changedAt = useRef(new Map<string, number>());

  function change(id: string, next: (now: BoardState) => BoardState) {
    changedAt.current.set(id, performance.now());
    board.value = next(board.peek());
  }

  function setStatus(id: string, status: StreamStatus, desiredState?: PublicStream["desiredState"]) {
    change(id, ({ streams, statuses }) => ({
      streams: streams.map((it) => it.id === id && desiredState ? { ...it, desiredState } : it),
      statuses: { ...statuses, [id]: status },
    }));
  }

  function upsert(stream: PublicStream) {
    change(stream.id, ({ streams, statuses }) => ({
      streams: streams.some((it) => it.id === stream.id)
        ? streams.map((it) => it.id === stream.id ? stream : it)
        : [...streams, stream],
      statuses,
    }));
  }

  async function run(stream: PublicStream, command: Command) {
    const { id, name } = stream;
    if (busy.peek()[id]) return;
    const before = board.peek();
    busy.value = { ...busy.peek(), [id]: command };
    problem.value = "";
    setStatus(id, { id, state: EXPECTED[command], programs: [] }, command === "stop" ? "stopped" : "running");
    try {
      setStatus(id, await api.command(id, command));
      announcement.value = `${name} ${DONE[command]}.`;
    } catch (error) {
      const old = before.streams.find((it) => it.id === id)?.desiredState;
      if (before.statuses[id]) setStatus(id, before.statuses[id], old);
      problem.value = `“${name}” could not be ${FAILED[command]}. ${problemOf(error)}`;
    } finally {
      const { [id]: _, ...others } = busy.peek();
      busy.value = others;
    }
  }

  async function remove({ id, name }: PublicStream) {
    await api.remove(id);
    change(id, ({ streams, statuses }) => ({ streams: streams.filter((it) => it.id !== id), statuses }));
    announcement.value = `${name} is deleted.`;
  }

  usePolling(async () => {
    const sentAt = performance.now();
    try {
      const [streams, statuses] = await Promise.all([api.list(), api.statuses()]);
      const isKept = (id: string) => id in busy.peek() || (changedAt.current.get(id) ?? -1) > sentAt;
      board.value = mergePoll(board.peek(), { streams, statuses }, isKept);
      isConnected.value = true;
    } catch (error) {
      isConnected.value = false;
      throw error;
    }
  });

  return { board, isConnected, problem, announcement, busy, upsert, run, remove };
}
