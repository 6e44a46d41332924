import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import { api, ApiError, problemOf } from "../client/api.ts";
import { nameList } from "../select/selection.ts";
import type { Toaster } from "../ui/useToast.ts";
import { Deletions, requestsFor, type Undeleted } from "./deletions.ts";

/** How far the deletion of many streams is. */
export interface DeletingProgress {
  done: number;
  all: number;
}

interface DeletingParts {
  toast: Toaster;
  /** Takes a stream off the page that is deleted. */
  removed(id: string): void;
  onfail(message: string): void;
}

const NONE: ReadonlySet<string> = new Set();

/** Deletes streams after 10 s, or as the page is left; until then Undo has their cards back, and nothing was done. */
export function useDeleting(parts: DeletingParts) {
  const hidden = useSignal(NONE);
  const progress = useSignal<DeletingProgress | null>(null);
  const latest = useRef(parts);
  latest.current = parts;
  const returned = useRef<string>();
  const deletions = useRef<Deletions>();
  deletions.current ??= new Deletions({
    async send(ids) {
      const failed = await deleted(ids);
      for (const id of ids) if (!failed.some((one) => one.id === id)) latest.current.removed(id);
      return failed;
    },
    onchange: (ids) => hidden.value = ids,
  });
  const own = deletions.current;

  useEffect(() => {
    const sendAll = () => own.sendAll();
    addEventListener("pagehide", sendAll);
    return () => removeEventListener("pagehide", sendAll);
  }, []);
  useLayoutEffect(() => {
    if (returned.current) document.getElementById(`stream-${returned.current}`)?.focus();
    returned.current = undefined;
  }, [hidden.value]);

  function remove(streams: readonly PublicStream[]) {
    const ids = streams.map(({ id }) => id);
    focusBeside(ids);
    own.hide(ids);
    const text = streams.length === 1
      ? `“${streams[0].name}” is deleted.`
      : `${streams.length} streams are deleted.`;
    parts.toast.show(text, {
      undo: () => {
        returned.current = ids[0];
        own.show(ids);
      },
      end: async () => {
        const requests = requestsFor(streams);
        const all = ids.length;
        const failed = await own.send(requests, (done) => {
          if (requests.length > 1) progress.value = { done, all };
        });
        progress.value = null;
        if (failed.length === 0) return;
        const names = streams.filter(({ id }) => failed.some((one) => one.id === id)).map(({ name }) => name);
        latest.current.onfail(`${nameList(names)} could not be deleted. ${failed[0].problem}`);
      },
    });
  }

  return { hidden, progress, remove };
}

/** Deletes streams. @returns the streams that are still there. */
async function deleted(ids: readonly string[]): Promise<Undeleted[]> {
  try {
    if (ids.length > 1) {
      const { failed } = await api.removeMany(ids);
      return failed.map(({ id, error }) => ({ id, problem: error.message }));
    }
    await api.remove(ids[0]);
  } catch (error) {
    // somebody else was faster
    const isGone = error instanceof ApiError && error.status === 404;
    if (!isGone) return ids.map((id) => ({ id, problem: problemOf(error) }));
  }
  return [];
}

/** Gives the focus to the card after these cards; behind the last one, to the card before, or to the button that adds one. */
function focusBeside(ids: readonly string[]) {
  const cards = [...document.querySelectorAll<HTMLElement>(".cards > .card")]
    .filter((card) => card.offsetParent !== null);
  const isGone = (card: HTMLElement) => ids.includes(card.dataset.id!);
  const last = cards.findLastIndex(isGone);
  const next = cards[last + 1] ?? cards.findLast((card) => !isGone(card));
  (next ?? document.querySelector<HTMLElement>(".add"))?.focus();
}
