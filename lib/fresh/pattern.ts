/** A path pattern compiled for matching. */
export interface Pattern {
  source: string;
  /** The decoded parameters, or null if the path does not match. */
  match(pathname: string): Record<string, string> | null;
}

const TOKEN = /:(\w+)(\*)?|\*/g;

/**
 * Compiles a pattern of URLPattern's syntax as far as routes use it: `:name` is (a part of) one segment, `:name*` any
 * number of segments, `*` the rest.
 *
 * @param isPrefix also match every path below
 */
export function compilePattern(source: string, isPrefix = false): Pattern {
  const keys: string[] = [];
  let regex = "";
  let end = 0;
  for (const token of source.matchAll(TOKEN)) {
    const [text, name, isRest] = token;
    const literal = source.slice(end, token.index);
    end = token.index + text.length;
    if (name) keys.push(name);
    // The slash before a rest parameter belongs to it: /files/:path* matches /files as well.
    if (isRest) regex += `${escapeRegex(literal.replace(/\/$/, ""))}(?:/(.*))?`;
    else regex += escapeRegex(literal) + (name ? "([^/]+?)" : ".*");
  }
  regex += escapeRegex(source.slice(end));
  const compiled = new RegExp(`^${isPrefix ? `${regex.replace(/\/$/, "")}(?:/.*)?` : regex}$`);
  return {
    source,
    match(pathname) {
      const found = compiled.exec(pathname);
      return found && Object.fromEntries(keys.map((key, i) => [key, decodeURI(found[i + 1] ?? "")]));
    },
  };
}

/** The pattern of a route file: `(group)/a/[id].html.ts` becomes `/a/:id.html`. */
export function filePattern(path: string): string {
  const segments = path.replace(/\.[jt]sx?$/, "").split("/").filter((segment) => !/^\(.*\)$/.test(segment));
  if (segments.at(-1) === "index") segments.pop();
  return "/" + segments.join("/").replaceAll(/\[\.\.\.(\w+)\]/g, ":$1*").replaceAll(/\[(\w+)\]/g, ":$1");
}

/** A pattern below the base path. */
export function joinPattern(basePath: string, pattern: string): string {
  return basePath === "" ? pattern : basePath + (pattern === "/" ? "" : pattern);
}

function escapeRegex(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
