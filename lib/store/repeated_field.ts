/** Fields that stand twice in one object of JSON, of which JSON.parse takes the last. Pure. */

/** The first such field; null: there is none. @param text valid JSON. */
export function repeatedField(text: string): string | null {
  /** For each object or list that is open: the names of its fields so far. */
  const open: Set<string>[] = [];
  let last = "";
  for (let at = 0; at < text.length; at++) {
    const start = at;
    switch (text[at]) {
      case '"':
        while (text[++at] !== '"') if (text[at] === "\\") at++;
        last = text.slice(start, at + 1);
        break;
      case "{":
      case "[":
        open.push(new Set());
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ":": {
        const name: string = JSON.parse(last);
        const names = open.at(-1)!;
        if (names.has(name)) return name;
        names.add(name);
      }
    }
  }
  return null;
}
