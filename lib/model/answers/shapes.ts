/**
 * The shapes of the API's answers: one schema each, from which the types and the OpenAPI document come. Browsers take
 * only the types; words and functions are in the files beside this one. Pure.
 */
import * as z from "zod";
import type { StreamId } from "../id.ts";
import { PROGRAM_KINDS, PROGRAM_STATES } from "../programs.ts";
import { MESSAGE_KINDS, publicReceiver } from "../receivers.ts";
import { ROLES } from "../../role.ts";
import { EVENT_KINDS, EVENT_LEVELS } from "./events.ts";
import { BEATS, DAY, MONTH, type Span } from "./heartbeat.ts";
import { pushReport } from "./push.ts";
import { type Trouble, TROUBLES } from "./page_health.ts";
import { RECREATE_STEPS, STREAM_STATES } from "./status.ts";

export const time = z.number().meta({ description: "Unix ms." });
export const id = z.string().meta({ description: "A stream's id." }) as unknown as z.ZodType<StreamId>;
const program = z.enum(PROGRAM_KINDS);
const troubles = Object.keys(TROUBLES) as Trouble[];
const thumbAt = time.optional().meta({
  description: "The thumbnail's time, Unix ms; absent: there is none.",
});

const certificate = z.object({
  fingerprint: z.string().meta({
    description: "Of the one certificate or of the whole chain, as the server sends it: base64 of SHA-256.",
  }),
  subject: z.string().meta({ description: "Its subject." }),
  issuer: z.string().meta({ description: "Its issuer." }),
  validFrom: time,
  validTo: time,
});

const page = z.object({
  state: z.enum(["ok", "opening", ...troubles]),
  status: z.number().int().nullable().meta({ description: "The page's HTTP status." }),
  error: z.string().nullable().meta({
    description: "What was seen: the browser's word, such as ERR_NAME_NOT_RESOLVED, a site, or the page's.",
  }),
  since: time,
  nextTryAt: time.nullable().meta({
    description: "When it is opened again, Unix ms; null: not at a certain time.",
  }),
  certificate: certificate.optional().meta({
    description: "The one that is not trusted, while that is what is wrong.",
  }),
  certificateEndsAt: time.optional().meta({
    description: "When its certificate ends, Unix ms; absent where the page has none.",
  }),
});

const recreation = z.object({
  step: z.enum(RECREATE_STEPS),
  error: z.string().optional().meta({ description: "Why it failed." }),
});

export const status = z.object({
  id: z.string(),
  state: z.enum(STREAM_STATES),
  returnsAt: z.number().optional().meta({
    description: "When its plan puts it on the air again, Unix ms; absent where that is never.",
  }),
  changesAt: z.number().optional().meta({
    description: "When its plan changes what is on the air, Unix ms; absent without a change.",
  }),
  nextTimeAt: z.number().optional().meta({
    description:
      "When the next time of its plan begins, Unix ms; absent without a plan, while it is stopped, and where that is never.",
  }),
  nextPage: z.object({ url: z.string(), at: time }).optional().meta({
    description: "The page that is shown next, where several take turns; absent where that is not known.",
  }),
  reason: z.string().optional().meta({ description: "A sentence for people." }),
  program: program.optional().meta({ description: "The program that the reason is about." }),
  noRoom: z.string().optional().meta({
    description: "Why it waits for room, in some words; it starts by itself when there is room.",
  }),
  recreate: recreation.optional(),
  trouble: z.enum(troubles).optional().meta({ description: "What the reason is about." }),
  page: page.optional().meta({ description: "Absent while the stream does not run." }),
  node: z.string().optional().meta({
    description: "The cluster's node that has it; absent where nobody has, or the machine is alone.",
  }),
  thumbAt,
  programs: z.array(z.object({
    name: z.string(),
    state: z.enum(PROGRAM_STATES),
    pid: z.number().int(),
    uptime: z.number().meta({ description: "Seconds." }),
  })),
});

