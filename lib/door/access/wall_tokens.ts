/**
 * The tokens that open a wall to the browser of its own channel: one for each such stream, made from a secret of this
 * run, or of the cluster, so that each node lets it in. A token is stored nowhere, counts as long as the stream's page is
 * that wall, and ends with the stream.
 */
import { Buffer } from "node:buffer";
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { WALL_HOST, wallOfAddress } from "../../reach/wall_address.ts";
import { readOrNull, writeFileAtomic } from "../../machine/os/files.ts";

const SECRET = /^[0-9a-f]{64}$/;
const TOKEN = /^([a-z0-9][a-z0-9-]{0,62})\.([\w-]{43})$/;

/** The fields of a stream that its token depends on. */
interface Paged {
  id: string;
  /** The page's address. */
  url: string;
  /** In a cluster: another one for a later stream of the same id. */
  tokenSeed?: unknown;
}

export class WallTokens {
  #secret: string;

  private constructor(secret: string) {
    this.#secret = secret;
  }

  /**
   * @param file the secret's file; made where it is missing, so that the secret lives as long as the browsers.
   * @param ofCluster the cluster's secret, in the file's place; null: this machine is alone.
   */
  static async open(file: string, ofCluster: Uint8Array | null = null): Promise<WallTokens> {
    if (ofCluster) {
      const own = hkdfSync("sha256", ofCluster, "", "browser-stream walls", 32);
      return new WallTokens(Buffer.from(own).toString("hex"));
    }
    const stored = await readOrNull(file);
    if (stored !== null && SECRET.test(stored)) return new WallTokens(stored);
    const secret = randomBytes(32).toString("hex");
    await writeFileAtomic(file, secret, 0o600);
    return new WallTokens(secret);
  }

  /** The address that a stream's browser opens: the page's own; a wall's address gets the token. */
  pageAddress(stream: Paged): string {
    const wall = wallOfAddress(stream.url);
    return wall === null
      ? stream.url
      : `http://${WALL_HOST}/t/${stream.id}.${this.#code(stream, wall)}/wall?layout=${wall}`;
  }

  /** The stream of a token, and the id of its wall; null: the token is not valid, or not any more. */
  opened<Stream extends Paged>(
    token: string,
    find: (id: string) => Stream | undefined,
  ): { stream: Stream; wall: string } | null {
    const [, id, code] = TOKEN.exec(token) ?? [];
    const stream = id === undefined ? undefined : find(id);
    const wall = stream ? wallOfAddress(stream.url) : null;
    if (!stream || wall === null) return null;
    return timingSafeEqual(Buffer.from(code), Buffer.from(this.#code(stream, wall)))
      ? { stream, wall }
      : null;
  }

  #code({ id, tokenSeed }: Paged, wall: string): string {
    // no part has a blank in it, so no others make the same text
    return createHmac("sha256", this.#secret).update(`${id} ${wall} ${tokenSeed}`).digest("base64url");
  }
}
