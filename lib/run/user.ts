/**
 * `user list|add|password|role|remove`: the users who log in beside AUTH_USER. It changes their file with the web app's
 * rights, and a running service takes the change within seconds. A password never stands in the arguments, which every
 * user of the machine can read.
 */
import { readCredentials } from "../door/access/credentials.ts";
import { Users } from "../door/access/users.ts";
import type { Config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import { ROLE_USES } from "../role.ts";
import { pathsOf } from "../paths.ts";
import { printable } from "../machine/tools/log.ts";
import { decoded, EncodingError } from "../machine/tools/text_encoding.ts";
import { CommandError } from "./command_error.ts";
import type { Words } from "./command/words.ts";
import { becomeDataOwner } from "./web_user.ts";

/** The most that is read as a password. */
const MAX_BYTES = 8192;

/** Gives the exit code. @throws {CommandError | UsersFileError} */
export async function user(given: Config, words: Words): Promise<number> {
  const [, action] = words.name.split(" ");
  const [name = "", role = ""] = words.operands;
  const users = await openUsers(given);
  try {
    switch (action) {
      case "list":
        return list(users, (await readCredentials(given).catch(() => null))?.user ?? null);
      case "add":
        await users.add({
          name,
          role: `${words.options.role ?? "viewer"}`,
          password: await newPassword(),
        });
        break;
      case "password":
        if (!users.find(name)) throw new ServiceError(404, `There is no user "${name}".`);
        await users.change(name, { password: await newPassword() });
        break;
      case "role":
        await users.change(name, { role });
        break;
      case "remove":
        await users.remove(name);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw new CommandError(error.message);
    throw error;
  }
  console.log(printable(done(users, name)));
  return 0;
}

function done(users: Users, name: string): string {
  const role = users.find(name)?.role;
  const what = role === undefined ? `${name} is removed` : `${name} is ${role}: ${ROLE_USES[role]}`;
  const login = users.list().length === 0
    ? " Nobody is left: without AUTH_USER, the next start has no login."
    : "";
  return `${what}. A service that runs takes this within seconds.${login}`;
}

function list(users: Users, own: string | null): number {
  const lines = users.list().map(({ name, role }) => `${name}  ${role}`);
  if (own !== null) lines.unshift(`${own}  admin (AUTH_USER, set by the environment)`);
  console.log(
    printable(lines.join("\n") || "There are no users: everybody may do everything, without a login."),
  );
  return 0;
}

async function openUsers(given: Config): Promise<Users> {
  // the name stays taken although the login's files are not read later
  const reserved = (await readCredentials(given).catch(() => null))?.user;
  const { usersFile: path } = pathsOf(await becomeDataOwner(given));
  return await Users.open({ path, now: Date.now, reserved, isAtMachine: true });
}

/** A new password: asked for twice without showing it, or the first line of stdin. */
async function newPassword(): Promise<string> {
  if (!Deno.stdin.isTerminal()) return (await stdinText()).split(/\r?\n/)[0];
  const password = await asked("Password: ");
  if (await asked("Again: ") === password) return password;
  throw new CommandError("The two passwords differ. Nothing was changed.");
}

async function stdinText(): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of Deno.stdin.readable) {
    parts.push(part);
    length += part.length;
    if (length > MAX_BYTES) throw new CommandError("The password on stdin is too long.");
  }
  try {
    return decoded(new Uint8Array(parts.flatMap((part) => [...part])), "The password on stdin").text;
  } catch (error) {
    throw error instanceof EncodingError ? new CommandError(error.message) : error;
  }
}

/** A line that is typed, which the terminal does not show. */
async function asked(question: string): Promise<string> {
  await Deno.stderr.write(new TextEncoder().encode(question));
  Deno.stdin.setRaw(true);
  try {
    const typed: number[] = [];
    const byte = new Uint8Array(1);
    while (typed.length < MAX_BYTES && await Deno.stdin.read(byte) === 1) {
      const [key] = byte;
      if (key === 3 || key === 4) throw new CommandError("Nothing was changed.");
      if (key === 10 || key === 13) break;
      // a character has more than one byte in UTF-8
      if (key === 8 || key === 127) { while (typed.length > 0 && (typed.pop()! & 0xc0) === 0x80); }
      else typed.push(key);
    }
    return new TextDecoder().decode(new Uint8Array(typed));
  } finally {
    Deno.stdin.setRaw(false);
    await Deno.stderr.write(new TextEncoder().encode("\n"));
  }
}
