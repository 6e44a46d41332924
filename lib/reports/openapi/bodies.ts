/** The API's request bodies by their names in the document. */
import * as z from "zod";
import { newAccessToken } from "../../model/answers/access.ts";
import { newUser, userChange } from "../../model/answers/user.ts";
import { newReceiverBody } from "../../model/receivers.ts";
import { newWallBody } from "../../model/wall/wall.ts";
import { autoReloadBody, newStreamBody, streamChangeBody, wholeStreamBody } from "./stream_schemas.ts";

const list = z.array(z.looseObject({ name: z.string().optional(), url: z.string().optional() }));

export const BODIES = {
  NewStream: newStreamBody,
  WholeStream: wholeStreamBody,
  StreamChange: streamChangeBody,
  AutoReload: autoReloadBody,
  NewOrder: z.looseObject({
    ids: z.array(z.string()).meta({ description: "All ids in their new order." }),
    renumber: z.boolean().optional().meta({
      description: "Whether the channels get their numbers in this order, from 1.",
    }),
  }),
  /** The address; the settings of the page's look may stand beside it. */
  PageToTry: z.looseObject({
    url: z.string(),
    stream: z.string().optional().meta({
      description: "The id of the edited stream, whose stored headers and cookies are used.",
    }),
    asker: z.string().min(1).max(64).optional().meta({
      description: "A text that the client chooses. A newer request with the same text ends the one before.",
    }),
  }),
  /** The list of any `streams.json`, an object with the list, or an object with streams by their ids. */
  StreamList: z.union([list, z.looseObject({ streams: list }), z.record(z.string(), z.unknown())]),
  NewWall: newWallBody,
  WallChange: newWallBody.partial(),
  NewReceiver: newReceiverBody,
  ReceiverChange: newReceiverBody.partial(),
  NewAccessToken: newAccessToken,
  NewPastExport: z.looseObject({
    start: z.union([z.string(), z.number()]).meta({ description: "RFC 3339 or Unix seconds." }),
    end: z.union([z.string(), z.number()]).meta({ description: "At most 24 hours later." }),
    speed: z.union([z.literal(1), z.literal(10), z.literal(60)]).optional(),
  }),
  NewUser: newUser,
  UserChange: userChange,
} as const satisfies Record<string, z.ZodType>;

export type BodyName = keyof typeof BODIES;
