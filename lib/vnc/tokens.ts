/** The VNC proxy's tokens: which secret opens which stream's display. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { type StreamId, streamId } from "../model/id.ts";
import { type Paths, vncSocket } from "../paths.ts";
import { readOrNull, writeFileAtomic } from "../os/files.ts";

/** 128 random bits. */
function newToken(): string {
  return randomBytes(16).toString("hex");
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

type TokenPaths = Pick<Paths, "tokensFile" | "vncDir">;

export class VncTokens {
  #paths: TokenPaths;
  #tokens = new Map<StreamId, string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(paths: TokenPaths) {
    this.#paths = paths;
  }

  /** Takes over the tokens of this service start (the web app may restart on its own). */
  async load(): Promise<void> {
    const text = await readOrNull(this.#paths.tokensFile) ?? "";
    for (const [, token, id] of text.matchAll(/^(\w+): unix_socket:.*\/([a-z0-9-]+)\/rfb$/gm)) {
      this.#tokens.set(streamId(id), token);
    }
  }

  /** The stream's token of this service start. */
  get(id: StreamId): string | undefined {
    return this.#tokens.get(id);
  }

  /** The stream a token opens, if any. The time it takes tells nothing of how much of a token was right. */
  idOf(token: string): StreamId | undefined {
    const given = digest(token);
    let found: StreamId | undefined;
    for (const [id, known] of this.#tokens) {
      if (timingSafeEqual(digest(known), given)) found = id;
    }
    return found;
  }

  /** Sets which streams have a token: new ones get one, gone ones lose theirs. The proxy rereads the file itself. */
  sync(ids: readonly StreamId[]): Promise<void> {
    const result = this.#last.then(async () => {
      const tokens = new Map(ids.map((id) => [id, this.#tokens.get(id) ?? newToken()]));
      const lines = [...tokens].map(([id, token]) => `${token}: unix_socket:${vncSocket(this.#paths, id)}\n`);
      // the file has its folder's group, the proxy's
      await writeFileAtomic(this.#paths.tokensFile, lines.join(""), 0o640);
      this.#tokens = tokens;
    });
    this.#last = result.catch(() => {});
    return result;
  }
}
