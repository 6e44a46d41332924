/** The receiver that the WEBHOOK variables of the environment set. */
import { readSecretFile } from "../door/access/secret_file.ts";
import { type Config, ConfigError } from "../config.ts";
import { newReceiverBody, type StoredReceiver } from "../model/receivers.ts";
import { topicOf } from "./ways.ts";

type WebhookConfig = Pick<
  Config,
  "WEBHOOK_URL" | "WEBHOOK_URL_FILE" | "WEBHOOK_FORMAT" | "WEBHOOK_SECRET" | "WEBHOOK_SECRET_FILE"
>;

const EXAMPLE = "Example: WEBHOOK_URL=https://ntfy.sh/a-topic-nobody-guesses with WEBHOOK_FORMAT=ntfy";

/** The id of the variables' receiver, which no stored receiver has. */
export const OF_VARIABLES = "";

/**
 * The receiver of the variables, which gets all messages at any hour; null: no address is set.
 * @throws {ConfigError} whose text never has the address.
 */
export async function readReceiver(config: WebhookConfig): Promise<StoredReceiver | null> {
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
  const way = config.WEBHOOK_FORMAT;
  if (way === "ntfy" && topicOf(url) === "") {
    throw new ConfigError(`The webhook's address has no ntfy topic after its host. ${EXAMPLE}`);
  }
  // the variables have no limits of length
  const others = newReceiverBody.parse({ name: "Set by variables", way });
  return { ...others, id: OF_VARIABLES, address: url.href, secret };
}
