/** Groups of streams. Pure. */

/** Whether two groups are the same: case, and blanks around a name, do not count. */
export function isSameGroup(one: string, other: string): boolean {
  return groupKey(one) === groupKey(other);
}

/** The text that all spellings of a group share; empty without a group. */
export function groupKey(group: string): string {
  return group.trim().normalize("NFC").toLowerCase();
}
