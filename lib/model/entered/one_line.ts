/**
 * The rule of every text of one line that people enter, such as names and groups: invisible characters are left out, so that
 * texts that look the same are the same. The rule is never used for passwords. Pure, also for the form.
 */

/**
 * Characters that are drawn as a blank: Unicode's blanks and breaks, controls, the empty Braille cell and the fillers of
 * Hangul.
 */
const BLANKS = /[\p{Z}\p{Cc}\u2800\u3164\uffa0]+/gu;

/** Characters that are not drawn: default ignorables, halves of pairs, noncharacters, and marks of annotations and objects. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cs}\p{Noncharacter_Code_Point}\ufff9-\ufffc]/u;

/** Characters that no text begins with: a mark without a letter is drawn over the character before it. */
const UNSEEN_BEFORE = new RegExp(
  `^(?:[\\p{M} ]|(?!\\u115f[\\u1161-\\u11a7\\ud7b0-\\ud7c6])${UNSEEN.source})+`,
  "u",
);

/** A flag of a region: a black flag, and the region's tag. */
const REGION_FLAG = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]+\u{e007f}/uy;

const JOINER = "\u200d", NON_JOINER = "\u200c";
const TEXT_STYLE = "\ufe0e", EMOJI_STYLE = "\ufe0f", KEYCAP = "\u20e3";
const LEADING_FILLER = "\u115f", VOWEL_FILLER = "\u1160";

const PICTOGRAPH = /\p{Extended_Pictographic}/u;
/** Characters that may stand before the joiner of two emoji. */
const BEFORE_JOINER = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u;
/** Letters that join their neighbours, and the ones among them that do not join the next letter. Source: ArabicShaping.txt. */
const JOINED = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mandaic}\p{Script=Mongolian}]/u;
const NOT_FORWARD =
  /[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef\u0710\u0715-\u0719\u071e\u0728\u072a\u072c]/;
const HAMZA = "\u0621";
const LETTER = /\p{L}/u;
const MARK = /\p{M}/u;
/** The most marks of a letter that are examined: a text of marks alone must not take for ever. */
const MOST_MARKS = 20;
const HAN = /\p{Unified_Ideograph}/u;
const MONGOLIAN = /\p{Script=Mongolian}/u;
/** Scripts whose letters have a dotted form, which U+FE00 asks for. */
const DOTTED = /[\p{Script=Myanmar}\p{Script=Phags_Pa}]/u;
/** Viramas of the scripts whose joiners choose the form of a conjunct. */
const VIRAMA =
  /[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0f84\u1039\u103a\u17d2\u1a60\u1b44]/;
/** Letters of old Hangul, which a filler completes to a syllable. */
const OLD_VOWEL = /[\u1161-\u11a7\ud7b0-\ud7c6]/, OLD_CONSONANT = /[\u1100-\u115e\ua960-\ua97c]/;

/**
 * The text in NFC, in one line, with single blanks, and without invisible characters. Those that a script or emoji needs
 * stay: joiners, variation selectors, and the tags of flags. "" where nothing would be seen.
 */
export function oneLine(text: string): string {
  const line = text.replace(BLANKS, " ").replace(UNSEEN_BEFORE, "");
  const seen = UNSEEN.test(line) ? withoutUnseen(line.normalize("NFC")) : line;
  return seen.normalize("NFC").replace(/ +/g, " ").trim();
}

function withoutUnseen(text: string): string {
  const characters = [...text];
  let kept = "";
  /** The last kept character, the letter that it belongs to, and the letter's marks. */
  let before = "", base = "", marks = "";
  for (let at = 0, offset = 0; at < characters.length; at++) {
    const character = characters[at];
    REGION_FLAG.lastIndex = offset;
    const flag = REGION_FLAG.exec(text)?.[0];
    offset += flag?.length ?? character.length;
    if (flag) {
      at += [...flag].length - 1;
      kept += flag;
      [before, base, marks] = [character, character, ""];
      continue;
    }
    if (
      UNSEEN.test(character) &&
      !isNeeded(character, { before, base, marks, after: characters.slice(at + 1, at + 1 + MOST_MARKS) })
    ) continue;
    kept += character;
    before = character;
    if (MARK.test(character) && !UNSEEN.test(character)) marks = (marks + character).slice(-MOST_MARKS);
    else if (UNSEEN.test(character)) marks = "";
    else [base, marks] = [character, ""];
  }
  return kept;
}

interface Neighbours {
  before: string;
  base: string;
  marks: string;
  /** Of what follows, as much as counts. */
  after: readonly string[];
}

/** Whether an invisible character changes how its neighbours are drawn. */
function isNeeded(character: string, { before, base, marks, after }: Neighbours): boolean {
  const [next = ""] = after;
  const nextAt = after.findIndex((one) => !MARK.test(one) && !UNSEEN.test(one));
  const nextBase = after[nextAt] ?? "";
  const isAtVirama = VIRAMA.test(marks) ||
    VIRAMA.test(after.slice(0, nextAt < 0 ? after.length : nextAt).join(""));
  const isJoinedTo = LETTER.test(base) && JOINED.test(base) && !NOT_FORWARD.test(base);
  const isNextJoined = LETTER.test(nextBase) && JOINED.test(nextBase) && nextBase !== HAMZA;
  switch (character) {
    case JOINER:
      if (BEFORE_JOINER.test(before) && PICTOGRAPH.test(next)) return true;
      return isJoinedTo !== isNextJoined || isAtVirama;
    case NON_JOINER:
      return isJoinedTo && isNextJoined || isAtVirama && LETTER.test(nextBase);
    case EMOJI_STYLE:
      return next === KEYCAP && /[0-9#*]/.test(before) ||
        PICTOGRAPH.test(before) && !/\p{Emoji_Presentation}/u.test(before);
    case TEXT_STYLE:
      return /\p{Emoji_Presentation}/u.test(before);
    case LEADING_FILLER:
      return OLD_VOWEL.test(next);
    case VOWEL_FILLER:
      return OLD_CONSONANT.test(before);
  }
  if (/[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/u.test(character) && HAN.test(before)) return true;
  if (character === "\ufe00") return DOTTED.test(before) || /\p{Sm}/u.test(before);
  // the vowel separator and the selectors of Mongolian
  return /[\u180b-\u180f]/.test(character) && MONGOLIAN.test(before);
}
