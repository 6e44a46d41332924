/** The keys that turn one text into another; phones' keyboards report no keys, only the resulting text. */
export interface Keystrokes {
  /** The number of characters to delete at the end. */
  erase: number;
  /** The text to type afterwards. */
  text: string;
}

/** A phone's keyboard deletes only characters that it sees, so its field always has some. */
export const PADDING = "_".repeat(40);

/** The keys between two contents of the field; corrections of earlier words erase back to them. */
export function keystrokesBetween(before: string, after: string): Keystrokes {
  const was = [...before], is = [...after];
  let same = 0;
  while (same < was.length && same < is.length && was[same] === is[same]) same++;
  return { erase: was.length - same, text: is.slice(same).join("") };
}
