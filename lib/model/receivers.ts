/**
 * A receiver of messages that people set up in the browser: its schema, and what anybody may see of it. Its secrets are
 * written, never read. Pure.
 */
import * as z from "zod";
import { badInput, ServiceError } from "../errors.ts";
import { isMetadataHost } from "../net/metadata.ts";
import { oneLine } from "./entered/one_line.ts";
import { enteredLine, type LineRule, storedLine } from "./entered/line.ts";
import { isSameGroup } from "./group.ts";
import { fieldProblems } from "./schema.ts";

export const WAYS = ["ntfy", "slack", "discord", "gotify", "teams", "telegram", "mail", "json"] as const;
export const MESSAGE_KINDS = ["failed", "signedOut", "disk", "certificate"] as const;
/** How a mail server is talked to: encrypted at once, encrypted after the greeting, or not at all. */
export const MAIL_SECURITY = ["tls", "starttls", "none"] as const;
/** What no answer has. */
export const RECEIVER_SECRETS = ["address", "token", "password", "secret"] as const;

export type Way = typeof WAYS[number];
export type MessageKind = typeof MESSAGE_KINDS[number];

export const MAX_RECEIVERS = 50;
const TELEGRAM = "https://api.telegram.org";

const line = (label: string, most = 200) =>
  z.string({ error: `${label} is a text.` }).trim()
    // deno-lint-ignore no-control-regex
    .regex(/^[^\x00-\x1f\x7f]*$/, `${label} is one line.`)
    .max(most, `${label} has at most ${most} characters.`);

const webAddress = line("The address", 2000).refine((text) => {
  const url = URL.parse(text);
  return text === "" || (url !== null && /^https?:$/.test(url.protocol));
}, "The address begins with https:// or http://. Example: https://ntfy.sh/a-topic-nobody-guesses")
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
  ...{ label: "A group", most: 60, problem: 'A group is a text such as "Operations".' },
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
  /** What JSON messages are signed with. */
  secret: line("The secret").default(""),
  /** Of a bot of Telegram, and the chat it writes to. */
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
  error: 'The body has a name, a way and what the way needs. Example: {"name": "My phone", "way": "ntfy", ' +
    '"address": "https://ntfy.sh/a-topic-nobody-guesses"}',
});

/** A record of the file. `loose`: fields of newer versions survive a rewrite. */
export const storedReceiver = z.looseObject({
  id: z.string().regex(/^[0-9a-f]{12}$/),
  ...fields,
  name: storedLine(NAME),
  groups: z.array(storedLine(GROUP)).default([]),
});
/** What a person sets of a receiver. */
export type ReceiverFields = z.output<typeof newReceiverBody>;
export type StoredReceiver = z.output<typeof storedReceiver>;

