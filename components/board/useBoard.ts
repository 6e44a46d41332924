import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { PublicStream } from "../../lib/streams/schema.ts";
import type { StreamState, StreamStatus } from "../../lib/streams/status.ts";
import { api, type Command, problemOf } from "../client/api.ts";
import { type BoardState, idsOf, mergePoll, moved, statusOf } from "./boardState.ts";
import { DragLock } from "./dragLock.ts";
import { useToast } from "../ui/useToast.ts";
import { useOrder } from "./useOrder.ts";
import { usePolling } from "../client/usePolling.ts";

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
const FAILED: Record<Command, string> = {
  start: "started",
  restart: "restarted",
  recreate: "recreated",
  stop: "stopped",
};

/** The streams as this page knows them: polled from the service, ahead of it while a command is under way. */
export function useBoard(initial: BoardState) {
  const board = useSignal(initial);
  const isConnected = useSignal(true);
  const problem = useSignal("");
  const announcement = useSignal("");
  const news = useToast();
  const busy = useSignal<ReadonlyMap<string, Command>>(new Map());
  const changedAt = useRef(new Map<string, number>());
  /** While a card is dragged, the list's elements are not where its state says. */
  const { current: hold } = useRef(new DragLock());
  /** Of the list that is shown; null: unknown. */
  const version = useRef<string | null>(null);
  const order = useOrder(board, hold, (message) => problem.value = message);

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
    hold.whenFree(() =>
      change(stream.id, ({ streams, statuses }) => ({
        streams: streams.some((it) => it.id === stream.id)
          ? streams.map((it) => it.id === stream.id ? stream : it)
          : [...streams, stream],
        statuses,
      }))
    );
  }

  function setBusy(id: string, command: Command | null) {
    const next = new Map(busy.peek());
    if (command) next.set(id, command);
    else next.delete(id);
    busy.value = next;
  }

  async function run(stream: PublicStream, command: Command) {
    const { id, name } = stream;
    if (busy.peek().has(id)) return;
    const before = statusOf(stream, board.peek().statuses);
    const isStopped = command === "stop" || (command === "recreate" && stream.desiredState === "stopped");
    setBusy(id, command);
    problem.value = "";
    setStatus(
      id,
      { id, state: isStopped ? "stopped" : EXPECTED[command], programs: [], thumbAt: before.thumbAt },
      isStopped ? "stopped" : "running",
    );
    try {
      setStatus(id, await api.command(id, command));
      announcement.value = `${name} ${DONE[command]}.`;
    } catch (error) {
      setStatus(id, before, stream.desiredState);
      problem.value = `“${name}” could not be ${FAILED[command]}. ${problemOf(error)}`;
    } finally {
      setBusy(id, null);
    }
  }

  async function remove({ id, name }: PublicStream) {
    await api.remove(id);
    hold.whenFree(() =>
      change(id, ({ streams, statuses }) => ({ streams: streams.filter((it) => it.id !== id), statuses }))
    );
    announcement.value = `${name} is deleted.`;
  }

  /** Runs a small request and says what came of it. */
  async function attempt<T>(done: string, failed: string, send: () => Promise<T>): Promise<T | undefined> {
    problem.value = "";
    try {
      const answer = await send();
      news.tell(done);
      return answer;
    } catch (error) {
      problem.value = `${failed} ${problemOf(error)}`;
    }
  }

  async function setAutoReload({ id, name }: PublicStream, isOn: boolean) {
    const stream = await attempt(
      `${name} ${isOn ? "reloads its page regularly" : "no longer reloads its page"}.`,
      `The auto-reload of “${name}” was not changed.`,
      () => api.autoReload(id, isOn),
    );
    if (stream) upsert(stream);
  }

  function takePicture({ id, name }: PublicStream) {
    return attempt(
      `A new picture of ${name} is being taken.`,
      `No picture of “${name}” could be taken.`,
      () => api.takePicture(id),
    );
  }

  /** Moves a card to a place counted from 0. */
  function move({ id, name }: PublicStream, place: number) {
    const ids = moved(idsOf(board.peek().streams), id, place);
    announcement.value = `${name} is now ${ids.indexOf(id) + 1} of ${ids.length}.`;
    return order.reorder(ids);
  }

  const poll = usePolling(async () => {
    const sentAt = performance.now();
    try {
      const statuses = await api.statuses();
      const isSame = statuses.version !== null && statuses.version === version.current;
      const list = isSame ? null : await api.list();
      isConnected.value = true;
      if (hold.isHeld) return;
      const ours = board.peek();
      const streams = list?.content ?? ours.streams;
      const kept = {
        stream: (id: string) => busy.peek().has(id) || (changedAt.current.get(id) ?? -1) > sentAt,
        order: order.isNewerThan(sentAt),
      };
      const isWhole = !kept.order && !idsOf([...ours.streams, ...streams]).some(kept.stream);
      // what was left out of this list has to be asked for again
      if (list) version.current = isWhole ? list.version : null;
      board.value = mergePoll(ours, { streams, statuses: statuses.content }, kept);
    } catch (error) {
      isConnected.value = false;
      throw error;
    }
  });

  return {
    board,
    isConnected,
    problem,
    announcement,
    news,
    busy,
    hold,
    poll,
    upsert,
    run,
    remove,
    setAutoReload,
    takePicture,
    move,
  };
}
