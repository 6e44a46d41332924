/** A field with a text of one line that a person enters, and the same field of a file. Pure, also for the form. */
import * as z from "zod";
import { oneLine } from "./one_line.ts";

/** Characters of a text that is looked at: with all that nobody sees, a line has fewer. */
const MOST_TYPED = 10_000;

export interface LineRule {
  /** "A name", which begins the sentence about its length. */
  label: string;
  /** Characters. */
  most: number;
  /** Said of what is no text, or shows nothing; with an example. */
  problem: string;
  /** Whether it may be left empty. */
  isOptional?: boolean;
}

/** The field as it is entered. What has characters, and shows nothing, is refused where an empty text is taken, too. */
export function enteredLine(rule: LineRule) {
  return lineField(rule, () => "");
}

/** A stored name that shows nothing, as earlier versions took it. */
const NO_NAME = "Without a name";

/** The field of a file of ours, which is read as a whole: a text that shows nothing is kept where none means another thing. */
export function storedLine(rule: LineRule) {
  return lineField(rule, (typed) => rule.isOptional || typed === "" ? typed : NO_NAME);
}

/** @param unseen what a text that shows nothing becomes; "": it is refused. */
function lineField({ label, most, problem, isOptional }: LineRule, unseen: (text: string) => string) {
  return z.string({ error: problem }).transform((text, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", message });
    if (text.length > MOST_TYPED) {
      refuse(`${label} has at most ${most} characters.`);
      return "";
    }
    const typed = text.trim();
    const line = oneLine(text) || unseen(typed);
    if (line === "" && !(isOptional && typed === "")) refuse(problem);
    // letters may be longer in NFC, and a stored text was measured as it is
    if (Math.min(line.length, typed.length) > most) refuse(`${label} has at most ${most} characters.`);
    return line;
  });
}
