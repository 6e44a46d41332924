/** Secrets in files that the configuration names, such as a container's secrets. */
import { basename, dirname, join } from "node:path";
import { type Config, ConfigError } from "../../config.ts";
import { openRegular, shortBytes } from "../../machine/os/regular_file.ts";
import { withRightsOf } from "../../machine/os/rights.ts";
import { errorText } from "../../machine/tools/log.ts";
import { decoded } from "../../machine/tools/text_encoding.ts";

type FileVariable = Extract<keyof Config, `${string}_FILE`>;

/** Bytes: many times the longest secret. */
const MAX_BYTES = 16 * 1024;

/** The regular file at a path; null: there is none. */
export type Opener = (path: string) => Deno.FsFile | null;

/** Opens a file that the operator chose: secrets of containers are links. */
const openChosen: Opener = (path) => openRegular(path, "followed");

/** Opens a file that lies in another user's folder with that user's rights: a link there leads root nowhere. */
export function openOwners(path: string): Deno.FsFile | null {
  return withRightsOf(dirname(path), (here) => openRegular(join(here, basename(path))));
}

/**
 * A file's text without its final newline, which editors and `echo` write; "" without a file.
 * @param example a file that the message names. @throws {ConfigError} when `path` is not readable, or no line of text.
 */
export async function readSecretFile(
  variable: FileVariable,
  path: string,
  example: string,
  open: Opener = openChosen,
): Promise<string> {
  if (path === "") return "";
  const hint = `Example: ${variable}=${example}`;
  const text = await Promise.try(secretText, path, open).catch((error) => {
    throw new ConfigError(`${variable}=${path} cannot be read (${errorText(error)}). ${hint}`);
  });
  const secret = text.replace(/\r?\n$/, "");
  if (secret.trim() === "") throw new ConfigError(`${variable}=${path} is empty. ${hint}`);
  // a password field of a page has one line and no other control character; so has a header
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f\x7f]/.test(secret)) {
    throw new ConfigError(`${variable}=${path} holds more than one line or a control character. ${hint}`);
  }
  return secret;
}

export interface Login {
  user: string;
  pass: string;
}

/** The login of a text "user:password"; null: it is none. */
export function parseLogin(text: string): Login | null {
  const [, user, pass] = /^([^:]+):(.*)$/.exec(text) ?? [];
  return user === undefined ? null : { user, pass };
}

/** What `parseLogin` reads. */
export function loginText({ user, pass }: Login): string {
  return `${user}:${pass}`;
}

/** A secret's file as it is. @throws {Error} when there is no regular file of text that may be read, or it is long. */
export function secretText(path: string, open: Opener): string {
  using file = open(path);
  if (!file) throw new Error("there is no regular file");
  const bytes = shortBytes(file, MAX_BYTES);
  if (bytes === null) throw new Error(`it has more than ${MAX_BYTES / 1024} KiB`);
  return decoded(bytes, "it").text;
}
