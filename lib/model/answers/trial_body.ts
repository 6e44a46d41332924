/** The body of a trial: the settings of the page's look, and a stored stream's settings that go with them. Pure. */
import { badInput } from "../../errors.ts";
import { keepProblem } from "../kept_secrets.ts";
import { takenApart } from "../entered/address_logins.ts";
import { isPageField, isTriedField } from "../page_settings.ts";
import { fieldProblems, type Stream, streamFields } from "../schema.ts";
import { SECRET_FIELDS } from "../secrets.ts";

type Settings = Partial<Stream>;

/** Characters of a client's own name. */
const MAX_ASKER = 64;

/** The client's own name, so that its next trial replaces this one; null: no name. @throws {ServiceError} 400. */
export function askerOf(body: unknown): string | null {
  const { asker } = Object(body);
  if (asker === undefined) return null;
  if (typeof asker === "string" && asker !== "" && asker.length <= MAX_ASKER) return asker;
  throw badInput({ asker: `asker is a text of 1 to ${MAX_ASKER} characters.` });
}

/** The id of the stream that is edited; null if there is none. @throws {ServiceError} 400. */
export function editedOf(body: unknown): string | null {
  const { stream } = Object(body);
  if (stream === undefined || typeof stream === "string") return stream ?? null;
  throw badInput({ stream: "stream is the id of the edited stream." });
}

/** The body of a trial, with the login of its address in user and pass; it has no other one. */
export function triedBody(body: unknown): Record<string, unknown> {
  const { url, user: _, pass: __, ...others } = Object(body);
  return { ...others, ...takenApart({ url }).fields };
}

/** Whether a trial takes a field: a server that asks for a login gets that of the address. */
const isTaken = (field: string) => isTriedField(field) || field === "user" || field === "pass";

/** The settings of a stream's body that a trial takes. @throws {ServiceError} 400 with the problem of each field. */
export function triedSettings(body: Record<string, unknown>): Settings {
  const given = Object.entries(body).filter(([field]) => isTaken(field));
  const result = streamFields.partial().safeParse(Object.fromEntries(given));
  if (!result.success) throw badInput(fieldProblems(result.error));
  return Object.fromEntries(given.map(([field]) => [field, result.data[field as keyof typeof result.data]]));
}

/**
 * The settings of a stored stream that no client has: its extra headers and cookies, unless others are given, and the
 * origins that the headers may go to. The stored password is left out: only the sign-in helper of a stream types it.
 * @returns also a sentence for each secret that a stream with these settings could not keep, either.
 */
export function storedSettings(stored: Stream, given: Settings, url: string): {
  settings: Settings;
  leftOut: string[];
} {
  const { loginOrigins } = stored;
  const after = { ...given, url, loginOrigins };
  const settings: Settings = { loginOrigins };
  const leftOut: string[] = [];
  const lacking = SECRET_FIELDS.filter((field) =>
    isPageField(field) && given[field] === undefined && stored[field] !== ""
  );
  for (const field of lacking) {
    const problem = keepProblem(stored, after, field);
    if (problem === null) settings[field] = stored[field];
    else leftOut.push(problem);
  }
  return { settings, leftOut };
}
