/** The access tokens on disk, beside the stream list. A token itself is not stored: only its SHA-256 is. */
import { createHash, randomBytes } from "node:crypto";
import { ServiceError } from "../../errors.ts";
import {
  accessTokenFromBody,
  MAX_ACCESS_TOKENS,
  publicAccessToken,
  type StoredAccessToken,
} from "../../model/answers/access.ts";
import type { StreamId } from "../../model/id.ts";
import type { Shareable } from "../../store/shared_text.ts";
import { AS_IT_IS, StoredFile } from "../../store/stored_file.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import { type AccessFile, formatAccessFile, parseAccessFile } from "../../store/access_file.ts";
import type { AccessToken } from "../../model/answers/shapes.ts";

/** 128 random bits: a token cannot be guessed, and a person can still type it on a TV. */
const TOKEN_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{22}$/;
/** Milliseconds between two notes of a token's use: a player asks every second, which is too often for the disk. */
const USE_MS = 10 * 60_000;
/** Milliseconds between two writes of all uses: each write has the whole file. */
const USE_WRITE_MS = 60_000;
/** Characters of the whole file. Every change writes the whole file, and every reader of the list gets all of it. */
const MAX_LENGTH = 1024 * 1024;

function digest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

export class AccessTokens {
  #now: () => number;
  #file: StoredFile<AccessFile>;
  #byHash: Map<string, StoredAccessToken>;
  /** The last use in Unix ms, by id, as the file has it or soon will. */
  #usedAt = new Map<string, number>();
  /** Unix ms of the last write of uses. */
  #usesWrittenAt = -Infinity;

  private constructor(now: () => number, file: StoredFile<AccessFile>) {
    this.#now = now;
    this.#file = file;
    this.#byHash = indexed(file.content);
    file.onchange = (content) => this.#byHash = indexed(content);
  }

  /** The file, which a cluster's nodes share. */
  get shareable(): Shareable {
    return this.#file;
  }

  /**
   * Opens the file; a missing file has no tokens. @param now Unix ms.
   * @throws {AccessFileError} when the file cannot be used: it stays unchanged.
   */
  static async open(path: string, now: () => number, room = AS_IT_IS): Promise<AccessTokens> {
    const format = {
      empty: { tokens: [], wrapper: {} },
      parse: (text: string) => parseAccessFile(text, path),
      format: formatAccessFile,
    };
    return new AccessTokens(now, await StoredFile.open<AccessFile>(path, format, room));
  }

  /** All tokens, the oldest first. */
  list(): AccessToken[] {
    return this.#file.content.tokens.map((token) => publicAccessToken(this.#withUse(token)));
  }

  /**
   * Makes a token; only this answer ever has the token itself.
   * @param streams the ids of all streams. @throws {ServiceError} 400; 409 when there are too many.
   */
  async create(body: unknown, streams: readonly string[]): Promise<{ info: AccessToken; token: string }> {
    const now = this.#now();
    const settings = accessTokenFromBody(body, streams, now);
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const stored: StoredAccessToken = {
      id: randomBytes(6).toString("hex"),
      hash: digest(token),
      createdAt: now,
      lastUsedAt: null,
      ...settings,
    };
    await this.#change((tokens) => {
      if (tokens.length >= MAX_ACCESS_TOKENS) {
        throw new ServiceError(409, `There are ${MAX_ACCESS_TOKENS} access tokens. Revoke one first.`);
      }
      const next = [...tokens, stored];
      if (formatAccessFile({ ...this.#file.content, tokens: next }).length <= MAX_LENGTH) return next;
      throw new ServiceError(
        409,
        `All access tokens together would need more than ${MAX_LENGTH / 1024 / 1024} MiB. ` +
          "Choose fewer streams or a group, or revoke a token that names many streams.",
      );
    });
    log("info", "access token created", { id: stored.id, name: stored.name });
    return { info: publicAccessToken(stored), token };
  }

  /** Ends a token: the next request with it is refused. @throws {ServiceError} 404. */
  async revoke(id: string): Promise<void> {
    await this.#change((tokens) => {
      const rest = tokens.filter((token) => token.id !== id);
      if (rest.length === tokens.length) throw new ServiceError(404, "There is no such access token.");
      return rest;
    });
    this.#usedAt.delete(id);
    log("info", "access token revoked", { id });
  }

  /** Takes a stream out of all tokens, so that no token opens a later stream of the same id. */
  async forgetStream(id: StreamId): Promise<void> {
    const without = (token: StoredAccessToken) =>
      token.streams?.includes(id) ? { ...token, streams: token.streams.filter((one) => one !== id) } : token;
    await this.#change((tokens) => {
      const next = tokens.map(without);
      return next.every((token, at) => token === tokens[at]) ? tokens : next;
    });
  }

  /**
   * The token that a client shows, if the token is valid now; notes the use. The lookup is by hash, so that its time
   * does not tell how much of a token was right.
   */
  use(token: string): AccessToken | null {
    if (!TOKEN.test(token)) return null;
    const stored = this.#byHash.get(digest(token));
    const now = this.#now();
    if (!stored || (stored.expiresAt !== null && stored.expiresAt <= now)) return null;
    this.#noteUse(stored, now);
    return stored;
  }

  /** Resolves when all changes and uses so far are on disk. */
  async settled(): Promise<void> {
    this.#writeUses();
    await this.#file.settled();
  }

  #noteUse({ id, lastUsedAt }: StoredAccessToken, now: number): void {
    const known = this.#usedAt.get(id) ?? lastUsedAt ?? -Infinity;
    if (Math.abs(now - known) < USE_MS) return; // also when the clock was set back
    this.#usedAt.set(id, now);
    if (Math.abs(now - this.#usesWrittenAt) >= USE_WRITE_MS) this.#writeUses();
  }

  /** Writes the uses alone; every other write has them, too. */
  #writeUses(): void {
    this.#usesWrittenAt = this.#now(); // before the write: on a full disk the next try is as far away
    this.#change((tokens) => tokens.some((token) => this.#withUse(token) !== token) ? [...tokens] : tokens)
      .catch((error) => log("warn", "the use of access tokens was not noted", { error: errorText(error) }));
  }

  #withUse(token: StoredAccessToken): StoredAccessToken {
    // another node of a cluster may have noted a later one
    const lastUsedAt = Math.max(this.#usedAt.get(token.id) ?? 0, token.lastUsedAt ?? 0) || null;
    return lastUsedAt === token.lastUsedAt ? token : { ...token, lastUsedAt };
  }

  #change(
    change: (tokens: readonly StoredAccessToken[]) => readonly StoredAccessToken[],
  ): Promise<void> {
    return this.#file.change((file) => {
      const tokens = change(file.tokens);
      return tokens === file.tokens ? file : { ...file, tokens: tokens.map((token) => this.#withUse(token)) };
    }, (file) => this.#byHash = indexed(file));
  }
}

function indexed({ tokens }: AccessFile): Map<string, StoredAccessToken> {
  return new Map(tokens.map((token) => [token.hash, token]));
}
