/** The figures of streams on other nodes: this node asks the others when somebody looks at figures. */
import { PASS_HEADER, type Passes } from "../door/access/pass.ts";
import { askUpstream } from "../door/upstream.ts";
import type { StreamFigures } from "../model/answers/shapes.ts";
import type { StreamId } from "../model/id.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { ToldFigures } from "./placement.ts";
import type { ClusterView } from "./view.ts";

type Told = ReadonlyMap<string, StreamFigures>;

interface All {
  /** The figures of each node's streams, by the node's name. */
  told: ReadonlyMap<string, Told>;
  /** How many viewers all other nodes count, by stream. */
  viewers: ReadonlyMap<string, number>;
}

export interface OtherFiguresParts {
  view: Pick<ClusterView, "nodes" | "other" | "owner">;
  passes: Pick<Passes, "make">;
  ask: typeof fetch;
  /** Milliseconds for which an answer is good. */
  keepMs: number;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
}

const PATH = "/api/figures";
/** Milliseconds that people wait for a silent node: its figures are missing then. */
const LIMITS = { answerMs: 2000, idleMs: 2000 };
/** Bytes of an answer: a stream takes 100. */
const MAX_BYTES = 4 * 1024 * 1024;

export class OtherFigures {
  #parts: OtherFiguresParts;
  #told: { at: number; all: Promise<All> } | null = null;

  constructor(parts: OtherFiguresParts) {
    this.#parts = parts;
  }

  /** The figures that the other nodes tell of a stream, once they have answered. */
  async all(): Promise<(id: StreamId) => ToldFigures> {
    const { view, keepMs, elapsed } = this.#parts;
    if (!this.#told || elapsed() - this.#told.at >= keepMs) {
      this.#told = { at: elapsed(), all: this.#askAll() };
    }
    const { told, viewers } = await this.#told.all;
    return (id) => ({
      figures: told.get(view.owner(id) ?? "")?.get(id) ?? null,
      viewers: viewers.get(id) ?? 0,
    });
  }

  async #askAll(): Promise<All> {
    const names = this.#parts.view.nodes().filter(({ isHere }) => !isHere).map(({ name }) => name);
    const asked = names.map(async (name) => [name, await this.#askOne(name)] as const);
    const told = new Map(await Promise.all(asked));
    // added up once for all boards that ask, each about a thousand streams
    const viewers = new Map<string, number>();
    for (const [id, figures] of [...told.values()].flatMap((streams) => [...streams])) {
      viewers.set(id, (viewers.get(id) ?? 0) + (figures.viewers ?? 0));
    }
    return { told, viewers };
  }

  async #askOne(node: string): Promise<Told> {
    const { view, passes, ask } = this.#parts;
    const other = view.other(node);
    if (!other?.canBeAsked) return new Map();
    const { name, address } = other;
    const found = { client: "local", publicUrl: address, addressBase: address };
    const rights = { isFromOwnPage: false, mayReadSecrets: false, role: "viewer" as const };
    const headers = new Headers({ [PASS_HEADER]: passes.make(name, "GET", PATH, { ...found, ...rights }) });
    try {
      const { status, read, cancel } = await askUpstream(address + PATH, { headers, ask }, LIMITS);
      const decoder = new TextDecoder();
      let text = "";
      for (let part = await read(); part; part = await read()) {
        text += decoder.decode(part, { stream: true });
        if (text.length <= MAX_BYTES) continue;
        cancel();
        throw new Error("its answer is too long");
      }
      if (status !== 200) throw new Error(`it answers ${status}`);
      return new Map(Object.entries<StreamFigures>(JSON.parse(text)));
    } catch (error) {
      log("debug", "another node's figures are not known", { node, error: errorText(error) });
      return new Map();
    }
  }
}
