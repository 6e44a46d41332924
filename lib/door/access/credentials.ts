/** The one user name and password of the service. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Config } from "../../config.ts";
import { oneLine } from "../../model/entered/one_line.ts";
import { readSecretFile } from "./secret_file.ts";

export interface Credentials {
  user: string;
  pass: string;
}

type AuthConfig = Pick<Config, "AUTH_USER" | "AUTH_USER_FILE" | "AUTH_PASS" | "AUTH_PASS_FILE">;

/**
 * The configured credentials; null when the login is off.
 * @throws {ConfigError} when a file cannot be read or is empty.
 */
export async function readCredentials(config: AuthConfig): Promise<Credentials | null> {
  const user = config.AUTH_USER ||
    await readSecretFile("AUTH_USER_FILE", config.AUTH_USER_FILE, "/run/secrets/user");
  const pass = config.AUTH_PASS ||
    await readSecretFile("AUTH_PASS_FILE", config.AUTH_PASS_FILE, "/run/secrets/password");
  return user === "" || pass === "" ? null : normalized({ user, pass });
}

/** A typed user name: keyboards differ in how they compose an "é", blanks come from a phone's completion, marks from a chat. */
export function normalizedName(user: string): string {
  return oneLine(user) || user.trim().normalize("NFC");
}

function normalized({ user, pass }: Credentials): Credentials {
  return { user: normalizedName(user), pass: pass.normalize("NFC") };
}

/** Whether two texts are equal; the time of the comparison tells neither their difference nor their lengths. */
export function isEqualSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Whether the typed credentials are right. Both are always compared: the time must not tell which one was wrong. */
export function areRight(typed: Credentials, expected: Credentials): boolean {
  const { user, pass } = normalized(typed);
  const isUser = isEqualSecret(user, expected.user);
  const isPass = isEqualSecret(pass, expected.pass);
  return isUser && isPass;
}
