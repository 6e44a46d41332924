/** The operator's own browser extensions that a stream has chosen: its field extensions. Pure, also for the form. */

/** A folder's name, which stands in a path and in a list with commas on a command line. */
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,62}$/;

const MAX_CHOSEN = 20;

export function isExtensionName(text: string): boolean {
  return NAME.test(text);
}

/** The names in a text with blanks or commas between them, each once. */
export function extensionNames(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}

/** The problem of the field; null: it is valid. Whether the extensions exist is not checked. */
export function extensionsProblem(text: string): string | null {
  const names = extensionNames(text);
  if (names.length > MAX_CHOSEN) return `There are at most ${MAX_CHOSEN}.`;
  const wrong = names.find((name) => !isExtensionName(name));
  return wrong === undefined
    ? null
    : `"${wrong.slice(0, 60)}" is not the name of an extension's folder, such as dark-page.`;
}
