/** The origins that may get a stream's password: its own, and its loginOrigins. Pure, also for the form. */

/** As many origins may get the password beside the page's own. */
const MAX_ORIGINS = 10;

/** Characters; a longer text is not read. */
const MAX_TEXT = 4096;

/** The origins in a text, between blanks, commas or line breaks; null: a word is none, or the text is too long. */
export function parseOrigins(text: string): string[] | null {
  if (text.length > MAX_TEXT) return null;
  const origins = new Set<string>();
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    // a path would suggest that it counts; a user name hides the host
    if (!/^https?:\/\/[^/\\?#@\s]+\/?$/i.test(word) || !URL.canParse(word)) return null;
    origins.add(new URL(word).origin);
  }
  return [...origins];
}

/** The problem of the field; null: it is valid. */
export function loginOriginsProblem(text: string): string | null {
  return originsProblem(text, MAX_ORIGINS, "https://sso.example.org");
}

/** The problem of a text of origins; null: it is valid. @param most the most origins. */
export function originsProblem(text: string, most: number, example: string): string | null {
  const origins = parseOrigins(text);
  if (origins === null) return `Each must be scheme and host, without a path. Example: ${example}`;
  return origins.length > most ? `There are at most ${most}.` : null;
}

/** The fields that say where a stream's password may go. */
interface LoginPlaces {
  url: string;
  loginOrigins: string;
}

/**
 * The first origin that may get the password after a change, and could not before; null: there is none. A stored
 * password stays for the origins that it was given for: else an editor of the stream could have it sent to themselves.
 */
export function gainedOrigin(before: LoginPlaces, after: LoginPlaces): string | null {
  if (!URL.canParse(after.url) || !URL.canParse(before.url)) return null;
  const places = [new URL(after.url).origin, ...parseOrigins(after.loginOrigins) ?? []];
  return places.find((origin) => !mayReceivePassword(origin, before.url, before.loginOrigins)) ?? null;
}

/**
 * Whether a password for the page `url` may go to an origin. The same host by https, where http was given, is the same
 * service: https proves the host's identity, which http does not.
 */
export function mayReceivePassword(origin: string, url: string, loginOrigins: string): boolean {
  const own = new URL(url);
  const isUpgraded = own.protocol === "http:" && own.port === "" && origin === `https://${own.host}`;
  return origin === own.origin || isUpgraded || (parseOrigins(loginOrigins) ?? []).includes(origin);
}
