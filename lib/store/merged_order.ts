/**
 * The order of streams after a change that another node's change came before: new ones come last, removed ones go, and a
 * stream that was moved stands behind the one that it was put behind. Pure.
 */

/** @param before the order that the change was made of. @param after the order that it made. @param theirs the order now. */
export function mergedOrder(
  before: readonly string[],
  after: readonly string[],
  theirs: readonly string[],
): string[] {
  if (String(before) === String(theirs) || theirs.length === 0) return [...after];
  const kept = new Set(after);
  const known = new Set(before);
  // what others added meanwhile stays where they put it
  const merged = theirs.filter((id) => kept.has(id) || !known.has(id));
  const moved = movedIds(before.filter((id) => kept.has(id)), after);
  for (const id of moved) {
    const at = merged.indexOf(id);
    if (at >= 0) merged.splice(at, 1);
    const behind = after.slice(0, after.indexOf(id)).findLast((one) => merged.includes(one));
    merged.splice(behind === undefined ? 0 : merged.indexOf(behind) + 1, 0, id);
  }
  return merged;
}

/** The ids of `after`, in its order, that are new or were moved: as few as explain the new order. */
function movedIds(before: readonly string[], after: readonly string[]): string[] {
  const places = new Map(before.map((id, place) => [id, place]));
  const rising = longestRising(after.flatMap((id) => places.get(id) ?? []));
  const stays = new Set(rising.map((place) => before[place]));
  return after.filter((id) => !stays.has(id));
}

/** The longest subsequence that rises. Source: M. L. Fredman, "On computing the length of longest increasing subsequences". */
function longestRising(values: readonly number[]): number[] {
  const tails: number[] = [];
  const from = new Map<number, number | undefined>();
  for (const value of values) {
    const found = tails.findIndex((tail) => tail >= value);
    const at = found < 0 ? tails.length : found;
    from.set(value, tails[at - 1]);
    tails[at] = value;
  }
  const rising: number[] = [];
  for (let value: number | undefined = tails.at(-1); value !== undefined; value = from.get(value)) {
    rising.unshift(value);
  }
  return rising;
}