export const statuses = z.record(z.string(), status);

/** The first event of a connection to /api/events: the states of all streams. */
export const stateEvent = z.object({
  version: z.string().meta({ description: "Of the stream list." }),
  statuses,
});

/** The stream list has changed: clients must ask for the list again. */
export const listEvent = z.object({ version: z.string() });

export const thumbnailEvent = z.object({
  id: z.string(),
  thumbAt: time.nullable().meta({ description: "Null: there is none any more." }),
});

const cost = z.object({
  cpuPercent: z.number().nullable().meta({
    description: "Of one core; null until it was measured over some seconds.",
  }),
  mebibytes: z.number().nullable().meta({ description: "Null while none of them runs." }),
});

const streamFigures = cost.extend({
  viewers: z.number().int().meta({ description: "Who asked for the channel's playlist just now." }),
  fps: z.number().int().nullable().meta({ description: "Of the newest segment; null while there is none." }),
  push: pushReport.nullable().meta({
    description: "How its push to another server goes; null while there is none.",
  }),
});

export const figures = z.record(z.string(), streamFigures);

const systemFigures = z.object({
  version: z.string(),
  uptimeSeconds: z.number().meta({ description: "Since the web app's start." }),
  cores: z.number(),
  load: z.array(z.number()).readonly().meta({
    description: "Processes that run or want to, on average over 1, 5 and 15 minutes.",
  }),
  memory: z.object({ totalBytes: z.number(), availableBytes: z.number() }).meta({
    description: "Of the machine, or the container where that has less.",
  }),
  disks: z.array(z.object({ folder: z.string(), totalBytes: z.number(), freeBytes: z.number() })).readonly()
    .meta({
      description: "Empty until they were looked at.",
    }),
  noRoom: z.string().nullable().meta({
    description:
      "Why a new stream would wait now, in some words, such as CPU 95 % busy; null where it would start, and in a cluster.",
  }),
  cost: cost.meta({ description: "What all streams take together, with the programs that they share." }),
  openIncidents: z.number().int().meta({ description: "How much of `/api/incidents` goes on." }),
});

/** The system's figures with each stream's, so that a dashboard asks once. */
export const system = systemFigures.extend({ streams: figures });

const slotFault = z.object({
  from: z.number().int().meta({ description: "The first slot, counted from the oldest." }),
  to: z.number().int().meta({ description: "The last slot." }),
  beat: z.enum(BEATS).extract(["degraded", "failed"]),
  seconds: z.number().meta({ description: "How long it was bad in these slots, together." }),
  reason: z.string(),
});

const heartbeatOf = ({ slots }: Span) =>
  z.object({
    slots: z.string().meta({
      minLength: slots,
      maxLength: slots,
      description: "A letter for each slot, the oldest first.",
    }),
    goodPercent: z.number().nullable().meta({
      description: "How much of the time that it was to run it was good; null when it was not to run.",
    }),
    faults: z.array(slotFault),
  });

const heartbeatsOf = (span: Span) =>
  z.object({ from: time, slotMs: z.number(), streams: z.record(z.string(), heartbeatOf(span)) });

export const heartbeats = heartbeatsOf(DAY);

/** Of one stream. */
export const streamHeartbeats = z.object({ day: heartbeats, month: heartbeatsOf(MONTH) });

const streamEvent = z.object({
  id: z.number().int().meta({ description: "Its number; a later one has a larger number." }),
  at: time.meta({ description: "Unix ms; the first time, where it came several times in a row." }),
  kind: z.enum(EVENT_KINDS),
  level: z.enum(EVENT_LEVELS),
  text: z.string().meta({ description: "One plain sentence, without a secret." }),
  count: z.number().int().meta({ description: "How many times it came in a row." }),
  lastAt: time.meta({ description: "Unix ms of the last time." }),
});

