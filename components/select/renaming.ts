/** The names of many streams, changed alike. Pure. */

/** The name with a text replaced wherever it is in it; without a text to find, the new one comes before the name. */
export function renamed(name: string, find: string, replacement: string): string {
  const next = find === "" ? replacement + name : name.split(find).join(replacement);
  return next.trim();
}

/** The items whose name changes, with their new names. */
export function renamings<T extends { name: string }>(
  items: readonly T[],
  find: string,
  replacement: string,
) {
  return items.map((item) => ({ item, value: renamed(item.name, find, replacement) }))
    .filter(({ item, value }) => value !== item.name);
}
