/**
 * The ways of messages, a row each: the word and the fields of the form, the problems of typed texts, the address,
 * and the JSON that the receiver understands. A new way is a name in lib/model/receivers.ts and a row here. Pure.
 */
import { type StoredReceiver, type Way, type WayField, type WayForm, WAYS } from "../model/receivers.ts";
import { lookOf, type Message, PAST_LABEL, pastLine, textOf, titleOf } from "./message.ts";

interface Field extends WayField {
  /** The problem of a typed text, as a sentence; null: there is none. Absent: each text will do. */
  problemOf?: (text: string) => string | null;
}

interface WayRow {
  label: string;
  lines: readonly (readonly Field[])[];
  /** The whole address of the receiver, which may hold secrets. Absent: the field "address". */
  address?: (receiver: StoredReceiver) => URL | null;
  /** The path that gets the request. Absent: the address's. */
  path?: (address: URL) => string;
  /** The JSON of a message. Absent: the way is e-mail. */
  body?: (message: Message, address: URL, receiver: StoredReceiver) => unknown;
}

const ADDRESS_NEEDED = "The address is needed: the receiver's own page shows it.";
const NTFY_ADDRESS = "https://ntfy.sh/a-topic-nobody-guesses";
/** @param problemOf of an address that is not empty. */
function addressField(placeholder: string, problemOf: (text: string) => string | null = () => null): Field {
  return {
    name: "address",
    label: "Address",
    noun: "address",
    placeholder,
    problemOf: (text) => text === "" ? `${ADDRESS_NEEDED} Example: ${placeholder}` : problemOf(text),
  };
}

const needed = (problem: string) => (text: string) => text === "" ? problem : null;

const MAIL_ADDRESS = /^[^\s@<>,;"]+@[^\s@<>,;"]+$/;

/** The mail addresses of a text with commas between them. */
export const mailAddresses = (text: string): string[] =>
  text.split(/[,;]/).map((one) => one.trim()).filter(Boolean);

const isMailAddress = (text: string) => MAIL_ADDRESS.test(text);

/** The topic that an address of ntfy ends with; "" if it has none. */
export function topicOf(url: URL): string {
  try {
    return decodeURIComponent(url.pathname.split("/").at(-1)!);
  } catch {
    return "";
  }
}

const iso = (ms: number) => new Date(ms).toISOString();

