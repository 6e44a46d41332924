/** A message about a stream, and the request that each kind of receiver understands. Pure. */
import { createHmac } from "node:crypto";
import type { MessageKind } from "../model/receivers.ts";
import type { ToldState } from "./decision.ts";
import { type Receiver, topicOf } from "./variables.ts";

export type MessageEvent =
  | "stream.degraded"
  | "stream.failed"
  | "stream.recovered"
  | "disk.full"
  | "disk.recovered"
  | "summary"
  | "test";

export interface Message {
  /** The same at each try, so that a receiver can recognise a repeated message. */
  id: string;
  event: MessageEvent;
  /** What it is about; absent for a test and a summary. */
  kind?: MessageKind;
  /** Unix ms: when the state began. */
  at: number;
  /** Null for a test, a summary, and what is about the machine. */
  stream: { id: string; name: string } | null;
  state: ToldState | null;
  /** The reason, in a sentence; "" if none is known. Of a summary, a line for each message. */
  reason: string;
  /** Unix ms: when the stream was last well. */
  downSince: number | null;
  /** The page to look at; "" without PUBLIC_URL. */
  link: string;
}

/** The request to a receiver. */
export interface MessageRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export const SIGNATURE_HEADER = "X-Browser-Stream-Signature";

/** The look of each event: the colour as 0xRRGGBB, the priorities of ntfy and Gotify, the name of ntfy's emoji. */
const LOOKS: Record<MessageEvent, { color: number; ntfy: number; gotify: number; tag: string }> = {
  "stream.failed": { color: 0xc62828, ntfy: 4, gotify: 8, tag: "rotating_light" },
  "stream.degraded": { color: 0xef8f00, ntfy: 3, gotify: 5, tag: "warning" },
  "stream.recovered": { color: 0x2e7d32, ntfy: 3, gotify: 5, tag: "white_check_mark" },
  "disk.full": { color: 0xc62828, ntfy: 4, gotify: 8, tag: "floppy_disk" },
  "disk.recovered": { color: 0x2e7d32, ntfy: 3, gotify: 5, tag: "white_check_mark" },
  "summary": { color: 0x1565c0, ntfy: 3, gotify: 5, tag: "sunrise" },
  "test": { color: 0x1565c0, ntfy: 3, gotify: 5, tag: "wave" },
};

/** The message's first line. */
export function titleOf({ event, kind, stream, reason }: Message): string {
  const name = stream?.name ?? "";
  if (event === "test") return "Browser Stream: test message";
  if (event === "summary") return `${reason.split("\n").length} messages from the quiet hours`;
  if (event === "disk.full") return "The disk is nearly full";
  if (event === "disk.recovered") return "The disk has free space again";
  if (event === "stream.recovered") {
    return kind === "certificate" ? `The certificate of ${name} is valid again` : `${name} is back`;
  }
  if (kind === "signedOut") return `${name} is signed out`;
  if (kind === "certificate") return `${name} has a problem with its certificate`;
  return event === "stream.failed" ? `${name} has failed` : `${name} has a problem`;
}

/** The text after the first line; never empty, as some receivers refuse an empty text. */
export function textOf({ event, kind, at, reason, downSince }: Message): string {
  if (event === "test") return "Messages about your streams arrive here.";
  if (event === "disk.recovered") return "Streams and settings can be stored again.";
  if (event !== "stream.recovered") return reason || "Its log has the details.";
  if (kind === "certificate") return "Its page can be shown.";
  return downSince === null
    ? "It runs again."
    : `It runs again. It was down for ${duration(at - downSince)}.`;
}

/** A duration such as "45 s", "12 min", "3 h 5 min". */
function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

type Body = (message: Message, url: URL, chat: string) => unknown;

