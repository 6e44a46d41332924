/** The words of the page "Messages". Pure. */
import type { Delivery, ReceiverAnswer, WebhookInfo } from "../../lib/model/answers/shapes.ts";

export const KIND_WORDS: Record<ReceiverAnswer["kinds"][number], string> = {
  failed: "Failed streams",
  signedOut: "Signed-out pages",
  disk: "Full disk",
  certificate: "Certificates",
};

/** The purpose of a receiver, in a line. */
export function purposeWords({ kinds, groups, quietFrom, quietTo, waiting }: ReceiverAnswer): string {
  const all = Object.keys(KIND_WORDS).length;
  const what = kinds.length === all ? "All messages" : kinds.map((kind) => KIND_WORDS[kind]).join(", ");
  const whose = groups.length > 0 ? ` of ${groups.join(", ")}` : "";
  const quiet = quietFrom ? `, quiet from ${quietFrom} to ${quietTo}` : "";
  const left = waiting === 0 ? "" : waiting === 1 ? ". 1 message waits" : `. ${waiting} messages wait`;
  return `${what}${whose}${quiet}${left}.`;
}

/** The place of the variables' receiver. @param how the word for its way. */
export function variablesWords(
  { host, afterSeconds, isSigned, waiting }: WebhookInfo,
  how: string,
): string {
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
  return isDelivered ? `Delivered: the receiver answered ${status}.` : `Not delivered. ${problem}`;
}
