/** A field with a text of one line that a person enters, and the same field of a file. Pure, also for the form. */
import * as z from "zod";
import { oneLine } from "./one_line.ts";

/** Characters of a text that is looked at: with all that nobody sees, a line has fewer. */
const MOST_TYPED = 10_000;

/** Blanks that no text of one line has. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Characters, as Unicode and Zod count them. */
const lengthOf = (text: string) => [...text].length;

export interface LineRule {
  /** "A name", which begins the sentence about its length. */
  label: string;
  /** Characters. */
  most: number;
  /** The message for a value that is not a text, or shows nothing; with an example. */
  problem: string;
  /** Whether it may be left empty. */
  isOptional?: boolean;
}

/** The field as it is entered. A text whose characters show nothing is refused, also where an empty text is taken. */
export function enteredLine(rule: LineRule) {
  return lineField(rule, () => "");
}

/** A stored name that shows nothing, as earlier versions took it. */
export const NO_NAME = "Without a name";

/** The field of a file of ours, which is read as a whole: a text that shows nothing is kept where none means another thing. */
export function storedLine(rule: LineRule) {
  return lineField(rule, (typed) => rule.isOptional || typed === "" ? typed : NO_NAME);
}

/** @param unseen gives the text in place of one that shows nothing; "": the field is refused. */
function lineField({ label, most, problem, isOptional }: LineRule, unseen: (text: string) => string) {
  return z.string({ error: problem }).transform((text, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", message });
    // as earlier versions stored it
    const typed = text.replace(BREAKS, " ").trim();
    if (typed.length > MOST_TYPED) {
      refuse(`${label} has at most ${most} characters.`);
      return "";
    }
    const line = oneLine(typed) || unseen(text.trim());
    if (line === "" && !(isOptional && text.trim() === "")) refuse(problem);
    if (lengthOf(line) <= most) return line;
    // a text that only NFC makes too long stays as it is: else a list that was read could not be read again
    if (lengthOf(typed) <= most) return typed;
    refuse(`${label} has at most ${most} characters.`);
    return line;
  });
}
