/** What the API answers: the types of lib/model, said once more for programs. */
import * as z from "zod";
import type { AccessToken } from "../model/answers/access.ts";
import type { ImportSummary } from "../model/backup.ts";
import { EVENT_KINDS, EVENT_LEVELS, type EventPart } from "../model/answers/events.ts";
import type { FeedData } from "../model/answers/feed.ts";
import type { Cost, StreamFigures } from "../model/answers/figures.ts";
import { BEATS, type Heartbeats, SLOTS } from "../model/answers/heartbeat.ts";
import type { LogInfo, LogPart } from "../model/answers/log_text.ts";
import { type PageHealth, type Trouble, TROUBLES } from "../model/answers/page_health.ts";
import { PROGRAM_KINDS } from "../model/programs.ts";
import type { Extension } from "../model/extensions.ts";
import type { PublicStream } from "../model/schema.ts";
import { STREAM_STATES, type StreamStatus } from "../model/answers/status.ts";
import type { SystemAnswer } from "../model/answers/system.ts";
import type { TriedPage } from "../model/answers/trial.ts";
import type { Wall } from "../model/wall/wall.ts";
import type { WallView } from "../model/wall/view.ts";
import type { Delivery, WebhookInfo } from "../model/answers/webhook.ts";
import { streamAnswer } from "./stream_schemas.ts";

const time = z.number().meta({ description: "Unix ms." });
const id = z.string().meta({ description: "A stream's id." }) as unknown as z.ZodType<PublicStream["id"]>;
const program = z.enum(PROGRAM_KINDS);
const troubles = Object.keys(TROUBLES) as Trouble[];

const page = z.object({
  state: z.enum(["ok", "opening", ...troubles]),
  status: z.number().int().nullable().meta({ description: "The page's HTTP status." }),
  error: z.string().nullable().meta({ description: "What was seen." }),
  since: time,
  nextTryAt: time.nullable().meta({ description: "When it is opened again, Unix ms." }),
  certificate: z.object({
    fingerprint: z.string(),
    subject: z.string(),
    issuer: z.string(),
    validFrom: time,
    validTo: time,
  }).optional(),
}) satisfies z.ZodType<PageHealth>;

const status = z.object({
  id: z.string(),
  state: z.enum(STREAM_STATES),
  returnsAt: z.number().optional(),
  reason: z.string().optional().meta({ description: "A sentence for people." }),
  program: program.optional().meta({ description: "The program that the reason is about." }),
  recreate: z.object({
    step: z.enum(["waiting", "stopping", "emptying the profile", "starting", "failed"]),
    error: z.string().optional(),
  }).optional(),
  trouble: z.enum(troubles).optional().meta({ description: "What the reason is about." }),
  page: page.optional(),
  thumbAt: time.optional().meta({ description: "The thumbnail's time, Unix ms." }),
  programs: z.array(z.object({
    name: z.string(),
    state: z.enum(["STOPPED", "STARTING", "RUNNING", "BACKOFF", "STOPPING", "EXITED", "FATAL", "UNKNOWN"]),
    pid: z.number().int(),
    uptime: z.number().meta({ description: "Seconds." }),
  })),
}) satisfies z.ZodType<StreamStatus>;

const statuses = z.record(z.string(), status) satisfies z.ZodType<Record<string, StreamStatus>>;

const cost = z.object({
  cpuPercent: z.number().nullable().meta({ description: "Of one core; null until it was measured." }),
  mebibytes: z.number().nullable(),
}) satisfies z.ZodType<Cost>;

const figures = z.record(
  z.string(),
  cost.extend({
    viewers: z.number().int(),
    fps: z.number().int().nullable().meta({
      description: "Of the newest segment; null while there is none.",
    }),
  }),
) satisfies z.ZodType<
  Record<string, StreamFigures>
>;

