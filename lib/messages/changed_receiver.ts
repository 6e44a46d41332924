/**
 * A change of a receiver of messages, and the stored secrets that stay: one table with a verdict for each field. Only a
 * harmless change keeps a secret. Else a person who may edit a receiver could have the secret sent to a place of theirs. Pure.
 */
import { badInput } from "../errors.ts";
import type { ReceiverFields, StoredReceiver } from "../model/receivers.ts";
import { checkedReceiver } from "./receiver.ts";

/** The secrets that go to a place; the address is the place. */
type Sent = "token" | "password" | "secret";

/** Whether the change of a field gives the secret to nobody new. */
type Verdict = (before: StoredReceiver, after: StoredReceiver) => boolean;

const SENT: readonly Sent[] = ["token", "password", "secret"];

const harmless: Verdict = () => true;

const HARMLESS: Readonly<Record<Sent, Verdict>> = { token: harmless, password: harmless, secret: harmless };

const sameAddress: Verdict = (before, after) => before.address === after.address;
const sameServer: Verdict = (before, after) => before.server.toLowerCase() === after.server.toLowerCase();
const samePort: Verdict = (before, after) => before.port === after.port;
/** With "starttls" nothing is said to a server that does not encrypt, either. */
const asSecure: Verdict = (before, after) => after.security !== "none" || before.security === "none";
/** A password is an account's. Without a user name nobody gets it. */
const sameUser: Verdict = (before, after) => after.user === "" || before.user === after.user;

const VERDICTS: Readonly<Record<keyof ReceiverFields, Readonly<Record<Sent, Verdict>>>> = {
  name: HARMLESS,
  // another way has no secret of the one before: see below
  way: HARMLESS,
  kinds: HARMLESS,
  groups: HARMLESS,
  quietFrom: HARMLESS,
  quietTo: HARMLESS,
  // the owner of a topic is known by the address alone
  address: { ...HARMLESS, token: sameAddress, secret: sameAddress },
  secret: HARMLESS,
  token: HARMLESS,
  chat: HARMLESS,
  server: { ...HARMLESS, password: sameServer },
  port: { ...HARMLESS, password: samePort },
  security: { ...HARMLESS, password: asSecure },
  user: { ...HARMLESS, password: sameUser },
  password: HARMLESS,
  from: HARMLESS,
  to: HARMLESS,
};

/**
 * The receiver after a PATCH: absent fields stay, but for all secrets where the way is another one.
 * @throws {ServiceError} 400 with the problem of each field, also of a secret that has to be given again.
 */
export function changedReceiver(stored: StoredReceiver, body: unknown): StoredReceiver {
  const given: Record<string, unknown> = Object(body);
  const isOtherWay = given.way !== undefined && given.way !== stored.way;
  const known = isOtherWay ? { ...stored, address: "", token: "", password: "", secret: "" } : stored;
  const next = { id: stored.id, ...checkedReceiver(body, known) };
  const lost = SENT.filter((field) =>
    known[field] !== "" && !(field in given) &&
    !Object.values(VERDICTS).every(({ [field]: mayStay }) => mayStay(known, next))
  );
  if (lost.length > 0) {
    const problem = "It was stored for another receiver. Type it again, or clear it.";
    throw badInput(Object.fromEntries(lost.map((field) => [field, problem])));
  }
  return next;
}
