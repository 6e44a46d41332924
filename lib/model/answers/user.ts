/** A user: what people log in as. The password's hash is made and compared in lib/door/access. Pure. */
import * as z from "zod";
import { badInput } from "../../errors.ts";
import { ROLES } from "../../role.ts";
import { oneLine } from "../entered/one_line.ts";
import { fieldProblems } from "../schema.ts";

/** More people than look after any wall of screens. */
export const MAX_USERS = 500;

const MIN_PASSWORD = 8;
const MAX_PASSWORD = 1024;

const nameProblem = 'A name is needed, such as "anna".';
/** As it is compared: keyboards differ in how they compose an "é". */
const storedName = z.string({ error: nameProblem }).transform((text) => text.trim().normalize("NFC"))
  .refine((text) => text !== "", nameProblem)
  .refine((text) => text.length <= 64, "A name has at most 64 characters.")
  // proxies send names in headers, where commas part two
  .refine(
    (text) => !/[\p{Cc}\p{Zl}\p{Zp},%/\\]/u.test(text),
    "A name has no comma, slash, % or control character.",
  );
/** Earlier versions have taken what nobody sees: a stored name stays what somebody may be logged in by. */
const name = storedName.transform(oneLine).refine((text) => text !== "", nameProblem);

const passwordProblem = `A password has ${MIN_PASSWORD} to ${MAX_PASSWORD} characters, in one line.`;
const password = z.string({ error: passwordProblem })
  .refine(
    (text) => text.length >= MIN_PASSWORD && text.length <= MAX_PASSWORD && !/\p{Cc}/u.test(text),
    passwordProblem,
  );

const role = z.enum(ROLES, { error: `role is one of ${ROLES.join(", ")}.` });

const bodyProblem = (example: string) => `The body is not valid. Example: ${example}`;

/** The body of POST /api/users. */
export const newUser = z.strictObject({ name, role, password }, {
  error: bodyProblem('{"name": "anna", "role": "operator", "password": "…"}'),
});

/** The body of PATCH /api/users/{name}. */
export const userChange = z.strictObject({ role: role.optional(), password: password.optional() }, {
  error: bodyProblem('{"role": "viewer"}'),
});

/** A record of the file. `loose`: fields of newer versions survive a rewrite. */
export const storedUser = z.looseObject({
  name: storedName,
  role,
  /** Of the password. */
  hash: z.string().min(1),
  /** Sessions are valid as long as this stays; a new value ends them. */
  epoch: z.string().min(16),
  createdAt: z.number().int().min(0),
});

export type StoredUser = z.output<typeof storedUser>;

/** @throws {ServiceError} 400 with the problem of each field. */
export function userInput<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw badInput(fieldProblems(result.error));
}

/** Whether two names are one to people. */
export function isSameName(one: string, other: string): boolean {
  return oneLine(one).toLowerCase() === oneLine(other).toLowerCase();
}
