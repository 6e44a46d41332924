/**
 * The shapes of the API's answers: one schema each, from which the types and the OpenAPI document come. Browsers take
 * only the types; words and functions are in the files beside this one. Pure.
 */
import { REASONS } from "../past.ts";
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
    description: "The SHA-256 in base64 of the certificate, or of the whole chain as the server sends it.",
  }),
  subject: z.string().meta({ description: "The certificate's subject." }),
  issuer: z.string().meta({ description: "The certificate's issuer." }),
  validFrom: time,
  validTo: time,
});

const page = z.object({
  state: z.enum(["ok", "opening", ...troubles]),
  status: z.number().int().nullable().meta({ description: "The page's HTTP status." }),
  error: z.string().nullable().meta({
    description: "The browser's word, such as ERR_NAME_NOT_RESOLVED, a site, or the page's own words.",
  }),
  since: time,
  nextTryAt: time.nullable().meta({
    description: "The time when the page is opened again, Unix ms; null: no time is set.",
  }),
  certificate: certificate.optional().meta({
    description: "The certificate that is not trusted, while that is the trouble.",
  }),
  certificateEndsAt: time.optional().meta({
    description: "The end of the page's certificate, Unix ms; absent: the page has none.",
  }),
});

const recreation = z.object({
  step: z.enum(RECREATE_STEPS),
  error: z.string().optional().meta({ description: "The reason of the failure." }),
});

export const status = z.object({
  id: z.string(),
  state: z.enum(STREAM_STATES),
  since: time.optional().meta({
    description:
      "The time since when the stream is well, or since when it is degraded or failed, Unix ms; absent: it is at rest, or starts.",
  }),
  returnsAt: z.number().optional().meta({
    description: "The time when the plan has the stream on the air again, Unix ms; absent: never.",
  }),
  changesAt: z.number().optional().meta({
    description: "The time when the plan changes the pages on the air, Unix ms; absent: never.",
  }),
  nextTimeAt: z.number().optional().meta({
    description:
      "The beginning of the plan's next time, Unix ms; absent: the stream has no plan, is stopped, or no time comes.",
  }),
  nextPage: z.object({ url: z.string(), at: time }).optional().meta({
    description: "The next page of several that take turns; absent: it is not known.",
  }),
  reason: z.string().optional().meta({ description: "A sentence for people." }),
  program: program.optional().meta({ description: "The program of the reason, whose log says more." }),
  noRoom: z.string().optional().meta({
    description:
      "The reason in few words why the stream waits for room. The stream starts by itself when there is room.",
  }),
  recreate: recreation.optional(),
  trouble: z.enum(troubles).optional().meta({ description: "The trouble of the reason." }),
  page: page.optional().meta({ description: "The state of the page; absent while the stream does not run." }),
  node: z.string().optional().meta({
    description: "The cluster's node that has the stream; absent: no node has it, or the machine is alone.",
  }),
  thumbAt,
  lastChangeAt: time.nullable().optional().meta({
    description:
      "The time when the picture that viewers see last differed in a pixel, Unix ms; null: it is not known, or the stream is not on the air. While the picture goes on changing, the time is renewed once a minute.",
  }),
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
  version: z.string().meta({ description: "The version of the stream list." }),
  statuses,
});

/** The stream list has changed: clients must ask for the list again. */
export const listEvent = z.object({ version: z.string() });

export const thumbnailEvent = z.object({
  id: z.string(),
  thumbAt: time.nullable().meta({
    description: "The thumbnail's time, Unix ms; null: there is no thumbnail any more.",
  }),
});

const cost = z.object({
  cpuPercent: z.number().nullable().meta({
    description: "Percent of one core; null until some seconds were measured.",
  }),
  mebibytes: z.number().nullable().meta({ description: "MiB of memory; null while no program runs." }),
});

const streamFigures = cost.extend({
  viewers: z.number().int().meta({
    description: "The number of players that asked for the channel's playlist within 10 s.",
  }),
  fps: z.number().int().nullable().meta({
    description: "Pictures a second of the newest segment; null: there is no segment.",
  }),
  push: pushReport.nullable().meta({
    description: "The state of the push to another server; null: there is no push.",
  }),
});

export const figures = z.record(z.string(), streamFigures);

