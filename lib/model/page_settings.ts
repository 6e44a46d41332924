/** The settings of a page's look, beside its address, and their meaning. Pure, and light enough for browsers. */

/** The color schemes that a page may see as preferred; "auto" is Chromium's own, which is light. */
export const COLOR_SCHEMES = ["auto", "light", "dark"] as const;

/** The fields of a stream that say how its page looks. */
export const PAGE_FIELDS = [
  ...["zoom", "css", "js", "hideBanners", "hideSelectors", "userAgent", "language", "timeZone"] as const,
  ...["colorScheme", "extensions", "extraHeaders", "extraCookies", "proxy"] as const,
];

export function isPageField(field: string): boolean {
  return (PAGE_FIELDS as readonly string[]).includes(field);
}

/** Whether a trial of a page takes a field: how the page looks, and the statuses and certificates that it may have. */
export function isTriedField(field: string): boolean {
  return isPageField(field) || field === "acceptedStatuses" || field === "acceptedCertificates";
}

/** Characters of a style sheet, and of a script. */
export const MAX_SOURCE = 20_000;
/** Characters of a list of selectors, headers or cookies; and the most entries. */
export const MAX_LIST = 8192;
const MAX_ENTRIES = 50;

/** The selectors of the consent dialogs of the tools that most sites use, by the tool's name. */
export const COOKIE_BANNERS: Readonly<Record<string, string>> = {
  "Axeptio": "#axeptio_overlay",
  "Borlabs": "#BorlabsCookieBox",
  "Complianz": "#cmplz-cookiebanner-container",
  "Consentmanager": "#cmpbox, #cmpbox2",
  "Cookie Consent": ".cc-window, #cc-main",
  "Cookie Notice": "#cookie-notice",
  "Cookiebot": "#CybotCookiebotDialog, #CybotCookiebotDialogBodyUnderlay",
  "CookieFirst": "#cookiefirst-root",
  "CookieYes": ".cky-consent-container, .cky-overlay",
  "Didomi": "#didomi-host",
  "Google": ".fc-consent-root",
  "HubSpot": "#hs-eu-cookie-confirmation",
  "iubenda": "#iubenda-cs-banner",
  "Klaro": ".klaro .cookie-notice, .klaro .cookie-modal",
  "OneTrust": "#onetrust-consent-sdk",
  "Osano": ".osano-cm-window",
  "Quantcast": ".qc-cmp2-container",
  "Sourcepoint": "[id^='sp_message_container_']",
  "tarteaucitron": "#tarteaucitronRoot",
  "TrustArc": "#truste-consent-track, .truste_overlay, .truste_box_overlay",
  "Usercentrics": "#usercentrics-root, #usercentrics-cmp-ui",
};

/** The lines of a field with a list, without blank ones. */
export function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter(Boolean);
}

/** The problem of a list of CSS selectors; null: it is valid. The stream's events show selectors that fail. */
export function selectorsProblem(text: string): string | null {
  const lines = linesOf(text);
  if (lines.length > MAX_ENTRIES) return `There are at most ${MAX_ENTRIES}.`;
  const wrong = lines.find((line) => /[{}<]|\/\*/.test(line) || line.length > 500);
  return wrong === undefined
    ? null
    : `"${wrong.slice(0, 60)}" is not a CSS selector. Example: #cookie-banner`;
}

/** The problem of a list of languages; null: it is valid. */
export function languageProblem(text: string): string | null {
  if (text === "") return null;
  try {
    Intl.getCanonicalLocales(languagesOf(text));
    if (languagesOf(text).length <= 10) return null;
  } catch {
    // said below
  }
  return "A language is a code such as de-DE; several have commas between them, such as de-DE, en.";
}

/** The languages in order, as codes such as "de-DE". */
export function languagesOf(text: string): string[] {
  return text.split(",").map((one) => one.trim()).filter(Boolean);
}

/** The problem of a time zone; null: it is valid. */
export function timeZoneProblem(text: string): string | null {
  if (text === "") return null;
  try {
    // Intl takes an offset such as +01:00, too, but Chromium does not
    if (/^[A-Za-z]/.test(text) && new Intl.DateTimeFormat("en", { timeZone: text })) return null;
  } catch {
    // said below
  }
  return "A time zone has a name such as Europe/Berlin.";
}

export type NamedText = readonly [name: string, value: string];

/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The headers that only the browser sets, or that would break a connection. */
const NO_HEADER =
  /^(host|cookie|content-length|connection|keep-alive|transfer-encoding|te|trailer|upgrade|origin|expect|proxy-.*|sec-.*)$/i;

/** The two sides of each line; without the separator the name is "". */
function namedTexts(text: string, separator: string): NamedText[] {
  return linesOf(text).map((line) => {
    const at = line.indexOf(separator);
    return [line.slice(0, Math.max(0, at)).trim(), line.slice(at + 1).trim()];
  });
}

/** The headers of lines such as "X-Key: 1"; null: a line is no header. */
export function parseHeaders(text: string): NamedText[] | null {
  const headers = namedTexts(text, ":");
  const isGood = headers.every(([name, value]) => TOKEN.test(name) && VALUE.test(value));
  return isGood && headers.length <= MAX_ENTRIES ? headers : null;
}

/** The problem of extra headers; null: they are valid. The text repeats no value: values are secrets. */
export function headersProblem(text: string): string | null {
  const headers = parseHeaders(text);
  if (headers === null) return `Each line is one header, at most ${MAX_ENTRIES}. Example: X-Api-Key: 12345`;
  const own = headers.find(([name]) => NO_HEADER.test(name));
  return own ? `The header ${own[0]} is the browser's own and cannot be set.` : null;
}

/** The cookies of lines such as "session=1"; null: a line is no cookie (RFC 6265, 4.1.1). */
export function parseCookies(text: string): NamedText[] | null {
  const cookies = namedTexts(text, "=");
  const isGood = cookies.every(([name, value]) =>
    TOKEN.test(name) && /^[\x21-\x7e]*$/.test(value) && !/[;,\\"]/.test(value)
  );
  return isGood && cookies.length <= MAX_ENTRIES ? cookies : null;
}

/** The problem of extra cookies; null: they are valid. */
export function cookiesProblem(text: string): string | null {
  if (parseCookies(text) !== null) return null;
  return `Each line is one cookie without attributes, at most ${MAX_ENTRIES}. Example: session=12345`;
}
