import { HttpError } from "./http_error.ts";

export interface Match<Target> {
  target: Target;
  params: Record<string, string>;
}

/** Patterns in order of registration; patterns without parameters come first. */
export class Router<Target> {
  #exact = new Map<string, Target>();
  #patterns: { pattern: RegExp; target: Target }[] = [];

  /** @param pathname as filePattern() gives it, without a slash at its end. */
  add(pathname: string, target: Target): void {
    if (pathname.includes(":")) this.#patterns.push({ pattern: patternOf(pathname), target });
    else this.#exact.set(pathname, target);
  }

  /**
   * The first route whose pattern matches. A path without parameters may end with a slash, as it may upstream.
   *
   * @throws {HttpError} 400, if a parameter is not well encoded
   */
  match({ pathname }: URL): Match<Target> | null {
    const target = this.#exact.get(pathname) ?? this.#exact.get(pathname.replace(/\/$/, ""));
    if (target) return { target, params: {} };
    for (const { pattern, target } of this.#patterns) {
      const found = pattern.exec(pathname);
      if (found) return { target, params: decodeParams(found.groups!) };
    }
    return null;
  }
}

/** The pattern of a route file: `a/[id].html.ts` becomes `/a/:id.html`. */
export function filePattern(path: string): string {
  const segments = path.replace(/\.[jt]sx?$/, "").split("/");
  if (segments.at(-1) === "index") segments.pop();
  return "/" + segments.join("/").replaceAll(/\[\.\.\.(\w+)\]/g, ":$1*").replaceAll(/\[(\w+)\]/g, ":$1");
}

/** URLPattern knows the same syntax, and takes ten times as long for each request. */
function patternOf(pathname: string): RegExp {
  const source = pathname.replaceAll(".", "\\.").replaceAll(/\/:(\w+)\*/g, "(?:/(?<$1>[^/]+(?:/[^/]+)*))?")
    .replaceAll(/:(\w+)/g, "(?<$1>[^/]+?)");
  return new RegExp(`^${source}$`);
}

function decodeParams(groups: Record<string, string | undefined>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURI(value ?? "")]));
  } catch (cause) {
    throw new HttpError(400, "Malformed URL", { cause });
  }
}
