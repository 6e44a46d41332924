/** Text in XML and HTML, and back. */

/** The five entities that XML and HTML share (XML 1.0, section 4.6). */
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const NAMES = Object.fromEntries(Object.entries(ENTITIES).map(([name, character]) => [character, name]));

/** The text for content, and for attributes in either kind of quotes. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&${NAMES[character]};`);
}

/** The text that XML's entities, named or numeric, stand for; any other entity stays as it is. */
export function unescapeMarkup(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex) return String.fromCodePoint(parseInt(hex, 16));
    if (decimal) return String.fromCodePoint(Number(decimal));
    return Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : whole;
  });
}
