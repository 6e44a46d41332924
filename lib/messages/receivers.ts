/** The receivers of messages on disk, beside the stream list: their secrets are in it, so only the service reads it. */
import { randomBytes } from "node:crypto";
import { ServiceError } from "../errors.ts";
import { listOfFile } from "../machine/tools/list_file.ts";
import { changedReceiver } from "./changed_receiver.ts";
import { type StoredReceiver, storedReceiver } from "../model/receivers.ts";
import { receiverFromBody } from "./receiver.ts";
import { log } from "../machine/tools/log.ts";
import type { Shareable } from "../store/shared_text.ts";
import { AS_IT_IS, type FileFormat, StoredFile } from "../store/stored_file.ts";

interface ReceiverFile {
  receivers: readonly StoredReceiver[];
  wrapper: Record<string, unknown>;
}

/** The file cannot be used; the message says where and why, and no secret. */
export class ReceiverFileError extends Error {
  override name = "ReceiverFileError";
}

function formatOf(path: string): FileFormat<ReceiverFile> {
  const fail = (problem: string) =>
    new ReceiverFileError(
      `The receivers of messages in ${path} cannot be read: ${problem}.\n` +
        "Correct the file, or remove it to begin without receivers.",
    );
  return {
    empty: { receivers: [], wrapper: {} },
    parse(text) {
      const { list, wrapper } = listOfFile(text, "receivers", fail);
      const receivers = list.map((record, at) => {
        const result = storedReceiver.safeParse(record);
        if (result.success) return result.data;
        throw fail(`entry ${at + 1}, field "${String(result.error.issues[0].path[0] ?? "")}" is not valid`);
      });
      return { receivers, wrapper };
    },
    format: ({ receivers, wrapper }) => JSON.stringify({ ...wrapper, receivers }, null, 2) + "\n",
  };
}

export class Receivers {
  #file: StoredFile<ReceiverFile>;

  private constructor(file: StoredFile<ReceiverFile>) {
    this.#file = file;
  }

  /** Opens the file; a missing file has no receivers. @throws {ReceiverFileError} when it cannot be used: it stays. */
  static async open(path: string, room = AS_IT_IS): Promise<Receivers> {
    return new Receivers(await StoredFile.open(path, formatOf(path), room));
  }

  /** The file, which a cluster's nodes share. */
  get shareable(): Shareable {
    return this.#file;
  }

  /** All receivers with their secrets, the oldest first. */
  list(): readonly StoredReceiver[] {
    return this.#file.content.receivers;
  }

  /** @throws {ServiceError} 404. */
  get(id: string): StoredReceiver {
    const found = this.list().find((one) => one.id === id);
    if (!found) throw new ServiceError(404, "There is no such receiver.");
    return found;
  }

  /** @throws {ServiceError} 400, 409. */
  async create(body: unknown): Promise<StoredReceiver> {
    const id = randomBytes(6).toString("hex");
    await this.#change((all) => [...all, receiverFromBody(body, id, all.length)]);
    log("info", "receiver of messages created", { id });
    return this.get(id);
  }

  /** Absent fields stay. @throws {ServiceError} 400, 404. */
  async update(id: string, body: unknown): Promise<StoredReceiver> {
    await this.#change((all) => all.map((one) => one.id === id ? changedReceiver(one, body) : one));
    return this.get(id);
  }

  /** @throws {ServiceError} 404. */
  async remove(id: string): Promise<void> {
    this.get(id);
    await this.#change((all) => all.filter((one) => one.id !== id));
    log("info", "receiver of messages removed", { id });
  }

  #change(change: (all: readonly StoredReceiver[]) => readonly StoredReceiver[]): Promise<void> {
    return this.#file.change((file) => ({ ...file, receivers: change(file.receivers) }));
  }
}