const systemFigures = z.object({
  version: z.string(),
  uptimeSeconds: z.number().meta({ description: "Seconds since the web app's start." }),
  cores: z.number(),
  load: z.array(z.number()).readonly().meta({
    description: "Processes that run or wait to run, on average over 1, 5 and 15 minutes.",
  }),
  memory: z.object({ totalBytes: z.number(), availableBytes: z.number() }).meta({
    description: "The memory of the machine, or of the container if it has less.",
  }),
  disks: z.array(z.object({ folder: z.string(), totalBytes: z.number(), freeBytes: z.number() })).readonly()
    .meta({
      description: "The disks; empty until the service has looked at them.",
    }),
  noRoom: z.string().nullable().meta({
    description:
      "The reason in few words why a new stream would wait now, such as CPU 95 % busy; null: it would start, or the machine is in a cluster.",
  }),
  cost: cost.meta({ description: "The cost of all streams together, with the programs that they share." }),
  openIncidents: z.number().int().meta({ description: "The number of incidents that go on." }),
});

/** The system's figures with each stream's, so that a dashboard asks once. */
export const system = systemFigures.extend({ streams: figures });

const slotFault = z.object({
  from: z.number().int().meta({ description: "The first slot, counted from the oldest." }),
  to: z.number().int().meta({ description: "The last slot." }),
  beat: z.enum(BEATS).extract(["degraded", "failed"]),
  seconds: z.number().meta({ description: "The seconds of the fault in these slots together." }),
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
      description: "The share of good time in the time that the stream was to run; null: it was not to run.",
    }),
    faults: z.array(slotFault),
  });

const heartbeatsOf = (span: Span) =>
  z.object({ from: time, slotMs: z.number(), streams: z.record(z.string(), heartbeatOf(span)) });

export const heartbeats = heartbeatsOf(DAY);

/** Of one stream. */
export const streamHeartbeats = z.object({ day: heartbeats, month: heartbeatsOf(MONTH) });

const streamEvent = z.object({
  id: z.number().int().meta({ description: "The event's number. A later event has a larger one." }),
  at: time.meta({ description: "Unix ms of the first of several equal events in a row." }),
  kind: z.enum(EVENT_KINDS),
  level: z.enum(EVENT_LEVELS),
  text: z.string().meta({ description: "One sentence for people, without a secret." }),
  count: z.number().int().meta({ description: "The number of equal events in a row." }),
  lastAt: time.meta({ description: "Unix ms of the last of them." }),
});

export const events = z.object({
  events: z.array(streamEvent),
  next: z.string().meta({ description: "The place to go on from. Its form has no meaning." }),
});

const moment = z.string().meta({ description: "RFC 3339." });
const pastSeconds = z.number().int().meta({ description: "Seconds." });
const whyNot = z.enum(REASONS).optional();
const nodeAway = z.string().optional().meta({ description: "The node that has it, where it is away." });

/** Of a channel's past. */
export const pastSpans = z.array(z.object({
  start: moment,
  duration: pastSeconds,
  url: z.string().meta({ description: "An HLS playlist of the span, or of its first two hours." }),
  reason: whyNot.meta({ description: "Why nothing is kept behind it." }),
  node: nodeAway,
}));

export const pastExport = z.object({
  id: z.string(),
  start: moment,
  end: moment,
  speed: z.number().int().meta({ description: "How many times as fast as it was: 1, 10 or 60." }),
  madeAt: time.meta({ description: "Unix ms of when it was asked for." }),
  state: z.enum(["waiting", "making", "done", "failed"]).meta({
    description: '"waiting": others are made before it.',
  }),
  progress: z.number().meta({ description: "From 0 to 1." }),
  bytes: z.number().nullable(),
  problem: z.string().nullable(),
  url: z.string().nullable().meta({ description: "The MP4 file, when it is done." }),
});

export const pastChanges = z.object({
  start: moment,
  end: moment,
  scale: z.number().int().meta({ description: "Seconds of a slot." }),
  slots: z.array(z.object({
    start: moment,
    share: z.number().int().meta({
      description: "Thousandths of the picture that changed at once, at most.",
    }),
    cells: z.string().meta({
      description:
        "Which of 16 x 9 cells changed: a bit for each, row after row, the first in the highest bit, as 36 hexadecimal digits.",
    }),
    events: z.array(streamEvent).optional(),
  })).meta({ description: "Those in which something changed or happened." }),
  gaps: z.array(z.object({ start: moment, duration: pastSeconds, reason: whyNot, node: nodeAway })).meta({
    description: "The times of which nothing is kept.",
  }),
});

const logInfo = z.object({
  name: program,
  size: z.number().meta({ description: "Bytes, with the bytes of the older file." }),
  changedAt: time,
});

export const logs = z.object({ programs: z.array(logInfo) });

export const logPart = z.object({
  text: z.string(),
  next: z.string().meta({ description: "The place to go on from. Its form has no meaning." }),
});

