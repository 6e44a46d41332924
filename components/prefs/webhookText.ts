/** The settings' words about the webhook. Pure. */
import type { Delivery, WebhookInfo } from "../../lib/model/answers/shapes.ts";

const FORMATS: Record<string, string> = {
  json: "JSON",
  ntfy: "ntfy",
  slack: "Slack",
  discord: "Discord",
  gotify: "Gotify",
};

/** Whether there is a receiver, and the kind of its messages. */
export function settingWords(info: WebhookInfo | null): string {
  if (!info) {
    return "Nobody is told. Set WEBHOOK_URL, and WEBHOOK_FORMAT for ntfy, Slack, Discord or Gotify, " +
      "and start the service again.";
  }
  const { host, format, afterSeconds, isSigned, waiting } = info;
  const signed = isSigned ? ", signed" : "";
  const after = afterSeconds > 0 ? ` once it has been down for ${afterSeconds} s` : "";
  const undelivered = waiting > 0
    ? ` ${waiting === 1 ? "1 message waits" : `${waiting} messages wait`} to be delivered.`
    : "";
  return `Sent to ${host} (${
    FORMATS[format] ?? format
  }${signed})${after}, and when it is back.${undelivered}`;
}

/** The outcome of the newest message. */
export function lastWords({ isDelivered, problem }: Delivery): string {
  return isDelivered ? "The last message was delivered." : `The last message was not delivered. ${problem}`;
}

/** The outcome of a test. */
export function testWords({ isDelivered, status, problem }: Delivery): string {
  return isDelivered ? `Delivered: it answered ${status}.` : `Not delivered. ${problem}`;
}
