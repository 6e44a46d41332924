/** The users on disk, beside the stream list; a cluster's nodes share them. A password is not stored: only its hash is. */
import { randomBytes } from "node:crypto";
import { ServiceError } from "../../errors.ts";
import {
  isSameName,
  MAX_USERS,
  newUser,
  type StoredUser,
  userChange,
  userInput,
} from "../../model/answers/user.ts";
import type { Shareable } from "../../store/shared_text.ts";
import { AS_IT_IS, StoredFile } from "../../store/stored_file.ts";
import { formatUsersFile, parseUsersFile, type UsersFile } from "../../store/users_file.ts";
import { log } from "../../machine/tools/log.ts";
import { normalizedName } from "./credentials.ts";
import { hashPassword, isPasswordOf, NO_HASH } from "./password_hash.ts";

const newEpoch = () => randomBytes(16).toString("base64url");

interface UsersOptions {
  path: string;
  /** Unix ms. */
  now(): number;
  room?: typeof AS_IT_IS;
  /** The name that the environment sets, which no other user may have; null: it sets none. */
  reserved?: string | null;
  /** Whether the last admin may go: who is at the machine can make another one. */
  isAtMachine?: boolean;
}

export class Users {
  /** Runs when users have been changed, here or elsewhere. */
  onchange: () => void = () => {};
  #options: UsersOptions;
  #file: StoredFile<UsersFile>;

  private constructor(options: UsersOptions, file: StoredFile<UsersFile>) {
    this.#options = options;
    this.#file = file;
    file.onchange = () => this.onchange();
  }

  /** Opens the file; a missing file has no users. @throws {UsersFileError} when it cannot be used: it stays unchanged. */
  static async open(options: UsersOptions): Promise<Users> {
    const { path, room = AS_IT_IS } = options;
    const format = {
      empty: { users: [], wrapper: {} },
      parse: (text: string) => parseUsersFile(text, path),
      format: formatUsersFile,
    };
    return new Users(options, await StoredFile.open<UsersFile>(path, format, room));
  }

  /** The file, which a cluster's nodes share. */
  get shareable(): Shareable {
    return this.#file;
  }

  /** All users, the oldest first. */
  list(): readonly StoredUser[] {
    return this.#file.content.users;
  }

  find(name: string): StoredUser | undefined {
    const wanted = name.trim().normalize("NFC");
    return this.list().find((user) => user.name === wanted);
  }

  /**
   * The user of a name and password; null: one of them is wrong. An unknown name takes as long as a known one.
   * @param isKnown whether the client was in before: it does not wait for clients that were not.
   */
  async withPassword(name: string, password: string, isKnown = false): Promise<StoredUser | null> {
    const seen = normalizedName(name);
    const user = this.find(name) ?? this.list().find((one) => normalizedName(one.name) === seen);
    const isRight = await isPasswordOf(user?.hash ?? NO_HASH, password, isKnown);
    return isRight && user ? user : null;
  }

  /** @throws {ServiceError} 400; 409 when the name is taken, there are too many, or the first is no admin. */
  async add(body: unknown): Promise<StoredUser> {
    const { name, role, password } = userInput(newUser, body);
    this.#refuseTaken(name, this.list());
    const user: StoredUser = {
      name,
      role,
      hash: await hashPassword(password),
      epoch: newEpoch(),
      createdAt: this.#options.now(),
    };
    await this.#change((users) => {
      this.#refuseTaken(name, users);
      if (users.length >= MAX_USERS) {
        throw new ServiceError(409, `There are ${MAX_USERS} users. Remove one first.`);
      }
      return [...users, user];
    }, "The first user must be an admin, who can add the others. Example: role admin");
    log("info", "user added", { user: name, role });
    return user;
  }

  /** Changes the role or the password; both end the user's sessions. @throws {ServiceError} 400, 404, 409. */
  async change(name: string, body: unknown): Promise<StoredUser> {
    const { role, password } = userInput(userChange, body);
    const hash = password === undefined ? undefined : await hashPassword(password);
    const isOther = (user: StoredUser) => hash !== undefined || (role !== undefined && role !== user.role);
    await this.#replace(
      name,
      (user) =>
        isOther(user)
          ? { ...user, role: role ?? user.role, hash: hash ?? user.hash, epoch: newEpoch() }
          : user,
    );
    log("info", "user changed", { user: name, what: hash ? "password" : "role" });
    return this.find(name)!;
  }

  /** Ends all sessions of a user. @throws {ServiceError} 404. */
  async logOut(name: string): Promise<void> {
    await this.#replace(name, (user) => ({ ...user, epoch: newEpoch() }));
    log("info", "user logged out everywhere", { user: name });
  }

  /** Removes a user with all sessions. @throws {ServiceError} 404; 409 for the last admin. */
  async remove(name: string): Promise<void> {
    await this.#change((users) => {
      const rest = users.filter((user) => user.name !== name);
      if (rest.length === users.length) throw unknown();
      return rest;
    });
    log("info", "user removed", { user: name });
  }

  /** Takes what a command has written to the file. */
  reload(): Promise<void> {
    return this.#file.reread();
  }

  /** Resolves when all changes so far are on disk. */
  settled(): Promise<void> {
    return this.#file.settled();
  }

  #refuseTaken(name: string, users: readonly StoredUser[]): void {
    const { reserved } = this.#options;
    if (reserved && isSameName(reserved, name)) {
      throw new ServiceError(409, `AUTH_USER has the name "${name}" already. Choose another.`);
    }
    const other = users.find((user) => isSameName(user.name, name));
    if (other) throw new ServiceError(409, `There is a user "${other.name}" already. Choose another name.`);
  }

  #replace(name: string, change: (user: StoredUser) => StoredUser): Promise<void> {
    return this.#change((users) => {
      if (!users.some((user) => user.name === name)) throw unknown();
      const next = users.map((user) => user.name === name ? change(user) : user);
      return next.every((user, at) => user === users[at]) ? users : next;
    });
  }

  async #change(
    change: (users: readonly StoredUser[]) => readonly StoredUser[],
    withoutAdmin = "This is the last admin. Make another user an admin first.",
  ): Promise<void> {
    await this.#file.change((file) => {
      const users = change(file.users);
      if (users === file.users) return file;
      if (!this.#keepsAnAdmin(users)) throw new ServiceError(409, withoutAdmin);
      return { ...file, users };
    });
    this.onchange();
  }

  /** AUTH_USER is an admin, too. */
  #keepsAnAdmin(users: readonly StoredUser[]): boolean {
    const { reserved, isAtMachine } = this.#options;
    const isEnough = Boolean(reserved) || (isAtMachine === true && users.length === 0);
    return isEnough || users.some(({ role }) => role === "admin");
  }
}

function unknown(): ServiceError {
  return new ServiceError(404, "There is no such user.");
}