export const triedPage = z.object({
  url: z.string().meta({ description: "The address as it would be stored." }),
  title: z.string().meta({ description: 'The title on one line; "": the page has none.' }),
  status: z.number().int().nullable().meta({
    description: "The page's HTTP status; null: there was no answer.",
  }),
  problem: z.string().nullable().meta({ description: "The problem in a sentence; null: there is none." }),
  media: z.string().nullable().meta({
    description: "The kind of the address if it is not a page: a picture, a video, a PDF.",
  }),
  login: z.enum(["form", "http"]).nullable().meta({
    description: "The way in which the page asks for a login; null: it does not.",
  }),
  picture: z.string().nullable().meta({ description: "A JPEG in base64." }),
  certificate: certificate.nullable().meta({
    description:
      "The certificate that is not trusted, while that is the problem. acceptedCertificates accepts it.",
  }),
  leftOut: z.array(z.string()).meta({ description: "A sentence for each stored secret that was not used." }),
});

export const extension = z.object({
  name: z.string().meta({ description: "The name of its folder, by which a stream chooses the extension." }),
  title: z.string().meta({ description: "The extension's own title." }),
  version: z.string(),
});

export const accessToken = z.object({
  id: z.string().meta({ description: "The token's name in addresses of the API. It opens nothing." }),
  name: z.string().meta({ description: "The name of the app or person that has the token." }),
  createdAt: time,
  expiresAt: time.nullable().meta({ description: "The end of the token, Unix ms; null: never." }),
  group: z.string().meta({ description: 'The group whose streams the token opens; "": all groups.' }),
  streams: z.array(id).nullable().meta({
    description: "The streams that the token opens; null: all streams.",
  }),
  lastUsedAt: time.nullable().meta({
    description: "The last use, Unix ms, up to 10 minutes old; null: not used yet.",
  }),
});

/** Somebody who may log in. */
export const user = z.object({
  name: z.string(),
  role: z.enum(ROLES),
  by: z.enum(["environment", "users"]).meta({
    description: "The source of the user. environment: AUTH_USER, which only the environment changes.",
  }),
  createdAt: time.nullable().meta({ description: "The user's beginning, Unix ms; null: it is not known." }),
});

/** The outcome of a message, or of one try. */
export const delivery = z.object({
  isDelivered: z.boolean(),
  status: z.number().int().nullable().meta({
    description: "The status of the receiver's answer; null: there was none.",
  }),
  problem: z.string().meta({ description: 'The problem in a sentence; "": there is none.' }),
});

/** The webhook without its address, which may hold a secret. */
export const webhook = z.object({
  host: z.string().meta({ description: "The receiver's host, and its port if it is not the usual one." }),
  format: z.string(),
  isSigned: z.boolean(),
  afterSeconds: z.number().meta({
    description: "Seconds that a stream must be down before the receiver gets a message.",
  }),
  waiting: z.number().int().meta({ description: "The number of messages that wait." }),
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
  stream: z.string().nullable().meta({
    description: "The stream's id; null: the incident is of the machine.",
  }),
  name: z.string().meta({ description: "The stream's name at that time." }),
  group: z.string(),
  state: z.enum(STREAM_STATES).extract(["degraded", "failed"]).meta({
    description: "The stream's state while it went on, the last one; of the machine, failed.",
  }),
  what: z.string().meta({ description: "A sentence for people." }),
  from: time,
  to: time.nullable().meta({ description: "The end, Unix ms; null: the incident goes on." }),
});

const needsPassword = z.literal(true).optional().meta({
  description:
    "The backup names a secret that it does not hold, or the stored secret was for another address.",
});

/** The changes that an import made, or would make; ids in the file's order. */
const otherNumber = z.number().int().optional().meta({
  description: "The channel number that the stream gets, if another stream has the one in the file.",
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
  missing: z.array(id).optional().meta({ description: "The streams of its slots that do not exist here." }),
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
    description: '"gone": the stream does not exist any more; "self": the stream shows this very wall.',
  }),
  thumbAt,
});

export const place = { row: z.number(), column: z.number(), rowSpan: z.number(), columnSpan: z.number() };

export const wallFields = {
  id: z.string(),
  name: z.string(),
  rows: z.number().int(),
  columns: z.number().int(),
  showNames: z.boolean().meta({ description: "Whether each slot shows the name of its stream." }),
};

export const wallView = z.object({
  ...wallFields,
  slots: z.array(z.object({ ...place, stream: shownStream.nullable() })),
});

export type PageCertificate = z.infer<typeof certificate>;
export type PastExport = z.infer<typeof pastExport>;
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
