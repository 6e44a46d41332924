/** A name that stays on its line: without line breaks, control characters and halves of characters. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
