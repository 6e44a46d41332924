/** The API's answers by their names in the document. */
import * as z from "zod";
import { node } from "../../model/answers/node.ts";
import * as shapes from "../../model/answers/shapes.ts";
import { STREAM_STATES } from "../../model/answers/status.ts";
import type { Wall } from "../../model/wall/wall.ts";
import { streamAnswer } from "./stream_schemas.ts";

const error = z.looseObject({
  error: z.object({
    message: z.string().meta({ description: "A sentence for people." }),
    fields: z.record(z.string(), z.string()).optional().meta({
      description: "The problem of each field.",
    }),
  }),
});

const wall = z.looseObject({
  ...shapes.wallFields,
  slots: z.array(z.looseObject({ ...shapes.place, stream: shapes.id.nullable() })),
  revision: z.number().int().meta({ description: "The number of changes." }),
}) satisfies z.ZodType<Wall>;

export const ANSWERS = {
  Error: error,
  /** The answer of a 409. */
  Conflict: error.extend({
    current: streamAnswer.optional().meta({ description: "The stored stream." }),
    ids: z.array(z.string()).optional().meta({ description: "The stored order." }),
    capacity: z.object({
      reason: z.string().meta({ description: "Why there is no room for the stream." }),
      short: z.string().meta({ description: 'The reason in few words, such as "CPU 95 % busy".' }),
      cpuPercent: z.number().meta({ description: "Percent of one core that the stream would take." }),
      mebibytes: z.number(),
      measured: z.number().int().meta({
        description: "The number of running streams that the figures come from; 0: the figures are a guess.",
      }),
    }).optional().meta({
      description: "The machine has no room for the stream. `?force=true` starts it anyway.",
    }),
  }),
  Stream: streamAnswer,
  Streams: z.array(streamAnswer),
  Status: shapes.status,
  Statuses: shapes.statuses,
  Heartbeats: shapes.heartbeats,
  StreamHeartbeats: shapes.streamHeartbeats,
  Order: z.object({ ids: z.array(z.string()) }),
  Deleted: z.object({
    deleted: z.array(z.string()),
    failed: z.array(z.object({ id: z.string(), error: z.object({ message: z.string() }) })),
  }),
  Imported: shapes.importSummary.extend({
    walls: shapes.wallsImported,
    applied: z.boolean().meta({ description: "False for a preview." }),
  }),
  Exported: z.object({
    streams: z.array(z.looseObject({ id: z.string(), name: z.string(), url: z.string() })),
    walls: z.array(z.looseObject(shapes.wallFields)),
  }),
  TriedPage: shapes.triedPage,
  ThumbnailTime: z.object({ thumbAt: shapes.time.nullable() }),
  VncToken: z.object({ token: z.string() }),
  Events: shapes.events,
  PastSpans: shapes.pastSpans,
  PastChanges: shapes.pastChanges,
  PastExport: shapes.pastExport,
  PastExports: z.array(shapes.pastExport),
  Logs: shapes.logs,
  LogPart: shapes.logPart,
  Figures: shapes.figures,
  System: shapes.system,
  Wall: wall,
  Walls: z.array(wall),
  WallConflict: error.extend({ current: wall.optional().meta({ description: "The stored wall." }) }),
  WallView: shapes.wallView,
  Node: node,
  Nodes: z.array(node),
  Channels: z.array(
    z.object({
      number: z.number().int(),
      id: z.string(),
      name: z.string(),
      logo: z.string().optional(),
      state: z.enum(STREAM_STATES),
      onDemand: z.boolean().optional(),
    }),
  ),
  Extensions: z.array(shapes.extension),
  Defaults: z.object({
    DEFAULT_PURE_MODE: z.boolean(),
    DEFAULT_OPEN_NEW_TAB: z.boolean(),
    DEFAULT_RELOAD_CLIENT: z.boolean(),
    DEFAULT_RELOAD_CLIENT_TIME: z.number(),
  }),
  AccessToken: shapes.accessToken,
  User: shapes.user,
  Users: z.array(shapes.user),
  AccessTokens: z.array(shapes.accessToken),
  CreatedAccessToken: shapes.accessToken.extend({
    token: z.string().meta({ description: "The token. Only this answer has it." }),
    playlist: z.string(),
    tuner: z.string(),
    guide: z.string(),
  }),
  Webhook: z.object({ webhook: shapes.webhook.nullable() }),
  Delivery: shapes.delivery,
  Receiver: shapes.receiver,
  Receivers: z.array(shapes.receiver),
  Incidents: z.object({
    open: z.number().int().meta({ description: "The number of all incidents that go on." }),
    incidents: z.array(shapes.incident),
  }),
  Health: z.object({
    status: z.enum(["ok", "unhealthy"]),
    reasons: z.array(z.string()).meta({ description: "A sentence for people." }).optional(),
  }),
  /** Data of the events of /api/events. */
  StateEvent: shapes.stateEvent,
  ListEvent: shapes.listEvent,
  ThumbnailEvent: shapes.thumbnailEvent,
} as const satisfies Record<string, z.ZodType>;

export type AnswerName = keyof typeof ANSWERS;
