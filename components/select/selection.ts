/** The selected cards. Pure. */

export interface Selection {
  ids: readonly string[];
  /** The card that was picked last, from which a range goes. */
  anchor: string | null;
}

export const NOTHING: Selection = { ids: [], anchor: null };

/** The selection with the card added or, if the selection has it, removed. */
export function picked({ ids }: Selection, id: string): Selection {
  return { ids: ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id], anchor: id };
}

/** The selection with all cards from the last picked card to this card. @param order the shown cards. */
export function extended(selection: Selection, id: string, order: readonly string[]): Selection {
  const [from, to] = [order.indexOf(selection.anchor ?? id), order.indexOf(id)];
  if (from < 0 || to < 0) return picked(selection, id);
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: [...new Set([...selection.ids, ...range])], anchor: selection.anchor ?? id };
}

/** The selection with all these cards added or, if the selection has all of them, removed. */
export function together({ ids }: Selection, these: readonly string[]): Selection {
  const others = ids.filter((id) => !these.includes(id));
  const isRemoval = others.length + these.length === ids.length;
  return { ids: isRemoval ? others : [...others, ...these], anchor: these.at(-1) ?? null };
}

/** Calls `act` for each item, at most `most` at a time: the browser's few other connections are for the page. */
export async function forEachOf<T>(
  items: readonly T[],
  most: number,
  act: (item: T) => Promise<void>,
): Promise<{ item: T; error: unknown }[]> {
  const waiting = [...items];
  const failed: { item: T; error: unknown }[] = [];
  const next = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const one = item;
      await act(one).catch((error: unknown) => failed.push({ item: one, error }));
    }
  };
  await Promise.all(Array.from({ length: most }, next));
  return failed;
}

/** "A", "A and B", "A, B and 3 more". */
export function nameList(names: readonly string[], most = 3): string {
  const quoted = names.map((name) => `“${name}”`);
  if (quoted.length > most + 1) return `${quoted.slice(0, most).join(", ")} and ${quoted.length - most} more`;
  return quoted.length < 2 ? quoted.join() : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}