/** A receiver as the API shows it: of its secrets only which there are. */
export const publicReceiver = z.object({
  id: z.string(),
  name: z.string(),
  way: z.enum(WAYS),
  host: z.string().meta({ description: "Where messages go: the host of the address, or the mail server." }),
  kinds: z.array(z.enum(MESSAGE_KINDS)),
  groups: z.array(z.string()).meta({ description: "Empty: streams of all groups." }),
  quietFrom: z.string().meta({ description: "As 22:00; empty: there are no quiet hours." }),
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

/** What anybody with a login may see. */
export function shownReceiver(stored: StoredReceiver): PublicReceiver {
  const { id, name, way, kinds, groups, quietFrom, quietTo, chat, server, port, security, user, from, to } =
    stored;
  const kept = RECEIVER_SECRETS.filter((field) => stored[field] !== "");
  const host = way === "mail" ? server : addressOf(stored)?.host ?? "";
  return {
    id,
    name,
    way,
    host,
    kinds,
    groups,
    quietFrom,
    quietTo,
    chat,
    server,
    port,
    security,
    user,
    from,
    to,
    kept,
  };
}

/** Where a receiver's requests go; null: nowhere, or by mail. */
export function addressOf({ way, address, token }: StoredReceiver): URL | null {
  if (way === "mail") return null;
  if (way !== "telegram") return URL.parse(address);
  return URL.parse(`${(address || TELEGRAM).replace(/\/+$/, "")}/bot${token}/sendMessage`);
}

const MAIL = /^[^\s@<>,;"]+@[^\s@<>,;"]+$/;

/** The mail addresses of a text with commas between them. */
export const mailAddresses = (text: string): string[] =>
  text.split(/[,;]/).map((one) => one.trim()).filter(Boolean);

/** The problems of what belongs together, by field. */
function problemsOf(one: ReceiverFields): Record<string, string> {
  const { way, address, token, chat, server, from, to, quietFrom, quietTo } = one;
  const found: Record<string, string> = {};
  const quiet = "Quiet hours need a beginning and another end, such as 22:00 and 07:00.";
  if ((quietFrom === "") !== (quietTo === "") || (quietFrom !== "" && quietFrom === quietTo)) {
    found.quietTo = quiet;
  }
  if (way === "mail") {
    if (server === "") found.server = "A mail server is needed. Example: smtp.example.org";
    if (!MAIL.test(from)) found.from = "A mail address is needed. Example: tv@example.org";
    const all = mailAddresses(to);
    if (all.length === 0 || !all.every((text) => MAIL.test(text))) {
      found.to = "Mail addresses are needed, with commas between them. Example: anna@example.org";
    }
  } else if (way === "telegram") {
    if (token === "") {
      found.token = "The token of a bot is needed, which @BotFather gives. Example: 123456:ABC-DEF";
    }
    if (chat === "") found.chat = "A chat is needed: its number, or @ and a channel's name.";
  } else if (address === "") {
    found.address =
      "The address is needed that the receiver gives. Example: https://ntfy.sh/a-topic-nobody-guesses";
  } else if (way === "ntfy" && URL.parse(address)?.pathname.split("/").at(-1) === "") {
    found.address =
      "The address needs a topic after its host. Example: https://ntfy.sh/a-topic-nobody-guesses";
  }
  return found;
}

/**
 * The fields of a body, with those of a known receiver for what is absent.
 * @throws {ServiceError} 400 with the problem of each field.
 */
export function checkedReceiver(body: unknown, known: Partial<StoredReceiver>): ReceiverFields {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw badInput({ "": "The body must be a JSON object." });
  }
  const { id: _, ...before } = known;
  const own = Object.fromEntries(
    Object.keys(fields).flatMap((name) => name in before ? [[name, before[name]]] : []),
  );
  const result = newReceiverBody.safeParse({ ...own, ...body });
  if (!result.success) throw badInput(fieldProblems(result.error));
  const problems = problemsOf(result.data);
  if (Object.keys(problems).length > 0) throw badInput(problems);
  return { ...before, ...result.data };
}

/** @throws {ServiceError} 400 with the problem of each field; 409 when there are too many. */
export function receiverFromBody(body: unknown, id: string, count: number): StoredReceiver {
  const fields = checkedReceiver(body, {});
  if (count >= MAX_RECEIVERS) throw new ServiceError(409, `There are ${count} receivers. Delete one first.`);
  return { id, ...fields };
}

/** Whether a receiver wants a message. @param group the stream's; null: it is about the machine. */
export function isWanted(
  { kinds, groups }: Pick<StoredReceiver, "kinds" | "groups">,
  kind: MessageKind,
  group: string | null,
): boolean {
  if (!kinds.includes(kind)) return false;
  return group === null || groups.length === 0 || groups.some((one) => isSameGroup(one, group));
}

/** Whether quiet hours are on. @param minute of the day. */
export function isQuiet(
  { quietFrom, quietTo }: Pick<StoredReceiver, "quietFrom" | "quietTo">,
  minute: number,
): boolean {
  if (quietFrom === "" || quietTo === "") return false;
  const [from, to] = [quietFrom, quietTo].map((text) =>
    Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
  );
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}
