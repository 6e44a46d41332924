/**
 * Whether a stored secret stays as other settings change: one table with a verdict for each field. Only harmless changes keep
 * it: else a person who may edit a stream, and never sees the secret, could have it sent or shown to themselves. Pure.
 */
import { DIRECT } from "../reach/proxy_server.ts";
import { parsePushTarget, pushPlace } from "../machine/net/push_target.ts";
import { parseFingerprints } from "./certificates.ts";
import { extensionNames } from "./extensions.ts";
import { gainedOrigin, parseOrigins } from "./login_origins.ts";
import { linesOf } from "./page_settings.ts";
import type { StreamFields } from "./schema.ts";
import { type SecretField, SECRETS } from "./secrets.ts";

/** Settings that go together, as they are stored; an absent field has its default. */
type Settings = Readonly<Partial<StreamFields>>;

type TextField = { [Field in keyof StreamFields]: StreamFields[Field] extends string ? Field : never }[
  keyof StreamFields
];

/** Somebody who could get a secret by a change. */
interface Gain {
  /** What follows "The stored password". */
  why: string;
  /** Where it could go. */
  to?: string;
}

/** Somebody who could newly get a secret by a change of a field; null: nobody. */
type Verdict = (before: Settings, after: Settings) => Gain | null;

type Row = Readonly<Record<SecretField, Verdict>>;

const harmless: Verdict = () => null;

const HARMLESS: Row = { pass: harmless, extraHeaders: harmless, extraCookies: harmless, pushKey: harmless };

/** A row for the secrets that the page gets. The push's key is none of them. */
const ofPage = (verdict: Verdict): Row => ({
  ...HARMLESS,
  pass: verdict,
  extraHeaders: verdict,
  extraCookies: verdict,
});

/** A text that can read the page's secrets, or lead them away; an empty text cannot. */
function reader(field: TextField, why: string): Verdict {
  return ({ [field]: before = "" }, { [field]: after = "" }) =>
    after !== "" && after !== before ? { why } : null;
}

/** As `reader`, for a list: fewer entries can less. */
function readers(
  field: TextField,
  partsOf: (text: string) => readonly string[] | null,
  why: string,
): Verdict {
  return ({ [field]: before = "" }, { [field]: after = "" }) => {
    const known = partsOf(before) ?? [];
    return (partsOf(after) ?? []).every((part) => known.includes(part)) ? null : { why };
  };
}

/** The sites that the sign-in and the headers are for. */
function site(before: Settings, after: Settings): Gain | null {
  const places = ({ url = "", loginOrigins = "" }: Settings) => ({ url, loginOrigins });
  const to = gainedOrigin(places(before), places(after));
  return to === null ? null : { why: "{was} given for another site", to };
}

/** The page's own site, which alone gets the cookies. */
function ownSite({ url: before }: Settings, { url: after }: Settings): Gain | null {
  return site({ url: before }, { url: after });
}

/**
 * A proxy sees all without TLS; with TLS, too, once its certificate is accepted. Without a proxy of its own a stream uses
 * the service's way out, whose owner is trusted; but without TLS the same address may be another server there.
 */
function way({ proxy: before = "" }: Settings, { proxy: after = "", url = "", loginOrigins = "" }: Settings) {
  if (after === before) return null;
  if (after !== "" && after !== DIRECT) return { why: "could be read by the proxy" };
  const isPlain = [url, ...parseOrigins(loginOrigins) ?? []].some((place) => /^http:/i.test(place));
  return isPlain ? { why: "could go to another server without this proxy" } : null;
}

/** The server, and there the application or stream: another one may be another person's. */
function receiver({ pushTo: before = "" }: Settings, { pushTo: after = "" }: Settings): Gain | null {
  const [from, to] = [before, after].map(parsePushTarget);
  const placeOf = (target: typeof to) => JSON.stringify({ ...target, latencyMs: null });
  if (to === null || from !== null && placeOf(from) === placeOf(to)) return null;
  const isSameServer = from !== null && pushPlace(from) === pushPlace(to);
  return isSameServer
    ? { why: "{was} given for another application or stream of that server" }
    : { why: "{was} given for another server", to: pushPlace(to) };
}

