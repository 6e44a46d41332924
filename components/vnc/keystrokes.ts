/** What must be typed to turn one text into another; phones' keyboards report no keys, only the text that results. */
export interface Keystrokes {
  /** Characters to take away at the end. */
  erase: number;
  /** Then to type. */
  text: string;
}

/** A phone's keyboard deletes only what it sees, so its field always has some characters to delete. */
export const PADDING = "_".repeat(40);

/** The keys between two contents of the field; corrections of earlier words erase back to them. */
export function keystrokesBetween(before: string, after: string): Keystrokes {
  const was = [...before], is = [...after];
  let same = 0;
  while (same < was.length && same < is.length && was[same] === is[same]) same++;
  return { erase: was.length - same, text: is.slice(same).join("") };
}
