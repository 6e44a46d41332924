/** The text of access-tokens.json: read strictly, written with everything that was in it. */
import { type StoredAccessToken, storedAccessToken } from "../model/answers/access.ts";
import { listOfFile } from "../machine/tools/list_file.ts";

export interface AccessFile {
  tokens: readonly StoredAccessToken[];
  /** The other entries of the file's object. */
  wrapper: Record<string, unknown>;
}

/** The file cannot be used; the message says where and why. The error stops the start: a guess could open a door. */
export class AccessFileError extends Error {
  override name = "AccessFileError";
}

/** @param path for the message. @throws {AccessFileError} */
export function parseAccessFile(text: string, path: string): AccessFile {
  const fail = (problem: string) =>
    new AccessFileError(
      `The access tokens in ${path} cannot be read: ${problem}.\n` +
        "Correct the file, or remove it: then every app needs a new address.",
    );
  const { list, wrapper } = listOfFile(text, "tokens", fail);
  const tokens = list.map((record, at) => {
    const result = storedAccessToken.safeParse(record);
    if (result.success) return result.data;
    throw fail(`entry ${at + 1}, field "${String(result.error.issues[0].path[0] ?? "")}" is not valid`);
  });
  for (const field of ["id", "hash"] as const) {
    if (new Set(tokens.map((token) => token[field])).size < tokens.length) {
      throw fail(`two entries have one ${field}`);
    }
  }
  return { tokens, wrapper };
}

/** The text that `parseAccessFile` reads back. */
export function formatAccessFile({ tokens, wrapper }: AccessFile): string {
  return JSON.stringify({ ...wrapper, tokens }, null, 2) + "\n";
}