const NEW_HEADERS = reader("extraHeaders", "could be led elsewhere by the new headers");
const NEW_COOKIES = reader("extraCookies", "could be led elsewhere by the new cookies");

/**
 * The verdict for each field. Not asked for: whatever else a stored stream has, which no browser gets.
 *
 * Harmless are other pages of the same origin, since each of them can read the others, and other pages in turn: the
 * browser keeps them apart, and neither password, headers nor cookies go there. Nor does it matter when viewers see the
 * sign-in: a person who may change that sees it by VNC, and a password is drawn as dots.
 */
const VERDICTS: Readonly<Record<keyof StreamFields, Row>> = {
  name: HARMLESS,
  url: { ...ofPage(site), extraCookies: ownSite },
  group: HARMLESS,
  channelNumber: HARMLESS,
  channelLogo: HARMLESS,
  morePages: HARMLESS,
  pageSeconds: HARMLESS,
  plan: HARMLESS,
  planTimeZone: HARMLESS,
  // a password is an account's, and may open another one, too
  user: { ...HARMLESS, pass: reader("user", "{was} given for another user name") },
  pass: HARMLESS,
  loginOrigins: { ...HARMLESS, pass: site, extraHeaders: site },
  acceptedCertificates: ofPage(
    readers(
      "acceptedCertificates",
      parseFingerprints,
      "could be read by a server that has the accepted certificate",
    ),
  ),
  acceptedStatuses: HARMLESS,
  sites: HARMLESS,
  webRtc: HARMLESS,
  proxy: ofPage(way),
  zoom: HARMLESS,
  css: ofPage(reader("css", "could be read by the style sheet")),
  js: ofPage(reader("js", "could be read by the script")),
  hideBanners: HARMLESS,
  // a selector may fit one letter of a typed text, and the picture shows whether it does
  hideSelectors: ofPage(readers("hideSelectors", linesOf, "could be read by the selectors of “Also hide”")),
  userAgent: HARMLESS,
  language: HARMLESS,
  timeZone: HARMLESS,
  colorScheme: HARMLESS,
  extensions: ofPage(readers("extensions", extensionNames, "could be read by the extension")),
  // a server may take the place of its scripts and forms from X-Forwarded-Host
  extraHeaders: { ...HARMLESS, pass: NEW_HEADERS, extraCookies: NEW_HEADERS },
  extraCookies: { ...HARMLESS, pass: NEW_COOKIES, extraHeaders: NEW_COOKIES },
  delay: HARMLESS,
  resolution: HARMLESS,
  scale: HARMLESS,
  fps: HARMLESS,
  bitrate: HARMLESS,
  bufsize: HARMLESS,
  preset: HARMLESS,
  tune: HARMLESS,
  gop: HARMLESS,
  threads: HARMLESS,
  memoryLimitMb: HARMLESS,
  gpu: HARMLESS,
  audio: HARMLESS,
  whileBroken: HARMLESS,
  onDemand: HARMLESS,
  onDemandMinutes: HARMLESS,
  rewind: HARMLESS,
  rewindFor: HARMLESS,
  pushTo: { ...HARMLESS, pushKey: receiver },
  pushKey: HARMLESS,
  autoReload: HARMLESS,
  autoReloadInterval: HARMLESS,
};

const ROWS = Object.values(VERDICTS);

/** The reason why a stored secret cannot stay after a change, for its field; null: the secret can stay. */
export function keepProblem(before: Settings, after: Settings, field: SecretField): string | null {
  for (const { [field]: verdict } of ROWS) {
    const gain = verdict(before, after);
    if (gain) return problemOf(field, gain);
  }
  return null;
}

function problemOf(field: SecretField, { why, to }: Gain): string {
  const isOne = field === "pass" || field === "pushKey";
  const [was, it, they] = isOne ? ["was", "it", "it"] : ["were", "them", "they"];
  const so = to === undefined ? "" : `, so that ${they} may go to ${to}`;
  return `The stored ${SECRETS[field]} ${why.replace("{was}", was)}. Give ${it} again${so}, or clear ${it}.`;
}
