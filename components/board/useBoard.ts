import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import type { OverrideTime } from "../../lib/model/plan/stop_until.ts";
import type { StreamState } from "../../lib/model/answers/status.ts";
import { api, type Command, FAILED_WORDS, problemOf } from "../client/api.ts";
import { type Connection, connectionAfter } from "../client/connection.ts";
import { aged, withNews } from "./boardNews.ts";
import {
  type BoardState,
  idsOf,
  mergePoll,
  moved,
  movedAmong,
  placedBefore,
  statusOf,
} from "./boardState.ts";
import { DragLock } from "./order/dragLock.ts";
import { useToast } from "../ui/useToast.ts";
import { useOrder } from "./order/useOrder.ts";
import { useDeleting } from "./useDeleting.ts";
import { useFeed } from "../client/useFeed.ts";
import { usePolling } from "../client/usePolling.ts";
import type { FeedEvent, StreamStatus } from "../../lib/model/answers/shapes.ts";

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
/** News of a stream within this time after this page's change may be older than the change. */
const SETTLED_MS = 2000;
/** The pause between two polls during a recreation. */
const RECREATE_POLL_MS = 700;

/**
 * The streams as this page knows them: from the service's feed, or from polls while there is no feed. The page is ahead
 * of the service while a command is under way.
 * @param listVersion the version of the list that `initial` was made of.
 */
