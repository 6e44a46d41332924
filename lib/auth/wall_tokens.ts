/**
 * What opens a wall to the browser of its own channel: a token for each such stream, made from a secret of this run. It is
 * stored nowhere, it counts as long as the stream's page is that wall, and it goes with the stream.
 */
import { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { WALL_HOST, wallOfAddress } from "../net/wall_address.ts";
import { readOrNull, writeFileAtomic } from "../os/files.ts";

const SECRET = /^[0-9a-f]{64}$/;
const TOKEN = /^([a-z0-9][a-z0-9-]{0,62})\.([\w-]{43})$/;

/** As much of a stream as its token depends on. */
interface Paged {
  id: string;
  /** Of its page. */
  url: string;
}

export class WallTokens {
  #secret: string;

  private constructor(secret: string) {
    this.#secret = secret;
  }

  /** @param file of the secret; made where there is none, so that it lives as long as the browsers do. */
  static async open(file: string): Promise<WallTokens> {
    const stored = await readOrNull(file);
    if (stored !== null && SECRET.test(stored)) return new WallTokens(stored);
    const secret = randomBytes(32).toString("hex");
    await writeFileAtomic(file, secret, 0o600);
    return new WallTokens(secret);
  }

  /** The address that a stream's browser opens: its page's own, but for a wall's, which gets the token. */
  pageAddress(stream: Paged): string {
    const wall = wallOfAddress(stream.url);
    return wall === null
      ? stream.url
      : `http://${WALL_HOST}/t/${stream.id}.${this.#code(stream.id, wall)}/wall?layout=${wall}`;
  }

  /** The stream that a token is for, and the id of its wall; null for what is no token, or not any more. */
  opened<Stream extends Paged>(
    token: string,
    find: (id: string) => Stream | undefined,
  ): { stream: Stream; wall: string } | null {
    const [, id, code] = TOKEN.exec(token) ?? [];
    const stream = id === undefined ? undefined : find(id);
    const wall = stream ? wallOfAddress(stream.url) : null;
    if (!stream || wall === null) return null;
    return timingSafeEqual(Buffer.from(code), Buffer.from(this.#code(id, wall))) ? { stream, wall } : null;
  }

  #code(id: string, wall: string): string {
    // neither id has a blank in it, so no two pairs make one text
    return createHmac("sha256", this.#secret).update(`${id} ${wall}`).digest("base64url");
  }
}