const system = z.object({
  version: z.string(),
  uptimeSeconds: z.number(),
  cores: z.number(),
  load: z.array(z.number()),
  memory: z.object({ totalBytes: z.number(), availableBytes: z.number() }),
  disks: z.array(z.object({ folder: z.string(), totalBytes: z.number(), freeBytes: z.number() })),
  cost,
  streams: figures,
}) satisfies z.ZodType<SystemAnswer>;

const heartbeats = z.object({
  from: time,
  slotMs: z.number(),
  streams: z.record(
    z.string(),
    z.object({
      slots: z.string().meta({ minLength: SLOTS, maxLength: SLOTS, description: "A letter for each slot." }),
      goodPercent: z.number().nullable(),
      faults: z.array(z.object({
        from: z.number().int(),
        to: z.number().int(),
        beat: z.enum(BEATS).extract(["degraded", "failed"]),
        seconds: z.number(),
        reason: z.string(),
      })),
    }),
  ),
}) satisfies z.ZodType<Heartbeats>;

const events = z.object({
  events: z.array(z.object({
    id: z.number().int(),
    at: time,
    kind: z.enum(EVENT_KINDS),
    level: z.enum(EVENT_LEVELS),
    text: z.string(),
    count: z.number().int(),
    lastAt: time,
  })),
  next: z.string().meta({ description: "Where to go on; opaque." }),
}) satisfies z.ZodType<EventPart>;

const logs = z.object({
  programs: z.array(z.object({ name: program, size: z.number(), changedAt: time })),
}) satisfies z.ZodType<{ programs: LogInfo[] }>;

const logPart = z.object({ text: z.string(), next: z.string() }) satisfies z.ZodType<LogPart>;

const triedPage = z.object({
  url: z.string(),
  title: z.string(),
  status: z.number().int().nullable(),
  problem: z.string().nullable(),
  media: z.string().nullable().meta({
    description: "What it is where it is no page: a picture, a video, a PDF.",
  }),
  login: z.enum(["form", "http"]).nullable(),
  picture: z.string().nullable().meta({ description: "A JPEG in base64." }),
  leftOut: z.array(z.string()).meta({ description: "Stored secrets that were not used, and why." }),
}) satisfies z.ZodType<TriedPage>;

const extension = z.object({
  name: z.string().meta({ description: "Of its folder: what a stream chooses it by." }),
  title: z.string(),
  version: z.string(),
}) satisfies z.ZodType<Extension>;

const accessToken = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: time,
  expiresAt: time.nullable(),
  group: z.string(),
  streams: z.array(id).nullable(),
  lastUsedAt: time.nullable(),
}) satisfies z.ZodType<AccessToken>;

const delivery = z.object({
  isDelivered: z.boolean(),
  status: z.number().int().nullable(),
  problem: z.string(),
}) satisfies z.ZodType<Delivery>;

const webhook = z.object({
  host: z.string(),
  format: z.string(),
  isSigned: z.boolean(),
  afterSeconds: z.number(),
  waiting: z.number().int(),
  last: delivery.extend({ at: time }).nullable(),
}) satisfies z.ZodType<WebhookInfo>;

const needsPassword = z.literal(true).optional();

const imported = z.object({
  added: z.array(z.object({ id, name: z.string(), needsPassword })),
  changed: z.array(z.object({ id, name: z.string(), fields: z.array(z.string()), needsPassword })),
  unchanged: z.array(id),
  applied: z.boolean().meta({ description: "False for a preview." }),
}) satisfies z.ZodType<ImportSummary & { applied: boolean }>;

const error = z.looseObject({
  error: z.object({
    message: z.string().meta({ description: "For people." }),
    fields: z.record(z.string(), z.string()).optional().meta({
      description: "What is wrong with which field.",
    }),
  }),
});

/** Every answer in JSON, by the name that it has in the document. */
const place = { row: z.number(), column: z.number(), rowSpan: z.number(), columnSpan: z.number() };

