/**
 * A receiver of messages: the schema of its fields, and the part of them that answers have. Its secrets are written, never
 * read. lib/messages/ways.ts has the needs of each way. Pure.
 */
import * as z from "zod";
import { isMetadataHost } from "../reach/metadata.ts";
import { oneLine } from "./entered/one_line.ts";
import { enteredLine, type LineRule, storedLine } from "./entered/line.ts";
import { completeAddress } from "./web_address.ts";

export const WAYS = ["ntfy", "slack", "discord", "gotify", "teams", "telegram", "mail", "json"] as const;
export const MESSAGE_KINDS = ["failed", "signedOut", "disk", "certificate"] as const;
/** The encryption of the connection to a mail server: at once, after the greeting, or none. */
export const MAIL_SECURITY = ["tls", "starttls", "none"] as const;
/** The fields that no answer has. */
export const RECEIVER_SECRETS = ["address", "token", "password", "secret"] as const;

export type Way = typeof WAYS[number];
export type MessageKind = typeof MESSAGE_KINDS[number];

const line = (label: string, most = 200) =>
  z.string({ error: `${label} is a text.` }).trim()
    // deno-lint-ignore no-control-regex
    .regex(/^[^\x00-\x1f\x7f]*$/, `${label} is one line.`)
    .max(most, `${label} has at most ${most} characters.`);

const webAddress = line("The address", 2000).overwrite(completeAddress).refine((text) => {
  const url = URL.parse(text);
  return text === "" || (url !== null && /^https?:$/.test(url.protocol));
}, "This is not a complete web address. Example: https://ntfy.sh/a-topic-nobody-guesses")
  .refine(
    (text) => !isMetadataHost(URL.parse(text)?.hostname ?? ""),
    "This is the address of a cloud's metadata service, which takes no messages.",
  );

const hour = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "A time is written as 22:00.");

/** Whether a text is a host alone, and no metadata service's. */
function isServer(text: string): boolean {
  const host = URL.parse(`http://${text}/`);
  return host !== null && /^[\w.-]+$|^\[[\da-f:.]+\]$/i.test(text) && !isMetadataHost(host.hostname);
}

const NAME: LineRule = { label: "The name", most: 60, problem: 'A name is needed, such as "My phone".' };
/** An empty one is of the streams without a group. */
const GROUP: LineRule = {
  label: "A group",
  most: 60,
  problem: 'A group is a text such as "Operations".',
  isOptional: true,
};

const fields = {
  name: line("The name", 60).pipe(enteredLine(NAME)),
  way: z.enum(WAYS, { error: `way is one of ${WAYS.join(", ")}.` }),
  kinds: z.array(z.enum(MESSAGE_KINDS), { error: `kinds is a list of ${MESSAGE_KINDS.join(", ")}.` })
    .min(1, "Choose at least one.").default([...MESSAGE_KINDS]),
  /** Empty: all. */
  groups: z.array(line("A group", 60).pipe(enteredLine(GROUP))).max(100, "At most 100 groups can be chosen.")
    .default([]),
  /** Empty: there are none. */
  quietFrom: hour.or(z.literal("")).default(""),
  quietTo: hour.or(z.literal("")).default(""),
  address: webAddress.default(""),
  /** The key of the signature of JSON messages. */
  secret: line("The secret").default(""),
  /** The token of a bot of Telegram, and the chat that the bot writes to. */
  token: line("The token").regex(/^([\w:-]*)$/, "A token is like 123456:ABC-DEF.").default(""),
  chat: line("The chat").transform(oneLine).default(""),
  server: line("The server").transform(oneLine).refine(
    (text) => text === "" || isServer(text),
    "The server is a name or an address without a port. Example: smtp.example.org",
  ).default(""),
  port: z.number({ error: "The port is a number, such as 587." }).int().min(1).max(65535).default(587),
  security: z.enum(MAIL_SECURITY).default("starttls"),
  user: line("The user name").default(""),
  password: z.string().max(200).default(""),
  from: line("The sender").transform(oneLine).default(""),
  to: line("The recipient", 1000).transform(oneLine).default(""),
};

/** The body of POST /api/receivers. */
export const newReceiverBody = z.strictObject(fields, {
  error:
    'The body has a name, a way and the fields of that way. Example: {"name": "My phone", "way": "ntfy", ' +
    '"address": "https://ntfy.sh/a-topic-nobody-guesses"}',
});

/** A record of the file. `loose`: fields of newer versions survive a rewrite. */
export const storedReceiver = z.looseObject({
  id: z.string().regex(/^[0-9a-f]{12}$/),
  ...fields,
  name: storedLine(NAME),
  groups: z.array(storedLine(GROUP)).default([]),
});
/** The fields of a receiver that a person sets. */
export type ReceiverFields = z.output<typeof newReceiverBody>;
export type StoredReceiver = z.output<typeof storedReceiver>;

/** A receiver as the API shows it: without its secrets, but with the names of the stored ones. */
export const publicReceiver = z.object({
  id: z.string(),
  name: z.string(),
  way: z.enum(WAYS),
  host: z.string().meta({
    description: "The place of the receiver: the host of its address, or the mail server.",
  }),
  kinds: z.array(z.enum(MESSAGE_KINDS)),
  groups: z.array(z.string()).meta({
    description: "The groups whose streams the messages are about; empty: all groups.",
  }),
  quietFrom: z.string().meta({
    description: "The beginning of the quiet hours, such as 22:00; empty: there are none.",
  }),
  quietTo: z.string(),
  chat: z.string(),
  server: z.string(),
  port: z.number().int(),
  security: z.enum(MAIL_SECURITY),
  user: z.string(),
  from: z.string(),
  to: z.string(),
  kept: z.array(z.enum(RECEIVER_SECRETS)).meta({ description: "The secrets that are stored." }),
});
export type PublicReceiver = z.output<typeof publicReceiver>;

/** A field in the form of a way. */
export interface WayField {
  name: Exclude<keyof ReceiverFields, "name" | "way" | "kinds" | "groups" | "quietFrom" | "quietTo">;
  label: string;
  /** The word for a secret that is stored, such as "token". Absent: the field is no secret. */
  noun?: string;
  isNumber?: true;
  /** The values to choose from, with their words. */
  choices?: Readonly<Record<string, string>>;
  /** The first value of a new receiver. */
  initial?: string;
  placeholder?: string;
  hint?: string;
}

/** A way of messages as its form shows it: the fields of a line stand side by side. */
export interface WayForm {
  way: Way;
  label: string;
  lines: readonly (readonly WayField[])[];
}
