/**
 * The past of streams that were on other nodes: this node asks those for the names, texts and bytes of pieces, and makes all of
 * them that people see. The address is for nodes alone: for everybody else it is not there.
 */
import { PASS_HEADER, type Passes } from "../door/access/pass.ts";
import { errorResponse } from "../door/errors.ts";
import { askUpstream } from "../door/upstream.ts";
import { isStreamId, type StreamId } from "../model/id.ts";
import type { PastElsewhere, Pieces, PieceText, Stay } from "../store/pieces.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { ClusterView, KnownNode } from "./view.ts";

const PIECES = /^\/api\/pieces\/([^/]+)$/;
/** Milliseconds that people wait for a silent node, once: its past is a gap then. */
const LIMITS = { answerMs: 2500, idleMs: 2500 };
/** Bytes of an answer: a piece of moving video has 5 MB, a text 40 kB. */
const MAX_BYTES = 64 * 2 ** 20;

export interface OtherPastsParts {
  view: Pick<ClusterView, "streams" | "here" | "other">;
  passes: Pick<Passes, "make">;
  ask: typeof fetch;
}

export class OtherPasts implements PastElsewhere {
  #parts: OtherPastsParts;

  constructor(parts: OtherPastsParts) {
    this.#parts = parts;
  }

  stays(id: StreamId): Stay[] {
    const { streams, here } = this.#parts.view;
    const known = streams.find(id)?.stays ?? [];
    if (known.every(({ node }) => node === here)) return [];
    return known.filter(({ node }, at) => node !== known[at - 1]?.node)
      .map(({ node, since }) => ({ node, isHere: node === here, since }));
  }

  pieces(node: string): Pieces | null {
    const other = this.#parts.view.other(node);
    if (!other?.canBeAsked) return null;
    const ask = (id: StreamId, query: Record<string, string> | null, signal?: AbortSignal) =>
      this.#ask(other, `/api/pieces/${id}${query ? `?${new URLSearchParams(query)}` : ""}`, signal);
    const told = async (id: StreamId, query: Record<string, string> | null, signal?: AbortSignal) =>
      JSON.parse(new TextDecoder().decode(await ask(id, query, signal)));
    return {
      names: (id, signal) => told(id, null, signal),
      async texts(id, names, signal) {
        // names rise with time, and many of them are too long for an address
        const range = { first: names[0], last: names.at(-1)! };
        const texts: Record<string, PieceText> = await told(id, range, signal);
        return new Map(Object.entries(texts));
      },
      async *video(id, name, from, to, signal) {
        yield await ask(id, { name, from: String(from), to: String(to) }, signal);
      },
    };
  }

  async #ask(
    { name, address }: KnownNode,
    path: string,
    signal?: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { passes, ask } = this.#parts;
    const found = { client: "local", publicUrl: address, addressBase: address };
    // an address that is in no table is an admin's
    const rights = { isFromOwnPage: false, mayReadSecrets: false, role: "admin" as const };
    const headers = new Headers({ [PASS_HEADER]: passes.make(name, "GET", path, { ...found, ...rights }) });
    const abort = new AbortController();
    const leave = () => abort.abort();
    signal?.addEventListener("abort", leave, { once: true });
    try {
      signal?.throwIfAborted();
      const { status, read, cancel } = await askUpstream(address + path, { headers, ask, abort }, LIMITS);
      const parts: Uint8Array<ArrayBuffer>[] = [];
      let size = 0;
      for (let part = await read(); part; part = await read()) {
        parts.push(Uint8Array.from(part));
        size += part.length;
        if (size <= MAX_BYTES) continue;
        cancel();
        throw new Error("its answer is too long");
      }
      if (status !== 200) throw new Error(`it answers ${status}`);
      return await new Blob(parts).bytes();
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }
}

/** The stream whose pieces another node asks for; null: the request is another. */
export function askedPieces(path: string): StreamId | null {
  const id = PIECES.exec(path)?.[1];
  return id !== undefined && isStreamId(id) ? id : null;
}

/** The answer to another node. */
export async function answerPieces(pieces: Pieces, id: StreamId, { url }: Request): Promise<Response> {
  const query = new URL(url).searchParams;
  try {
    const names = (await pieces.names(id)).toSorted();
    const [name, first, last] = ["name", "first", "last"].map((field) => query.get(field));
    if (first !== null && last !== null) {
      const asked = names.filter((one) => first <= one && one <= last);
      return Response.json(Object.fromEntries(await pieces.texts(id, asked)));
    }
    if (name === null) return Response.json(names);
    const [from, to] = ["from", "to"].map((field) => Number(query.get(field)));
    if (!names.includes(name) || !(to - from <= MAX_BYTES)) throw new Error("there is no such piece");
    return new Response(ReadableStream.from(pieces.video(id, name, from, to)));
  } catch (error) {
    log("debug", "a piece was not given to another node", { stream: id, error: errorText(error) });
    return errorResponse(404, "There is no such piece.");
  }
}