const wallFields = {
  id: z.string(),
  name: z.string(),
  rows: z.number().int(),
  columns: z.number().int(),
  showNames: z.boolean().meta({ description: "Whether each slot says the name of its stream." }),
};

const wall = z.looseObject({
  ...wallFields,
  slots: z.array(z.looseObject({ ...place, stream: id.nullable() })),
  revision: z.number().int().meta({ description: "Counts the changes." }),
}) satisfies z.ZodType<Wall>;

const wallView = z.object({
  ...wallFields,
  slots: z.array(z.object({
    ...place,
    stream: z.object({
      id: z.string(),
      name: z.string(),
      state: z.enum([...STREAM_STATES, "gone", "self"]),
      thumbAt: time.optional().meta({ description: "The thumbnail's time, Unix ms." }),
    }).nullable(),
  })),
}) satisfies z.ZodType<WallView>;

export const ANSWERS = {
  Error: error,
  /** Of a 409. */
  Conflict: error.extend({
    current: streamAnswer.optional().meta({ description: "The stream as it is stored." }),
    ids: z.array(z.string()).optional().meta({ description: "The order as it is stored." }),
    capacity: z.object({
      reason: z.string().meta({ description: "Why there is no room for the stream." }),
      cpuPercent: z.number().meta({ description: "What it would take, of one core." }),
      mebibytes: z.number(),
      measured: z.number().int().meta({ description: "Running streams that this comes from; 0: a guess." }),
    }).optional().meta({
      description: "The machine has no room for the stream; `?force=true` starts it anyway.",
    }),
  }),
  Stream: streamAnswer,
  Streams: z.array(streamAnswer),
  Status: status,
  Statuses: statuses,
  Heartbeats: heartbeats,
  Order: z.object({ ids: z.array(z.string()) }),
  Imported: imported,
  Exported: z.object({
    streams: z.array(z.looseObject({ id: z.string(), name: z.string(), url: z.string() })),
  }),
  TriedPage: triedPage,
  ThumbnailTime: z.object({ thumbAt: time.nullable() }),
  VncToken: z.object({ token: z.string() }),
  Events: events,
  Logs: logs,
  LogPart: logPart,
  Figures: figures,
  System: system,
  Wall: wall,
  Walls: z.array(wall),
  WallConflict: error.extend({ current: wall.optional().meta({ description: "The wall as it is stored." }) }),
  WallView: wallView,
  Channels: z.array(
    z.object({
      number: z.number().int(),
      id: z.string(),
      name: z.string(),
      state: z.enum(STREAM_STATES),
      onDemand: z.boolean().optional(),
    }),
  ),
  Extensions: z.array(extension),
  Defaults: z.object({
    DEFAULT_PURE_MODE: z.boolean(),
    DEFAULT_OPEN_NEW_TAB: z.boolean(),
    DEFAULT_RELOAD_CLIENT: z.boolean(),
    DEFAULT_RELOAD_CLIENT_TIME: z.number(),
  }),
  AccessToken: accessToken,
  AccessTokens: z.array(accessToken),
  CreatedAccessToken: accessToken.extend({
    token: z.string().meta({ description: "It stands in this answer only." }),
    playlist: z.string(),
    guide: z.string(),
  }),
  Webhook: z.object({ webhook: webhook.nullable() }),
  Delivery: delivery,
  Health: z.object({
    status: z.enum(["ok", "unhealthy"]),
    reasons: z.array(z.string()).meta({ description: "For people." }).optional(),
  }),
  /** Data of the events of /api/events. */
  StateEvent: z.object({ version: z.string(), statuses }) satisfies z.ZodType<FeedData["state"]>,
  ListEvent: z.object({ version: z.string() }) satisfies z.ZodType<FeedData["list"]>,
  ThumbnailEvent: z.object({ id: z.string(), thumbAt: time.nullable() }) satisfies z.ZodType<
    FeedData["thumbnail"]
  >,
} as const satisfies Record<string, z.ZodType>;

export type AnswerName = keyof typeof ANSWERS;
