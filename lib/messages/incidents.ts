/** The incidents: something went wrong, of a stream or of the machine, from a time to a time. */
import type { Incident } from "../model/answers/shapes.ts";
import { isSameGroup } from "../model/group.ts";
import type { KnownIncident } from "./file.ts";

const MAX_INCIDENTS = 1000;

/** The incidents that are asked for; an absent or empty word chooses all. */
export interface IncidentFilter {
  stream?: string;
  group?: string;
  kind?: string;
  isOpen?: boolean;
}

export class Incidents {
  #all: KnownIncident[];

  /** @param all the oldest first. */
  constructor(all: KnownIncident[]) {
    this.#all = all;
  }

  /** All of them, the oldest first, for the file. */
  get all(): KnownIncident[] {
    return this.#all;
  }

  /** The chosen ones, the newest first. */
  list({ stream, group, kind, isOpen = false }: IncidentFilter): Incident[] {
    return this.#all.filter((one) =>
      (!stream || one.stream === stream) && (!kind || one.kind === kind) && (!isOpen || one.to === null) &&
      (!group || isSameGroup(one.group, group))
    ).map(({ key: _, ...one }) => one).reverse();
  }

  /** The incident of a key that goes on. */
  open(key: string): KnownIncident | undefined {
    return this.#all.findLast((one) => one.key === key && one.to === null);
  }

  /** Adds an incident. The oldest goes when there are too many. */
  begin(
    { kind, key, stream, state, what, from }:
      & Pick<KnownIncident, "kind" | "key" | "state" | "what" | "from">
      & {
        stream: { id: string; name: string; group: string } | null;
      },
  ): void {
    const { id = null, name = "", group = "" } = stream ?? {};
    this.#all.push({
      id: crypto.randomUUID(),
      kind,
      key,
      stream: id,
      name,
      group,
      state,
      what,
      from,
      to: null,
    });
    this.#all.splice(0, this.#all.length - MAX_INCIDENTS);
  }

  /** Ends the incidents of removed streams. @param to Unix ms. @returns whether there were any. */
  endRemoved(isKnown: (key: string) => boolean, to: number): boolean {
    const ended = this.#all.filter((one) => one.to === null && !isKnown(one.key));
    for (const one of ended) one.to = to;
    return ended.length > 0;
  }
}
