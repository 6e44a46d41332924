import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { FeedEvent, StreamStatus } from "../../lib/model/answers/shapes.ts";
import type { PublicStream } from "../../lib/model/schema.ts";
import { api, type Command, type Versioned } from "../client/api.ts";
import { type Connection, connectionAfter } from "../client/connection.ts";
import { useFeed } from "../client/useFeed.ts";
import { usePolling } from "../client/usePolling.ts";
import { aged, withNews } from "./boardNews.ts";
import { type BoardState, idsOf, mergePoll } from "./boardState.ts";
import { DragLock } from "./order/dragLock.ts";

/** News of a stream within this time after this page's change may be older than the change. */
const SETTLED_MS = 2000;

/** Where a page has its streams from. */
export interface Source {
  statuses(): Promise<Versioned<Record<string, StreamStatus>>>;
  /** @param version of the statuses, which were asked for before. */
  list(version: string | null): Promise<Versioned<PublicStream[]>>;
  /** The part of the feed's news that is about these streams. */
  news(all: readonly FeedEvent[]): readonly FeedEvent[];
}

/** All streams, as the board has them. */
const ALL: Source = { statuses: () => api.statuses(), list: () => api.list(), news: (all) => all };

/**
 * The streams as this page knows them: from the service's feed, or from polls while there is no feed. The page is ahead
 * of the service while a command is under way.
 * @param listVersion the version of the list that `initial` was made of.
 */
export function useStreams(initial: BoardState, listVersion: string, source = ALL) {
  const state = useSignal(initial);
  const connection = useSignal<Connection>("up");
  /** The commands under way, by stream. */
  const busy = useSignal<ReadonlyMap<string, Command>>(new Map());
  const changedAt = useRef(new Map<string, number>());
  /** This page's last change of the order. */
  const { current: ownOrder } = useRef({ at: -1, isSaving: false });
  /** While a card is dragged, Sortable moves the elements, so the list must not be rendered. */
  const { current: dragLock } = useRef(new DragLock());
  /** The version of the list that is shown; null: unknown. */
  const version = useRef(initial.pending.length > 0 ? null : listVersion);
  /** The version in the last news. */
  const toldVersion = useRef<string>();
  const isAsking = useRef(false);
  /** The news that came while the page asked: the answer may be older. */
  const toldMeanwhile = useRef<FeedEvent[]>([]);
  /** The time when the shown state was last updated. */
  const shownAt = useRef(0);
  const again = useRef<ReturnType<typeof setTimeout>>();

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

  function removed(id: string) {
    dragLock.whenUnlocked(() =>
      change(id, ({ streams, ...others }) => ({ ...others, streams: streams.filter((it) => it.id !== id) }))
    );
  }

  function setBusy(id: string, command: Command | null) {
    const next = new Map(busy.peek());
    if (command) next.set(id, command);
    else next.delete(id);
    busy.value = next;
  }

  const isEditedSince = (since: number) => (id: string) =>
    busy.peek().has(id) || (changedAt.current.get(id) ?? -Infinity) > since;

  const isTold = useFeed({
    onnews(news) {
      const own = source.news(news);
      if (own.length === 0) return;
      connection.value = "up";
      if (dragLock.isLocked) return pollLater();
      if (isAsking.current) toldMeanwhile.current.push(...own);
      const told = withNews(state.peek(), own, isEditedSince(performance.now() - SETTLED_MS));
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
      const statuses = await source.statuses();
      const isSame = statuses.version !== null && statuses.version === version.current;
      const list = isSame ? null : await source.list(statuses.version);
      connection.value = "up";
      if (dragLock.isLocked) return pollLater();
      const local = state.peek();
      const streams = list?.content ?? local.streams;
      const hasStream = isEditedSince(sentAt);
      const hasOrder = ownOrder.isSaving || ownOrder.at > sentAt;
      const isWhole = !hasOrder && !idsOf([...local.streams, ...streams]).some(hasStream);
      // the page has to ask again for the streams that it left out of this list
      if (list) version.current = isWhole ? list.version : null;
      const merged = mergePoll(local, { streams, statuses: statuses.content }, { hasStream, hasOrder });
      state.value = withNews(merged, toldMeanwhile.current, hasStream).board;
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

  return { state, connection, busy, dragLock, ownOrder, poll, setStatus, setBusy, upsert, removed };
}

export type Streams = ReturnType<typeof useStreams>;
