/** A receiver of messages by HTTP; the one that the variables of the environment set. */
import { readSecretFile } from "../auth/secret_file.ts";
import { type Config, ConfigError } from "../config.ts";

export interface Receiver {
  /** May hold a secret: a topic, a token in the path or the query, a password. Only the receiver gets the address. */
  url: URL;
  format: Config["WEBHOOK_FORMAT"] | "teams" | "telegram";
  /** The key of the signature; "" for no signature. */
  secret: string;
  /** Telegram's. */
  chat?: string;
}

type WebhookConfig = Pick<
  Config,
  "WEBHOOK_URL" | "WEBHOOK_URL_FILE" | "WEBHOOK_FORMAT" | "WEBHOOK_SECRET" | "WEBHOOK_SECRET_FILE"
>;

const EXAMPLE = "Example: WEBHOOK_URL=https://ntfy.sh/a-topic-nobody-guesses with WEBHOOK_FORMAT=ntfy";

/** The configured receiver; null: there is none. @throws {ConfigError} whose text never has the address. */
export async function readReceiver(
  config: WebhookConfig,
): Promise<(Receiver & { format: Config["WEBHOOK_FORMAT"] }) | null> {
  const text = (config.WEBHOOK_URL ||
    await readSecretFile("WEBHOOK_URL_FILE", config.WEBHOOK_URL_FILE, "/run/secrets/webhook-url")).trim();
  const secret = config.WEBHOOK_SECRET ||
    await readSecretFile("WEBHOOK_SECRET_FILE", config.WEBHOOK_SECRET_FILE, "/run/secrets/webhook-secret");
  if (text === "") {
    if (secret === "") return null;
    throw new ConfigError(`WEBHOOK_SECRET is set, though WEBHOOK_URL is not. ${EXAMPLE}`);
  }
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`The webhook's address is not a web address. ${EXAMPLE}`);
  }
  if (config.WEBHOOK_FORMAT === "ntfy" && topicOf(url) === "") {
    throw new ConfigError(`The webhook's address has no ntfy topic after its host. ${EXAMPLE}`);
  }
  return { url, format: config.WEBHOOK_FORMAT, secret };
}

/** The topic that an address of ntfy ends with; "" if it has none. */
export function topicOf(url: URL): string {
  try {
    return decodeURIComponent(url.pathname.split("/").at(-1)!);
  } catch {
    return "";
  }
}

/** Shorter parts of an address are no secret, and to hide each "v1" would spoil the text for people. */
const SHORTEST_SECRET = 4;
const MAX_SAID = 200;

/**
 * A receiver's answer, fit for people and logs: one short line, without any part of the address but the host.
 * Receivers repeat parts of the request: ntfy repeats its topic, a proxy repeats the whole address.
 */
export function withoutSecrets(said: string, { url, secret }: Receiver): string {
  const { pathname, searchParams, username, password } = url;
  const raw = [...pathname.split("/"), ...searchParams.values(), username, password, secret];
  const login = new TextEncoder().encode(`${decoded(username)}:${decoded(password)}`).toBase64();
  const parts = [url.href, `${pathname}${url.search}`, login, ...raw, ...raw.map(decoded)]
    .filter((part) => part.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length); // the longest part first: it may contain others
  const hidden = parts.reduce((text, part) => text.replaceAll(part, "…"), said);
  // deno-lint-ignore no-control-regex
  return hidden.replace(/[\s\x00-\x1f\x7f]+/g, " ").trim().slice(0, MAX_SAID);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
