/** Who may get a stream's password: its own origin, and those in its field loginOrigins. Pure, also for the form. */

const MAX_ORIGINS = 10;

/** Characters: a longer text is not even looked at. */
const MAX_TEXT = 4096;

/** The origins in a text with blanks, commas or line breaks between them; null if one is no web origin, or the text is too long. */
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

/** What is wrong with the field, or null. */
export function loginOriginsProblem(text: string): string | null {
  return originsProblem(text, MAX_ORIGINS, "https://sso.example.org");
}

/** What is wrong with a text of origins, or null. @param most how many there may be. */
export function originsProblem(text: string, most: number, example: string): string | null {
  const origins = parseOrigins(text);
  if (origins === null) return `Each must be scheme and host, without a path. Example: ${example}`;
  return origins.length > most ? `There are at most ${most}.` : null;
}

/** What says where a stream's password may go. */
interface LoginPlaces {
  url: string;
  loginOrigins: string;
}

/**
 * The first origin that may get the password after a change, and could not before; null if there is none. A stored
 * password stays for those it was given for: else a person who may change a stream could have it sent to themselves.
 */
export function gainedOrigin(before: LoginPlaces, after: LoginPlaces): string | null {
  if (!URL.canParse(after.url) || !URL.canParse(before.url)) return null;
  const places = [new URL(after.url).origin, ...parseOrigins(after.loginOrigins) ?? []];
  return places.find((origin) => !mayReceivePassword(origin, before.url, before.loginOrigins)) ?? null;
}

/**
 * Whether a password for the page `url` may go to an origin. The same host by https, where http was given, is the same
 * service: it shows who it is, which the address that was given does not.
 */
export function mayReceivePassword(origin: string, url: string, loginOrigins: string): boolean {
  const own = new URL(url);
  const isUpgraded = own.protocol === "http:" && own.port === "" && origin === `https://${own.host}`;
  return origin === own.origin || isUpgraded || (parseOrigins(loginOrigins) ?? []).includes(origin);
}
