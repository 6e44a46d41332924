/** A receiver of messages: the checks of a body, the part that people see, and its wishes. Pure. */
import { badInput, ServiceError } from "../errors.ts";
import { isSameGroup } from "../model/group.ts";
import {
  type MessageKind,
  newReceiverBody,
  type PublicReceiver,
  publicReceiver,
  RECEIVER_SECRETS,
  type ReceiverFields,
  type StoredReceiver,
} from "../model/receivers.ts";
import { fieldProblems } from "../model/schema.ts";
import { hostOf, rowOf } from "./ways.ts";

const MAX_RECEIVERS = 50;

/** The receiver without its secrets. */
export function shownReceiver(stored: StoredReceiver): PublicReceiver {
  const kept = RECEIVER_SECRETS.filter((field) => stored[field] !== "");
  // the schema has no secret, so none is taken
  return publicReceiver.parse({ ...stored, host: hostOf(stored), kept });
}

/** The problems of fields that depend on each other, by field. */
function problemsOf(receiver: ReceiverFields): Record<string, string> {
  const { way, quietFrom, quietTo } = receiver;
  const found: Record<string, string> = {};
  if ((quietFrom === "") !== (quietTo === "") || (quietFrom !== "" && quietFrom === quietTo)) {
    found.quietTo = "Quiet hours need a beginning and another end, such as 22:00 and 07:00.";
  }
  for (const { name, problemOf } of rowOf(way).lines.flat()) {
    const problem = problemOf?.(String(receiver[name]));
    if (problem) found[name] = problem;
  }
  return found;
}

/**
 * The fields of a body. Fields of a known receiver stand for those that the body does not have.
 * @throws {ServiceError} 400 with the problem of each field.
 */
export function checkedReceiver(body: unknown, known: Partial<StoredReceiver>): ReceiverFields {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw badInput({ "": "The body must be a JSON object." });
  }
  const { id: _, ...before } = known;
  const own = Object.fromEntries(
    Object.keys(newReceiverBody.shape).flatMap((name) => name in before ? [[name, before[name]]] : []),
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

/** Whether a receiver wants a message. @param group the stream's; null: the message is about the machine. */
export function isWanted(
  { kinds, groups }: Pick<StoredReceiver, "kinds" | "groups">,
  kind: MessageKind,
  group: string | null,
): boolean {
  if (!kinds.includes(kind)) return false;
  return group === null || groups.length === 0 || groups.some((one) => isSameGroup(one, group));
}

/** Whether a receiver has its quiet hours. @param minute of the day. */
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
