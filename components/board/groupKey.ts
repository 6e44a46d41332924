/**
 * The text that all spellings of a group share; empty without a group. The service sends groups as one line, so a board does
 * not need the rule for entered texts (lib/model/group.ts), which is large.
 */
export function groupKey(group: string): string {
  return group.normalize("NFC").trim().toLowerCase();
}
