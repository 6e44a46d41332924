/**
 * The text that all spellings of a group share; empty without a group. The service sends groups as one line, so a board needs
 * no rule for what is entered (lib/model/group.ts), which is large.
 */
export function groupKey(group: string): string {
  return group.normalize("NFC").trim().toLowerCase();
}
