/** The keys that turn one text into another; phones' keyboards report no keys, only the resulting text. */
export interface Keystrokes {
  /** How often Backspace is pressed. */
  erase: number;
  /** The text to type afterwards. */
  text: string;
}

/** A phone's keyboard deletes only characters that it sees, so its field always has some. */
export const PADDING = "_".repeat(40);

const VARIATION = String.raw`\p{Variation_Selector}`;
const SKIN = String.raw`\p{Emoji_Modifier}`;
/** An emoji with what says how it is drawn: its skin, or that it is a picture. */
const EMOJI = String
  .raw`(?:\p{Emoji_Modifier_Base}${SKIN}|(?!${SKIN}|\p{Regional_Indicator})\p{Emoji}${VARIATION}?)`;
/** What makes a digit a keycap. */
const KEYCAP = String.raw`${VARIATION}?\u20e3`;
/** The tags that turn a black flag into England's: the letters of its place, and their end. */
const TAGS = String.raw`[\u{e0020}-\u{e007e}]+\u{e007f}`;

/**
 * What Chromium's Backspace takes at once: a flag, a keycap, an emoji with all that is joined to it, a character with its
 * variation, else one code point: accents come off a letter one by one. Source: Blink's backspace_state_machine.cc.
 */
const ERASED_AT_ONCE = new RegExp(
  [
    String.raw`\p{Regional_Indicator}{2}`,
    String.raw`[0-9#*]${KEYCAP}`,
    String.raw`${EMOJI}?${TAGS}`,
    String.raw`${EMOJI}(?:\u200d${EMOJI}(?!${KEYCAP}|${TAGS}))*`,
    String.raw`[^\p{Nonspacing_Mark}${VARIATION}]${VARIATION}`,
    ".",
  ].join("|"),
  "gsu",
);

function pieces(text: string): string[] {
  return text.match(ERASED_AT_ONCE) ?? [];
}

/** The keys between two contents of the field; corrections of earlier words erase back to them. */
export function keystrokesBetween(before: string, after: string): Keystrokes {
  const was = pieces(before), is = pieces(after);
  let same = 0;
  while (same < was.length && same < is.length && was[same] === is[same]) same++;
  return { erase: was.length - same, text: is.slice(same).join("") };
}
