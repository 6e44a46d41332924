/** Groups of streams. Pure. */

import { oneLine } from "./entered/one_line.ts";

/** Whether two groups are the same: case and invisible characters of a name make no difference. */
export function isSameGroup(one: string, other: string): boolean {
  return groupKey(one) === groupKey(other);
}

/** The text that all spellings of a group share; empty without a group, which a name that shows nothing is not. */
export function groupKey(group: string): string {
  return (oneLine(group) || group.trim()).toLowerCase();
}