const BODIES: Record<Receiver["format"], Body> = {
  json: (message) => ({
    id: message.id,
    event: message.event,
    kind: message.kind,
    at: iso(message.at),
    stream: message.stream,
    state: message.state,
    reason: message.reason,
    downSince: message.downSince === null ? null : iso(message.downSince),
    link: message.link || null,
    text: `${titleOf(message)}. ${textOf(message)}`,
  }),
  // source: docs.ntfy.sh/publish, "Publish as JSON"
  ntfy: (message, url) => ({
    topic: topicOf(url),
    title: titleOf(message),
    message: textOf(message),
    priority: LOOKS[message.event].ntfy,
    tags: [LOOKS[message.event].tag],
    ...(message.link ? { click: message.link } : {}),
  }),
  // attachments: Mattermost and Rocket.Chat know them too, and their text is plain. Source: Slack's legacy attachments
  slack: (message) => ({
    attachments: [{
      fallback: slackText(`${titleOf(message)}. ${textOf(message)}`),
      color: `#${LOOKS[message.event].color.toString(16).padStart(6, "0")}`,
      title: slackText(titleOf(message)),
      ...(message.link ? { title_link: message.link } : {}),
      text: slackText(textOf(message)),
      mrkdwn_in: [],
      ts: Math.floor(message.at / 1000),
    }],
  }),
  // source: Discord's "Execute Webhook"
  discord: (message) => ({
    username: "Browser Stream",
    embeds: [{
      title: discordText(titleOf(message)).slice(0, 256),
      description: discordText(textOf(message)).slice(0, 4096),
      color: LOOKS[message.event].color,
      timestamp: iso(message.at),
      ...(message.link ? { url: message.link } : {}),
    }],
    allowed_mentions: { parse: [] }, // a stream's name notifies no user
  }),
  // source: Microsoft's "Create incoming webhooks with Workflows", and Adaptive Cards 1.4
  teams: (message) => ({
    type: "message",
    attachments: [{
      contentType: "application/vnd.microsoft.card.adaptive",
      content: {
        ...{
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
        },
        body: [
          {
            type: "TextBlock",
            text: discordText(titleOf(message)),
            weight: "Bolder",
            size: "Medium",
            wrap: true,
          },
          { type: "TextBlock", text: discordText(textOf(message)), wrap: true },
        ],
        ...(message.link ? { actions: [{ type: "Action.OpenUrl", title: "Open", url: message.link }] } : {}),
      },
    }],
  }),
  // source: core.telegram.org/bots/api, sendMessage; without parse_mode all is plain text
  telegram: (message, _url, chat) => ({
    chat_id: chat,
    text: [titleOf(message), textOf(message), message.link].filter(Boolean).join("\n").slice(0, 4096),
    link_preview_options: { is_disabled: true },
  }),
  // source: gotify.net/docs/pushmsg and msgextras
  gotify: (message) => ({
    title: titleOf(message),
    message: textOf(message),
    priority: LOOKS[message.event].gotify,
    ...(message.link ? { extras: { "client::notification": { click: { url: message.link } } } } : {}),
  }),
};

const iso = (ms: number) => new Date(ms).toISOString();

/** Escapes Slack's three characters with a meaning. */
const slackText = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Escapes Markdown: a name stays plain text. */
const discordText = (text: string) => text.replace(/[\\*_~`|>[\]#]/g, "\\$&");

/** The request that takes a message to its receiver. @param now Unix ms; stands in the signature. */
export function requestOf(message: Message, receiver: Receiver, now: number): MessageRequest {
  const { format, secret, chat = "" } = receiver;
  const url = new URL(receiver.url);
  const { username, password } = url;
  url.username = url.password = url.hash = "";
  const body = JSON.stringify(BODIES[format](message, receiver.url, chat));
  // ntfy takes JSON at its root alone
  if (format === "ntfy") url.pathname = url.pathname.slice(0, url.pathname.lastIndexOf("/") + 1);
  return {
    url: url.href,
    headers: {
      "content-type": "application/json",
      "user-agent": "browser-stream",
      ...(username || password ? { authorization: basic(username, password) } : {}),
      ...(secret ? { [SIGNATURE_HEADER]: signature(body, secret, Math.floor(now / 1000)) } : {}),
    },
    body,
  };
}

/** The header for an address's user name and password, which are percent-encoded there. */
function basic(username: string, password: string): string {
  const bytes = new TextEncoder().encode([username, password].map(unescaped).join(":"));
  return `Basic ${bytes.toBase64()}`;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `t=<Unix seconds>,v1=<hex>`: HMAC-SHA256 of `<Unix seconds>.<body>`, so that an old message cannot be sent again. */
export function signature(body: string, secret: string, seconds: number): string {
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;
}
