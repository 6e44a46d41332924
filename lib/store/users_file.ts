/** The text of users.json: read strictly, written with everything that was in it. */
import { type StoredUser, storedUser } from "../model/answers/user.ts";
import { listOfFile } from "../machine/tools/list_file.ts";

export interface UsersFile {
  users: readonly StoredUser[];
  /** The other entries of the file's object. */
  wrapper: Record<string, unknown>;
}

/** The file cannot be used; the message says where and why. The error stops the start: without users all is open. */
export class UsersFileError extends Error {
  override name = "UsersFileError";
}

/** @param path for the message. @throws {UsersFileError} */
export function parseUsersFile(text: string, path: string): UsersFile {
  const fail = (problem: string) =>
    new UsersFileError(
      `The users in ${path} cannot be read: ${problem}.\n` +
        "Correct the file, or remove it and add the users again: browser-stream user add NAME --role admin",
    );
  const { list, wrapper } = listOfFile(text, "users", fail);
  const users = list.map((record, at) => {
    const result = storedUser.safeParse(record);
    if (result.success) return result.data;
    throw fail(`entry ${at + 1}, field "${String(result.error.issues[0].path[0] ?? "")}" is not valid`);
  });
  // of two that only look the same, as earlier versions took them, each can still log in
  if (new Set(users.map(({ name }) => name.toLowerCase())).size < users.length) {
    throw fail("two entries have one name");
  }
  return { users, wrapper };
}

/** The text that `parseUsersFile` reads back. */
export function formatUsersFile({ users, wrapper }: UsersFile): string {
  return JSON.stringify({ ...wrapper, users }, null, 2) + "\n";
}