export function useBoard(initial: BoardState, listVersion: string) {
  const state = useSignal(initial);
  const connection = useSignal<Connection>("up");
  const problem = useSignal("");
  const announcement = useSignal("");
  const toast = useToast();
  const busy = useSignal<ReadonlyMap<string, Command>>(new Map());
  const changedAt = useRef(new Map<string, number>());
  /** While a card is dragged, Sortable moves the elements, so the list must not be rendered. */
  const { current: dragLock } = useRef(new DragLock());
  /** The version of the list that is shown; null: unknown. */
  const version = useRef(initial.pending.length > 0 ? null : listVersion);
  /** The version in the last news. */
  const toldVersion = useRef<string>();
  const isAsking = useRef(false);
  /** What was told while the page asked: the answer may be older. */
  const toldMeanwhile = useRef<FeedEvent[]>([]);
  const order = useOrder(state, dragLock, (message) => problem.value = message);

  function change(id: string, next: (now: BoardState) => BoardState) {
    changedAt.current.set(id, performance.now());
    state.value = next(state.peek());
  }

  function setStatus(id: string, status: StreamStatus, desiredState?: PublicStream["desiredState"]) {
    change(id, ({ streams, statuses, pending }) => ({
      streams: streams.map((it) => it.id === id && desiredState ? { ...it, desiredState } : it),
      statuses: { ...statuses, [id]: status },
      pending,
    }));
  }

  function upsert(stream: PublicStream) {
    dragLock.whenUnlocked(() =>
      change(stream.id, ({ streams, ...others }) => ({
        ...others,
        streams: streams.some((it) => it.id === stream.id)
          ? streams.map((it) => it.id === stream.id ? stream : it)
          : [...streams, stream],
      }))
    );
  }

  function setBusy(id: string, command: Command | null) {
    const next = new Map(busy.peek());
    if (command) next.set(id, command);
    else next.delete(id);
    busy.value = next;
  }

  /** The status when a recreation is over. @throws {Error} why it failed. */
  async function ended(id: string, answer: StreamStatus): Promise<StreamStatus> {
    let status = answer;
    while (status.recreate && status.recreate.step !== "failed") {
      setStatus(id, status);
      await new Promise((done) => setTimeout(done, RECREATE_POLL_MS));
      status = (await api.statuses()).content[id];
      if (!status) throw new Error("It was deleted meanwhile.");
    }
    if (status.recreate?.error) throw new Error(status.recreate.error);
    return status;
  }

  /**
   * Shows the expected result until the command ends.
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
    // the caller's stream may be older, as that of an Undo is
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

  /**
   * Adds a stream, which waits where the machine has no room for it.
   * @returns its id. @throws {ApiError} with the problems of its fields.
   */
  async function create(body: Record<string, unknown>): Promise<string> {
    const stream = await api.create(body);
    upsert(stream);
    const becomes = stream.desiredState === "stopped"
      ? "stopped"
      : stream.onDemand
      ? "waits for a viewer"
      : "starting";
    announcement.value = `${stream.name} is added and ${becomes}.`;
    return stream.id;
  }

  /** @throws {ApiError} with the problems of its fields, or with the stream as it is stored by now. */
  async function update(id: string, body: Record<string, unknown>) {
    const stream = await api.update(id, body);
    upsert(stream);
    announcement.value = `${stream.name} is saved.`;
  }

  /** Accepts an error status of the page: the page is shown with it. */
  async function acceptStatus({ id, name, acceptedStatuses, revision }: PublicStream, status: number) {
    const body = { acceptedStatuses: `${acceptedStatuses} ${status}`.trim(), revision };
    await attempt(`${name} is shown with status ${status}.`, "It is not shown.", () => update(id, body));
  }

  const { hidden, progress: deleting, remove } = useDeleting({
    toast,
    removed: (id) =>
      dragLock.whenUnlocked(() =>
        change(id, ({ streams, ...others }) => ({ ...others, streams: streams.filter((it) => it.id !== id) }))
      ),
    onfail: (message) => problem.value = message,
  });

  /** Runs a small request and shows its result. */
  async function attempt<T>(done: string, failed: string, send: () => Promise<T>): Promise<T | undefined> {
    problem.value = "";
    try {
      const answer = await send();
      toast.show(done);
      return answer;
    } catch (error) {
      problem.value = `${failed} ${problemOf(error)}`;
    }
  }

  function captureThumbnail({ id, name }: PublicStream) {
    return attempt(
      `A new thumbnail of ${name} is being captured.`,
      `No thumbnail of “${name}” could be captured.`,
      () => api.captureThumbnail(id),
    );
  }

  /** Moves a card to a position among some cards, counted from 0. */
  function move({ id, name }: PublicStream, position: number, among: string[]) {
    const { streams, pending } = state.peek();
    const place = moved(among, id, position).indexOf(id) + 1;
    announcement.value = `${name} is now ${place} of ${among.length}.`;
    return order.reorder(movedAmong(idsOf([...streams, ...pending]), among, id, position));
  }

  /** Moves cards before another one, or to the end, which Undo takes back. */
  function place(ids: readonly string[], before: string | null) {
    const { streams, pending } = state.peek();
    const all = idsOf([...streams, ...pending]);
    toast.show(ids.length === 1 ? "1 stream is moved." : `${ids.length} streams are moved.`, {
      undo: () => void order.reorder(all),
    });
    return order.reorder(placedBefore(all, ids, before));
  }

  /** Numbers the channels by the order of the cards. @throws {ApiError} */
  async function renumber() {
    await api.reorder(idsOf(state.peek().streams), true);
    await poll();
    announcement.value = "The channels are numbered by the order of the cards.";
  }

  /** The time when the shown state was last updated. */
  const shownAt = useRef(0);
  const again = useRef<ReturnType<typeof setTimeout>>();

  const isTold = useFeed({
    onnews(news) {
      connection.value = "up";
      if (dragLock.isLocked) return pollLater();
      const since = performance.now() - SETTLED_MS;
      const isEdited = (id: string) =>
        busy.peek().has(id) || (changedAt.current.get(id) ?? -Infinity) > since;
      if (isAsking.current) toldMeanwhile.current.push(...news);
      const told = withNews(state.peek(), news, isEdited);
      state.value = told.board;
      toldVersion.current = told.version ?? toldVersion.current;
      if (!told.isWhole) pollLater();
      else if (isListOld() && !isAsking.current) poll();
    },
    onlost: () => poll(),
  });

  const isListOld = () => toldVersion.current !== undefined && toldVersion.current !== version.current;

  function pollLater() {
    clearTimeout(again.current);
    again.current = setTimeout(() => poll(), SETTLED_MS);
  }
  useEffect(() => () => clearTimeout(again.current), []);

  const poll = usePolling(async (isAsked) => {
    const sentAt = performance.now();
    const seconds = Math.round((sentAt - shownAt.current) / 1000);
    shownAt.current = sentAt;
    if (!isAsked && isTold() && connection.peek() === "up") {
      if (!dragLock.isLocked) state.value = aged(state.peek(), seconds);
      return;
    }
    isAsking.current = true;
    toldMeanwhile.current = [];
    try {
      const statuses = await api.statuses();
      const isSame = statuses.version !== null && statuses.version === version.current;
      const list = isSame ? null : await api.list();
      connection.value = "up";
      if (dragLock.isLocked) return pollLater();
      const local = state.peek();
      const streams = list?.content ?? local.streams;
      const edits = {
        hasStream: (id: string) => busy.peek().has(id) || (changedAt.current.get(id) ?? -1) > sentAt,
        hasOrder: order.isNewerThan(sentAt),
      };
      const isWhole = !edits.hasOrder && !idsOf([...local.streams, ...streams]).some(edits.hasStream);
      // the page has to ask again for the streams that it left out of this list
      if (list) version.current = isWhole ? list.version : null;
      const merged = mergePoll(local, { streams, statuses: statuses.content }, edits);
      state.value = withNews(merged, toldMeanwhile.current, edits.hasStream).board;
    } catch (error) {
      connection.value = connectionAfter(error);
      throw error;
    } finally {
      isAsking.current = false;
    }
    // the list has changed meanwhile, or was taken over in part
    if (isTold() && isListOld()) pollLater();
  });
  useEffect(() => {
    if (initial.pending.length > 0) poll();
  }, []);

  return {
    state,
    connection,
    problem,
    announcement,
    toast,
    busy,
    dragLock,
    poll,
    create,
    update,
    acceptStatus,
    run,
    command,
    hidden,
    deleting,
    remove,
    captureThumbnail,
    move,
    place,
    renumber,
  };
}

export type Board = ReturnType<typeof useBoard>;