export const events = z.object({
  events: z.array(streamEvent),
  next: z.string().meta({ description: "Where to go on; opaque." }),
});

const logInfo = z.object({
  name: program,
  size: z.number().meta({ description: "Bytes, with what was rotated away." }),
  changedAt: time,
});

export const logs = z.object({ programs: z.array(logInfo) });

export const logPart = z.object({
  text: z.string(),
  next: z.string().meta({ description: "Where to go on; opaque." }),
});

export const triedPage = z.object({
  url: z.string().meta({ description: "The address as it would be stored." }),
  title: z.string().meta({ description: 'On one line; "" when it has none.' }),
  status: z.number().int().nullable().meta({ description: "Of the page; null when there was no answer." }),
  problem: z.string().nullable().meta({ description: "What is wrong with it, in a sentence." }),
  media: z.string().nullable().meta({
    description: "What it is where it is no page: a picture, a video, a PDF.",
  }),
  login: z.enum(["form", "http"]).nullable().meta({ description: "How it asks for a login." }),
  picture: z.string().nullable().meta({ description: "A JPEG in base64." }),
  certificate: certificate.nullable().meta({
    description: "The one that is not trusted, where that is the problem; acceptedCertificates accepts it.",
  }),
  leftOut: z.array(z.string()).meta({ description: "Stored secrets that were not used, and why." }),
});

export const extension = z.object({
  name: z.string().meta({ description: "Of its folder: what a stream chooses it by." }),
  title: z.string().meta({ description: "What it calls itself." }),
  version: z.string(),
});

export const accessToken = z.object({
  id: z.string().meta({ description: "Names the token in addresses of the API; it opens nothing." }),
  name: z.string().meta({ description: "Whom it was made for." }),
  createdAt: time,
  expiresAt: time.nullable().meta({ description: "Unix ms; null: never." }),
  group: z.string().meta({ description: 'The group whose streams it opens; "" for all.' }),
  streams: z.array(id).nullable().meta({ description: "The streams it opens; null for all." }),
  lastUsedAt: time.nullable().meta({ description: "Unix ms, some minutes old at most; null: not yet." }),
});

/** Somebody who may log in. */
export const user = z.object({
  name: z.string(),
  role: z.enum(ROLES),
  by: z.enum(["environment", "users"]).meta({
    description: "environment: AUTH_USER, which only the environment changes.",
  }),
  createdAt: time.nullable().meta({ description: "Unix ms; null: that is not known." }),
});

/** The outcome of a message, or of one try. */
export const delivery = z.object({
  isDelivered: z.boolean(),
  status: z.number().int().nullable().meta({ description: "Of the receiver's answer." }),
  problem: z.string().meta({ description: 'What is wrong, for people; "" when nothing is.' }),
});

/** The webhook without its address, which may hold a secret. */
export const webhook = z.object({
  host: z.string().meta({ description: "The receiver's host, and its port if it is not the usual one." }),
  format: z.string(),
  isSigned: z.boolean(),
  afterSeconds: z.number().meta({ description: "How long a stream must be down before it is told." }),
  waiting: z.number().int().meta({ description: "Messages that were not delivered yet." }),
  last: delivery.extend({ at: time }).nullable().meta({
    description: "The newest try since the web app's start.",
  }),
});

/** A receiver of messages that people set up, and how its messages go. */
export const receiver = publicReceiver.extend({
  waiting: webhook.shape.waiting,
  last: webhook.shape.last,
});

/** Something that went wrong, of a stream or of the machine. */
export const incident = z.object({
  id: z.string(),
  kind: z.enum(MESSAGE_KINDS),
  stream: z.string().nullable().meta({ description: "The stream's id; null: it is about the machine." }),
  name: z.string().meta({ description: "The stream's name then." }),
  group: z.string(),
  what: z.string().meta({ description: "A sentence for people." }),
  from: time,
  to: time.nullable().meta({ description: "Null: it goes on." }),
});

