/** The tokens of VNC: which secret opens which stream's display, at the proxy and for clients. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { type StreamId, streamId } from "../model/id.ts";
import { type Paths, vncSocket } from "../paths.ts";
import { readOrNull, writeFileAtomic } from "../machine/os/files.ts";

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
  #ofAllNodes: ((id: StreamId) => string) | null;

  /** @param ofAllNodes what a client shows at any node of a cluster; null: the machine is alone, and it is the proxy's token. */
  constructor(paths: TokenPaths, ofAllNodes: ((id: StreamId) => string) | null = null) {
    this.#paths = paths;
    this.#ofAllNodes = ofAllNodes;
  }

  /** Takes over the tokens of this service start (the web app may restart on its own). */
  async load(): Promise<void> {
    const text = await readOrNull(this.#paths.tokensFile) ?? "";
    for (const [, token, id] of text.matchAll(/^(\w+): unix_socket:.*\/([a-z0-9-]+)\/rfb$/gm)) {
      this.#tokens.set(streamId(id), token);
    }
  }

  /** The stream's token of this service start, which the proxy knows. */
  get(id: StreamId): string | undefined {
    return this.#tokens.get(id);
  }

  /** What a client shows to be let into a stream's browser. */
  shown(id: StreamId): string | undefined {
    const own = this.#tokens.get(id);
    return own && (this.#ofAllNodes?.(id) ?? own);
  }

  /** The stream a client's token opens, if any. The time it takes tells nothing of how much of a token was right. */
  idOf(token: string): StreamId | undefined {
    const given = digest(token);
    let found: StreamId | undefined;
    for (const id of this.#tokens.keys()) {
      if (timingSafeEqual(digest(this.shown(id)!), given)) found = id;
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
