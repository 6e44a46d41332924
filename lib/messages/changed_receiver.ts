/**
 * A change of a receiver of messages, and which of its stored secrets stay: one table with a verdict for each field. Only a
 * change of what is harmless keeps a secret: else who may edit a receiver could have it sent to themselves. Pure.
 */
import { badInput } from "../errors.ts";
import { checkedReceiver, type ReceiverFields, type StoredReceiver } from "../model/receivers.ts";

/** What goes somewhere by itself; the address is where. */
type Sent = "token" | "password" | "secret";

/** Whether nobody could get the secret by the change of a field who could not before. */
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
  // in the address alone is whose topic it is
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
