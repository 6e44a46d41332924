/** Where the pieces of channels' past are: on this machine, and on other nodes that had a stream. */
import type { StreamId } from "../model/id.ts";

/** What is beside a piece's pictures. */
export interface PieceText {
  text: string;
  /** Bytes of the file with its pictures. */
  bytes: number;
}

/** The pieces of one machine. A piece is named as its files are, without what follows the dot. */
export interface Pieces {
  /** All pieces of a stream. @throws {Error} */
  names(id: StreamId, signal?: AbortSignal): Promise<string[]>;
  /** The texts of pieces, by name; those that are gone are left out. @throws {Error} */
  texts(id: StreamId, names: readonly string[], signal?: AbortSignal): Promise<Map<string, PieceText>>;
  /** Bytes of the file with a piece's pictures. @throws {Error} when it is gone. */
  video(
    id: StreamId,
    name: string,
    from: number,
    to: number,
    signal?: AbortSignal,
  ): AsyncIterable<Uint8Array<ArrayBuffer>>;
}

/** From when on a node had a stream's channel on the air, until the next one had it. */
export interface Stay {
  node: string;
  isHere: boolean;
  /** Unix ms, by the cluster's clock. */
  since: number;
}

/** The past of streams that were on other nodes. */
export interface PastElsewhere {
  /** Which nodes had a stream, the oldest first; empty where no other node is known to have had it. */
  stays(id: StreamId): Stay[];
  /** Another node's pieces; null: the node is not heard, or cannot be asked. */
  pieces(node: string): Pieces | null;
}

/** That of a machine which is alone. */
export const NOTHING_ELSEWHERE: PastElsewhere = { stays: () => [], pieces: () => null };