const needsPassword = z.literal(true).optional().meta({
  description:
    "The backup knows of a password or another secret, but does not hold it; or what was stored was not for this.",
});

/** The changes that an import made, or would make; ids in the file's order. */
const otherNumber = z.number().int().optional().meta({
  description: "Its channel number, if another stream has the one in the file.",
});

export const importSummary = z.object({
  added: z.array(z.object({
    id,
    name: z.string(),
    needsPassword,
    channelNumber: otherNumber,
  })),
  changed: z.array(
    z.object({
      id,
      name: z.string(),
      fields: z.array(z.string()),
      needsPassword,
      channelNumber: otherNumber,
    }),
  ),
  unchanged: z.array(id),
});

const importedWall = {
  id: z.string(),
  name: z.string(),
  missing: z.array(id).optional().meta({ description: "Streams of its slots that are not here." }),
};

export const wallsImported = z.object({
  added: z.array(z.object(importedWall)),
  changed: z.array(z.object({ ...importedWall, fields: z.array(z.string()) })),
  unchanged: z.array(z.string()),
});

const shownStream = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum([...STREAM_STATES, "gone", "self"]).meta({
    description: '"gone": there is no such stream any more; "self": the stream shows this very wall.',
  }),
  thumbAt,
});

export const place = { row: z.number(), column: z.number(), rowSpan: z.number(), columnSpan: z.number() };

export const wallFields = {
  id: z.string(),
  name: z.string(),
  rows: z.number().int(),
  columns: z.number().int(),
  showNames: z.boolean().meta({ description: "Whether each slot says the name of its stream." }),
};

export const wallView = z.object({
  ...wallFields,
  slots: z.array(z.object({ ...place, stream: shownStream.nullable() })),
});

export type PageCertificate = z.infer<typeof certificate>;
export type PageHealth = z.infer<typeof page>;
export type Recreation = z.infer<typeof recreation>;
export type StreamStatus = z.infer<typeof status>;
export type Cost = z.infer<typeof cost>;
export type StreamFigures = z.infer<typeof streamFigures>;
export type SystemFigures = z.infer<typeof systemFigures>;
export type SystemAnswer = z.infer<typeof system>;
export type SlotFault = z.infer<typeof slotFault>;
export type Heartbeats = z.infer<typeof heartbeats>;
export type StreamHeartbeats = z.infer<typeof streamHeartbeats>;
export type Heartbeat = Heartbeats["streams"][string];
export type StreamEvent = z.infer<typeof streamEvent>;
export type EventPart = z.infer<typeof events>;
export type LogInfo = z.infer<typeof logInfo>;
export type LogPart = z.infer<typeof logPart>;
export type TriedPage = z.infer<typeof triedPage>;
export type Extension = z.infer<typeof extension>;
export type AccessToken = z.infer<typeof accessToken>;
export type UserInfo = z.infer<typeof user>;
export type Delivery = z.infer<typeof delivery>;
export type ReceiverAnswer = z.infer<typeof receiver>;
export type Incident = z.infer<typeof incident>;
export type WebhookInfo = z.infer<typeof webhook>;
export type ImportSummary = z.infer<typeof importSummary>;
export type WallsImported = z.infer<typeof wallsImported>;
/** What an import did, or would do: to the streams, and to the walls. */
export type Imported = ImportSummary & { walls: WallsImported; applied: boolean };
export type ShownStream = z.infer<typeof shownStream>;
export type WallView = z.infer<typeof wallView>;

/** Data of the events of /api/events, by their names. */
export interface FeedData {
  state: z.infer<typeof stateEvent>;
  status: StreamStatus;
  thumbnail: z.infer<typeof thumbnailEvent>;
  list: z.infer<typeof listEvent>;
}

export type FeedEvent = { [Name in keyof FeedData]: { name: Name; data: FeedData[Name] } }[keyof FeedData];
