/** Groups of streams. Pure. */

/** Whether two groups are one: neither case nor blanks around a name count. */
export function isSameGroup(one: string, other: string): boolean {
  return groupKey(one) === groupKey(other);
}

/** What is the same for all spellings of a group; empty for none. */
export function groupKey(group: string): string {
  return group.trim().normalize("NFC").toLowerCase();
}
