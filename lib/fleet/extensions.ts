/** The extensions that streams can choose, and the problems of the chosen extensions. */
import { unpackedProblem } from "../reach/extension_policy.ts";
import { readExtensions } from "../browser/extensions.ts";
import { badInput } from "../errors.ts";
import type { AddEvent } from "../model/answers/events.ts";
import { extensionNames } from "../model/extensions.ts";
import type { Stream } from "../model/schema.ts";
import type { Extension } from "../model/answers/shapes.ts";

export interface OwnExtensionsParts {
  /** The folder of the copies that browsers get. */
  dir: string;
  policyDir: string;
  addEvent: AddEvent;
}

export class OwnExtensions {
  #parts: OwnExtensionsParts;

  constructor(parts: OwnExtensionsParts) {
    this.#parts = parts;
  }

  async list(): Promise<Extension[]> {
    return (await readExtensions(this.#parts.dir)).extensions;
  }

  /**
   * Refuses unknown extensions; stored ones stay, so that other settings can change when the folder of one is gone.
   * @throws {ServiceError} 400.
   */
  async refuseUnknown(body: unknown, stored?: Stream): Promise<void> {
    const given: unknown = Object(body).extensions;
    const text = Array.isArray(given) ? given.join(" ") : given;
    if (typeof text !== "string" || text.trim() === "") return;
    const known = (await this.list()).map(({ name }) => name);
    const stays = extensionNames(stored?.extensions ?? "");
    const wrong = extensionNames(text).find((name) => !known.includes(name) && !stays.includes(name));
    if (wrong === undefined) return;
    const those = known.length > 0 ? `The service has ${known.join(", ")}.` : "The service has none.";
    throw badInput({ extensions: `There is no extension "${wrong.slice(0, 63)}". ${those}` });
  }

  /** Adds events for the missing extensions of a stream whose browser has started. */
  async tell({ id, extensions }: Pick<Stream, "id" | "extensions">): Promise<void> {
    const chosen = extensionNames(extensions);
    if (chosen.length === 0) return;
    const { dir, policyDir, addEvent } = this.#parts;
    const there = (await this.list()).map(({ name }) => name);
    for (const name of chosen.filter((name) => !there.includes(name))) {
      const why = "The service's start says why, if its folder is there.";
      addEvent(id, "page", `The extension "${name}" is missing. ${why}`, "warn");
    }
    const problem = await unpackedProblem(policyDir);
    if (problem !== null && chosen.some((name) => there.includes(name))) {
      addEvent(id, "page", `The browser refuses its extensions from ${dir}: ${problem}.`, "warn");
    }
  }
}
