/**
 * The part of a stream that each role sees: one table with a verdict for each field. People who may not edit streams see the
 * fields for watching, and only the servers of addresses, as the other parts may open the places that they lead to. Pure.
 */
import { isAtLeast, type Role } from "../role.ts";
import type { EventPart, Incident, StreamEvent, StreamStatus } from "./answers/shapes.ts";
import type { PublicStream, StreamFields } from "./schema.ts";
import { changedPages, changedPlan, pagePlace, pushPlaceOf, withHosts } from "./secret_addresses.ts";
import { SECRET_FIELDS, type SecretField, setName } from "./secrets.ts";

/** "all", or a function that gives the visible part of a text. */
type Sight = "all" | ((text: string) => string);

const nothing: Sight = () => "";

/** The part of each field that a viewer sees. */
const SIGHTS: Readonly<Record<Exclude<keyof StreamFields, SecretField>, Sight>> = {
  name: "all",
  url: pagePlace,
  group: "all",
  channelNumber: "all",
  // the playlist has it
  channelLogo: "all",
  morePages: (text) => changedPages(text, pagePlace),
  pageSeconds: "all",
  plan: (text) => changedPlan(text, pagePlace),
  planTimeZone: "all",
  user: nothing,
  loginOrigins: "all",
  acceptedCertificates: "all",
  acceptedStatuses: "all",
  sites: "all",
  webRtc: "all",
  proxy: nothing,
  zoom: "all",
  // people write keys into these
  css: nothing,
  js: nothing,
  hideBanners: "all",
  hideSelectors: nothing,
  userAgent: nothing,
  language: "all",
  timeZone: "all",
  colorScheme: "all",
  extensions: "all",
  delay: "all",
  resolution: "all",
  scale: "all",
  fps: "all",
  bitrate: "all",
  bufsize: "all",
  preset: "all",
  tune: "all",
  gop: "all",
  threads: "all",
  memoryLimitMb: "all",
  gpu: "all",
  audio: "all",
  whileBroken: "all",
  onDemand: "all",
  onDemandMinutes: "all",
  rewind: "all",
  rewindFor: "all",
  pushTo: pushPlaceOf,
  autoReload: "all",
  autoReloadInterval: "all",
};

/** Other fields that a viewer sees unchanged; no more fields of a stored stream are shown. */
const BESIDE = [
  "id",
  "order",
  "revision",
  "desiredState",
  "planOverride",
  "nameFollowsTitle",
  ...SECRET_FIELDS.map(setName),
];

const SHOWN: readonly (readonly [field: string, sight: Sight])[] = [
  ...BESIDE.map((field) => [field, "all"] as const),
  ...Object.entries(SIGHTS),
];

const seesAll = (role: Role) => isAtLeast(role, "operator");

/** Whether a role may see what the stream showed before. */
export function maySeePast(role: Role, { rewindFor = "operators" }: { rewindFor?: unknown }): boolean {
  return seesAll(role) || rewindFor === "viewers";
}

/** The stream as a role sees it. Other tools' fields, which may be anything, are for people who may edit the stream. */
export function shownStream(stream: PublicStream, role: Role): PublicStream {
  if (seesAll(role)) return stream;
  return Object.fromEntries(
    SHOWN.filter(([field]) => field in stream).map(([field, sight]) => [
      field,
      sight === "all" ? stream[field] : sight(String(stream[field])),
    ]),
  ) as PublicStream;
}

/** The status as a role sees it. */
export function shownStatus(status: StreamStatus, role: Role): StreamStatus {
  const { nextPage } = status;
  if (seesAll(role) || !nextPage) return status;
  return { ...status, nextPage: { ...nextPage, url: pagePlace(nextPage.url) } };
}

/** Statuses by id, as a role sees them. */
export function shownStatuses(
  statuses: Record<string, StreamStatus>,
  role: Role,
): Record<string, StreamStatus> {
  if (seesAll(role)) return statuses;
  return Object.fromEntries(Object.entries(statuses).map(([id, one]) => [id, shownStatus(one, role)]));
}

const CONSOLE = "The page's scripts have logged an error, which people who may edit the stream can read.";

/** Events as a role sees them. The log of a page's scripts was never on the air, and may be anything. */
export function shownEvents(part: EventPart, role: Role): EventPart {
  if (seesAll(role)) return part;
  const shown = (text: string, kind: StreamEvent["kind"]) => kind === "console" ? CONSOLE : withHosts(text);
  return { ...part, events: part.events.map((one) => ({ ...one, text: shown(one.text, one.kind) })) };
}

/** Incidents as a role sees them. A record of an earlier version may name whole addresses. */
export function shownIncidents(incidents: Incident[], role: Role): Incident[] {
  if (seesAll(role)) return incidents;
  return incidents.map((one) => ({ ...one, what: withHosts(one.what) }));
}
