/**
 * Headers that came in several lines. `get` joins them by ", " (https://fetch.spec.whatwg.org/#concept-header-list-get),
 * and Deno's iteration leaves out a first line that is empty, so that a second one would be taken for the only one.
 */

/**
 * Whether a header may have come twice: by a proxy, and before it by its client. A single line that has a comma and a
 * blank looks the same.
 */
export function mayBeTwice(headers: Headers, name: string): boolean {
  return /, |,$/.test(headers.get(name) ?? "");
}

/** The same headers, which still say what came twice. */
export function headersCopy(headers: Headers): Headers {
  return new Headers([...headers.keys()].map((name): [string, string] => [name, headers.get(name)!]));
}
