/** Groups of streams. Pure. */

/** Whether two groups are one: neither case nor blanks around a name count. */
export function isSameGroup(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

function folded(text: string): string {
  return text.trim().normalize("NFC").toLowerCase();
}
