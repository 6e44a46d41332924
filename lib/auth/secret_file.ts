/** Secrets in files that the configuration names, such as a container's secrets. */
import { type Config, ConfigError } from "../config.ts";
import { errorText } from "../system/log.ts";

type FileVariable = Extract<keyof Config, `${string}_FILE`>;

/**
 * A file's text without its final newline, which editors and `echo` write; "" without a file.
 * @param example a file that the message names. @throws {ConfigError} when `path` is not readable, or no line of text.
 */
export async function readSecretFile(variable: FileVariable, path: string, example: string): Promise<string> {
  if (path === "") return "";
  const hint = `Example: ${variable}=${example}`;
  const text = await Deno.readTextFile(path).catch((error) => {
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
