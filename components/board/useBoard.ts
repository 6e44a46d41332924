import type { PublicStream } from "../../lib/model/schema.ts";
import { api } from "../client/api.ts";
import { useToast } from "../ui/useToast.ts";
import { type BoardState, idsOf, moved, movedAmong, placedBefore } from "./boardState.ts";
import { useOrder } from "./order/useOrder.ts";
import { useCommands } from "./useCommands.ts";
import { useDeleting } from "./useDeleting.ts";
import { useStreams } from "./useStreams.ts";

/**
 * The board's streams, and a person's commands for them.
 * @param listVersion the version of the list that `initial` was made of.
 */
export function useBoard(initial: BoardState, listVersion: string) {
  const streams = useStreams(initial, listVersion);
  const { state, connection, busy, dragLock, poll, upsert, removed } = streams;
  const commands = useCommands(streams);
  const { problem, announcement, command, run, attempt, update } = commands;
  const toast = useToast();
  const fail = (message: string) => void (problem.value = message);
  const order = useOrder(streams, fail);
  const { hidden, progress: deleting, remove } = useDeleting({ toast, removed, onfail: fail });

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

  /** Accepts an error status of the page: the page is shown with it. */
  async function acceptStatus(stream: PublicStream, status: number) {
    if (await commands.acceptStatus(stream, status)) {
      toast.show(`${stream.name} is shown with status ${status}.`);
    }
  }

  async function captureThumbnail({ id, name }: PublicStream) {
    const answer = await attempt(
      `No thumbnail of “${name}” could be captured.`,
      () => api.captureThumbnail(id),
    );
    if (answer) toast.show(`A new thumbnail of ${name} is being captured.`);
    return answer;
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
