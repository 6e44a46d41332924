/** The words of the page "Messages". Pure. */
import type { Delivery, ReceiverAnswer, WebhookInfo } from "../../lib/model/answers/shapes.ts";

export const WAY_WORDS: Record<ReceiverAnswer["way"], string> = {
  ntfy: "ntfy",
  slack: "Slack",
  discord: "Discord",
  gotify: "Gotify",
  teams: "Microsoft Teams",
  telegram: "Telegram",
  mail: "E-mail",
  json: "JSON webhook",
};

export const KIND_WORDS: Record<ReceiverAnswer["kinds"][number], string> = {
  failed: "Failed streams",
  signedOut: "Signed-out pages",
  disk: "Full disk",
  certificate: "Certificates",
};

export const SECURITY_WORDS = { starttls: "STARTTLS", tls: "TLS", none: "Not encrypted" } as const;

/** What an incident is about. */
export const INCIDENT_WORDS: typeof KIND_WORDS = {
  failed: "Failed",
  signedOut: "Signed out",
  disk: "Full disk",
  certificate: "Certificate",
};

/** Examples of addresses. */
export const ADDRESSES: Partial<Record<ReceiverAnswer["way"], string>> = {
  ntfy: "https://ntfy.sh/a-topic-nobody-guesses",
  slack: "https://hooks.slack.com/services/…",
  discord: "https://discord.com/api/webhooks/…",
  gotify: "https://push.example.org/message?token=…",
  teams: "https://….logic.azure.com/workflows/…",
  json: "https://example.org/hook",
};

/** What a receiver is for, in a line. */
export function purposeWords({ kinds, groups, quietFrom, quietTo, waiting }: ReceiverAnswer): string {
  const all = Object.keys(KIND_WORDS).length;
  const what = kinds.length === all ? "All messages" : kinds.map((kind) => KIND_WORDS[kind]).join(", ");
  const whose = groups.length > 0 ? ` of ${groups.join(", ")}` : "";
  const quiet = quietFrom ? `, quiet from ${quietFrom} to ${quietTo}` : "";
  const left = waiting === 0 ? "" : waiting === 1 ? ". 1 message waits" : `. ${waiting} messages wait`;
  return `${what}${whose}${quiet}${left}.`;
}

/** Where the messages of the receiver of the variables go. */
export function variablesWords({ host, format, afterSeconds, isSigned, waiting }: WebhookInfo): string {
  const how = WAY_WORDS[format as ReceiverAnswer["way"]] ?? format;
  const signed = isSigned ? ", signed" : "";
  const after = afterSeconds > 0 ? ` after ${afterSeconds} s of a fault` : "";
  const left = waiting === 0 ? "" : waiting === 1 ? " 1 message waits." : ` ${waiting} messages wait.`;
  return `${how}${signed} at ${host}${after}.${left}`;
}

/** The outcome of the newest message. */
export function lastWords({ isDelivered, problem }: Delivery): string {
  return isDelivered ? "The last message was delivered." : `The last message was not delivered. ${problem}`;
}

/** The outcome of a test. */
export function testWords({ isDelivered, status, problem }: Delivery): string {
  return isDelivered ? `Delivered: it answered ${status}.` : `Not delivered. ${problem}`;
}
