/** The token that opens /metrics, and nothing else, for programs that cannot log in. */
import { Buffer } from "node:buffer";
import { type Config, ConfigError } from "../../config.ts";
import { isEqualSecret } from "./credentials.ts";
import { readSecretFile } from "./secret_file.ts";
import { WrongTokens } from "./wrong_tokens.ts";

/** Printable ASCII, which a header can carry; a random token of this length cannot be guessed. */
const TOKEN = /^[\x21-\x7e]{16,}$/;

/** The configured token; "" for none. @throws {ConfigError} when it cannot be read, or is too short. */
export async function readMetricsToken(
  config: Pick<Config, "METRICS_TOKEN" | "METRICS_TOKEN_FILE">,
): Promise<string> {
  const token = config.METRICS_TOKEN.trim() ||
    await readSecretFile("METRICS_TOKEN_FILE", config.METRICS_TOKEN_FILE, "/run/secrets/metrics-token");
  if (token === "" || TOKEN.test(token)) return token;
  throw new ConfigError(
    "METRICS_TOKEN has fewer than 16 characters, or one that no header can carry. Example: METRICS_TOKEN=$(openssl rand -hex 16)",
  );
}

export class MetricsToken {
  #token: string;
  #wrong: WrongTokens;

  /** @param elapsed ms of a steady clock. */
  constructor(token: string, elapsed: () => number) {
    this.#token = token;
    this.#wrong = new WrongTokens("tokens for /metrics", elapsed);
  }

  /**
   * Whether the headers have the token: as a Bearer token, or as the password of Basic, with any user name.
   * @param client the client's address, for the limit. @throws {ServiceError} 429 after too many wrong tokens.
   */
  isIn(headers: Headers, client: () => string): boolean {
    const shown = tokenIn(headers.get("authorization"));
    if (shown === null) return false;
    if (isEqualSecret(shown, this.#token)) return true;
    const tooMany = this.#wrong.note(client());
    if (tooMany) throw tooMany;
    return false;
  }
}

/** Source: RFC 6750 section 2.1, RFC 7617 section 2. */
function tokenIn(authorization: string | null): string | null {
  const [, scheme, value] = /^(bearer|basic) +(\S+)$/i.exec(authorization ?? "") ?? [];
  if (scheme === undefined) return null;
  if (scheme.toLowerCase() === "bearer") return value;
  const text = Buffer.from(value, "base64").toString();
  const colon = text.indexOf(":");
  return colon < 0 ? null : text.slice(colon + 1);
}
