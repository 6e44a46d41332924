/**
 * Names and groups as they stand in a line of the playlist, whole for every app that reads it. The rules of those apps, and
 * what was decided, are in docs/decisions/iptv.md. Pure.
 */
import { groupKey } from "../../model/group.ts";
import { oneLine } from "./text.ts";

/** U+201A looks as a comma does, and is none: VLC ends a line's attributes at the first comma, Jellyfin begins a name at the last. */
const COMMA = "\u201A";
/** A blank that no app looks for. */
const BLANK = "\u00A0";

/** The blanks behind a first word that a reader may take for a number: ".NET", Python and C know 1e3, NaN and Infinity, too. */
const BEHIND_NUMBER =
  /(?<=^[.+\p{Pd}\u2212]*(?:\p{N}[\p{N}\p{Pd}\u2212.+_'\u201Ae]*|(?:inf(?:inity)?|nan|∞)\.*))\p{Zs}+/iu;

/** A text on its line: nothing can escape a quote in this format, so it has none. */
export function withoutQuotes(text: string): string {
  return oneLine(text.replaceAll('"', ""));
}

/** The value of an attribute: the line's only comma is the one before the name. */
export function attributeText(text: string): string {
  return withoutQuotes(text).replaceAll(",", COMMA);
}

/** What stands behind the comma. Jellyfin drops a first word that is a number, and VLC what is before " - ". */
export function nameBehindComma(text: string): string {
  return attributeText(text)
    .replace(BEHIND_NUMBER, (blanks) => BLANK.repeat(blanks.length))
    .replaceAll(" - ", ` -${BLANK}`);
}

/** Kodi and TiviMate take a semicolon for the end of one group and the beginning of another. */
export function listedGroup(group: string): string {
  return attributeText(partsOf(group, ";").join(", "));
}

/** More than any group has, also in NFD. */
const MOST_ASKED = 1000;

/** Tells of each group whether a client means it, by the group's own name or by any name that a list shows for it. */
export function groupAsked(typed: string): (group: string) => boolean {
  const asked = typed.slice(0, MOST_ASKED);
  const [own, listed] = [groupKey(asked), listedKey(asked)];
  return (group) => {
    const key = listedKey(group);
    return groupKey(group) === own || (key !== "" && key === listed);
  };
}

/** The text that all names of a group in lists share; "" where they show nothing. */
function listedKey(group: string): string {
  return groupKey(partsOf(withoutQuotes(group), /[;,\u201A]/).join(","));
}

function partsOf(text: string, separator: string | RegExp): string[] {
  return text.split(separator).map((part) => part.trim()).filter(Boolean);
}