/** Escapes Slack's three characters with a meaning. */
const slackText = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Escapes Markdown: a name stays plain text. */
const plainText = (text: string) => text.replace(/[\\*_~`|>[\]#]/g, "\\$&");

/** The text, and the line that leads to the past: apps make a link of an address. @param most characters of both. */
function withPast(text: string, message: Message, most = Infinity): string {
  const line = pastLine(message);
  return line ? `${text.slice(0, most - line.length - 1)}\n${line}` : text.slice(0, most);
}

const TABLE: Readonly<Record<Way, WayRow>> = {
  ntfy: {
    label: "ntfy",
    lines: [[
      addressField(
        NTFY_ADDRESS,
        (text) =>
          URL.parse(text)?.pathname.split("/").at(-1) === ""
            ? `The address needs a topic after its host. Example: ${NTFY_ADDRESS}`
            : null,
      ),
    ]],
    // ntfy takes JSON at its root alone
    path: ({ pathname }) => pathname.slice(0, pathname.lastIndexOf("/") + 1),
    // source: docs.ntfy.sh/publish, "Publish as JSON"
    body: (message, address) => ({
      topic: topicOf(address),
      title: titleOf(message),
      message: textOf(message),
      priority: lookOf(message).ntfy,
      tags: [lookOf(message).tag],
      ...(message.link ? { click: message.link } : {}),
      ...(message.pastLink
        ? { actions: [{ action: "view", label: PAST_LABEL, url: message.pastLink }] }
        : {}),
    }),
  },
  slack: {
    label: "Slack",
    lines: [[addressField("https://hooks.slack.com/services/…")]],
    // attachments: Mattermost and Rocket.Chat know them too, and their text is plain. Source: Slack's legacy attachments
    body: (message) => ({
      attachments: [{
        fallback: slackText(`${titleOf(message)}. ${textOf(message)}`),
        color: `#${lookOf(message).color.toString(16).padStart(6, "0")}`,
        title: slackText(titleOf(message)),
        ...(message.link ? { title_link: message.link } : {}),
        text: withPast(slackText(textOf(message)), message),
        mrkdwn_in: [],
        ts: Math.floor(message.at / 1000),
      }],
    }),
  },
  discord: {
    label: "Discord",
    lines: [[addressField("https://discord.com/api/webhooks/…")]],
    // source: Discord's "Execute Webhook"
    body: (message) => ({
      username: "Browser Stream",
      embeds: [{
        title: plainText(titleOf(message)).slice(0, 256),
        description: withPast(plainText(textOf(message)), message, 4096),
        color: lookOf(message).color,
        timestamp: iso(message.at),
        ...(message.link ? { url: message.link } : {}),
      }],
      allowed_mentions: { parse: [] }, // a stream's name notifies no user
    }),
  },
  gotify: {
    label: "Gotify",
    lines: [[addressField("https://push.example.org/message?token=…")]],
    // source: gotify.net/docs/pushmsg and msgextras
    body: (message) => ({
      title: titleOf(message),
      message: withPast(textOf(message), message),
      priority: lookOf(message).gotify,
      ...(message.link ? { extras: { "client::notification": { click: { url: message.link } } } } : {}),
    }),
  },
  teams: {
    label: "Microsoft Teams",
    lines: [[addressField("https://….logic.azure.com/workflows/…")]],
    // source: Microsoft's "Create incoming webhooks with Workflows", and Adaptive Cards 1.4
    body: (message) => ({
      type: "message",
      attachments: [{
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            {
              type: "TextBlock",
              text: plainText(titleOf(message)),
              weight: "Bolder",
              size: "Medium",
              wrap: true,
            },
            { type: "TextBlock", text: plainText(textOf(message)), wrap: true },
          ],
          ...(message.link
            ? {
              actions: [
                { type: "Action.OpenUrl", title: "Open", url: message.link },
                ...message.pastLink
                  ? [{ type: "Action.OpenUrl", title: PAST_LABEL, url: message.pastLink }]
                  : [],
              ],
            }
            : {}),
        },
      }],
    }),
  },
  telegram: {
    label: "Telegram",
    lines: [
      [{
        name: "token",
        label: "Token of the bot",
        noun: "token",
        placeholder: "123456:ABC-DEF",
        hint: "@BotFather gives it.",
        problemOf: needed("The token of a bot is needed: @BotFather gives it. Example: 123456:ABC-DEF"),
      }],
      [{
        name: "chat",
        label: "Chat",
        placeholder: "@channel",
        problemOf: needed("A chat is needed: its number, or @ and a channel's name."),
      }],
    ],
    address: ({ address, token }) =>
      URL.parse(`${(address || "https://api.telegram.org").replace(/\/+$/, "")}/bot${token}/sendMessage`),
    // source: core.telegram.org/bots/api, sendMessage; without parse_mode all is plain text
    body: (message, _address, { chat }) => ({
      chat_id: chat,
      text: [titleOf(message), textOf(message), message.link, pastLine(message)].filter(Boolean).join("\n")
        .slice(0, 4096),
      link_preview_options: { is_disabled: true },
    }),
  },
  mail: {
    label: "E-mail",
    lines: [
      [{
        name: "server",
        label: "Mail server",
        placeholder: "smtp.example.org",
        problemOf: needed("A mail server is needed. Example: smtp.example.org"),
      }],
      [
        { name: "port", label: "Port", isNumber: true, initial: "587" },
        {
          name: "security",
          label: "Encryption",
          initial: "starttls",
          choices: { starttls: "STARTTLS", tls: "TLS", none: "Not encrypted" },
        },
      ],
      [
        { name: "user", label: "User name" },
        { name: "password", label: "Password", noun: "password" },
      ],
      [
        {
          name: "from",
          label: "From",
          placeholder: "tv@example.org",
          problemOf: (text) =>
            isMailAddress(text) ? null : "A mail address is needed. Example: tv@example.org",
        },
        {
          name: "to",
          label: "To",
          placeholder: "anna@example.org",
          problemOf: (text) => {
            const all = mailAddresses(text);
            return all.length > 0 && all.every(isMailAddress)
              ? null
              : "Mail addresses are needed, with commas between them. Example: anna@example.org";
          },
        },
      ],
    ],
    address: () => null,
  },
  json: {
    label: "JSON webhook",
    lines: [
      [addressField("https://example.org/hook")],
      [{
        name: "secret",
        label: "Secret for the signature",
        noun: "secret",
        hint: "Empty: messages are not signed.",
      }],
    ],
    body: (message) => ({
      id: message.id,
      event: message.event,
      kind: message.kind,
      at: iso(message.at),
      stream: message.stream,
      state: message.state,
      reason: message.reason,
      downSince: message.downSince === null ? null : iso(message.downSince),
      link: message.link || null,
      pastLink: message.pastLink ?? null,
      text: `${titleOf(message)}. ${textOf(message)}`,
    }),
  },
};

/** The row of a way. */
export const rowOf = (way: Way): WayRow => TABLE[way];

/** The address that gets a receiver's requests; null: it has no valid one, or its way is e-mail. */
export function addressOf(receiver: StoredReceiver): URL | null {
  const { address = ({ address }: StoredReceiver) => URL.parse(address) } = TABLE[receiver.way];
  return address(receiver);
}

/** The host for people: the address's host, or the mail server. */
export function hostOf(receiver: StoredReceiver): string {
  return receiver.way === "mail" ? receiver.server : addressOf(receiver)?.host ?? "";
}

/** The forms of all ways in their order, for the page: without functions. */
export function wayForms(): WayForm[] {
  return WAYS.map((way) => {
    const { label, lines } = TABLE[way];
    return { way, label, lines: lines.map((fields) => fields.map(({ problemOf: _, ...field }) => field)) };
  });
}
