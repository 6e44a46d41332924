/**
 * The requests of the web app to `up`, which has more rights: `up` makes and removes files of other users.
 * A request is one line of words on a unix socket; the line can hold only ids and numbers. A page's stored data follows its
 * line. The answer is one line, and the bytes of a thumbnail or a list; then the connection ends.
 */
import { isStreamId, type StreamId } from "../../model/id.ts";
import { MAX_STORED_BYTES } from "../../browser/profile_archive.ts";
import { MAX_PICTURE_RATE, PICTURE_KINDS, type PictureKind } from "../../display/screen_grabs.ts";
import type { Repair } from "./repairs.ts";

export interface Broker {
  /**
   * Makes the files that a stream's programs need, and keeps the files of a running stream. Returns whether the
   * supervisor has to read the stream's new file. @throws {Error} when a part fails.
   */
  prepare(id: StreamId, needs: Needs): Promise<boolean>;
  /** Removes everything that the programs of a stopped stream have left. */
  release(id: StreamId): Promise<void>;
  /** Empties a stopped stream's profile, and writes the stream's file for the supervisor anew. */
  reset(id: StreamId): Promise<void>;
  /** Removes a stopped stream's file for the supervisor, which then forgets the programs. */
  disown(id: StreamId): Promise<void>;
  /** Removes all that is left of a stream whose programs the supervisor has forgotten. */
  remove(id: StreamId): Promise<void>;
  /** Bytes of the stream's profile and of its programs' temporary files; 0: there is no profile. @throws {Error} */
  measure(id: StreamId): Promise<number>;
  /**
   * The stored data of the stream's page, for a browser elsewhere; empty: there is no profile. @throws {Error} also when it
   * is too much.
   */
  pack(id: StreamId): Promise<Uint8Array<ArrayBuffer>>;
  /** Replaces the page's stored data of a stopped browser by data that another machine has packed. @throws {Error} */
  unpack(id: StreamId, packed: Uint8Array<ArrayBuffer>): Promise<void>;
  /** A picture of a running stream's display, as ffmpeg writes it: the bytes are unchecked. @throws {Error} */
  capture(
    id: StreamId,
    resolution: string,
    kind: PictureKind,
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * JPEGs of a running stream's display as their unchecked bytes come, until the signal aborts or its display ends.
   * @param fps 1 to 5. @throws {Error}
   */
  watch(
    id: StreamId,
    resolution: string,
    fps: number,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array<ArrayBuffer>>;
  /** Whether the running stream's sound server answers. @throws {Error} when the stream does not run. */
  hasSound(id: StreamId): Promise<boolean>;
  /** Takes a running stream's sound from its channel, and gives it back. @throws {Error} when its sound server does not. */
  mute(id: StreamId): Promise<void>;
  unmute(id: StreamId): Promise<void>;
  /** The repairs of `up` after the repair with this number. */
  repairs(after: number): Promise<Repair[]>;
}

export interface Needs {
  display: number;
  /** The size of the display, such as "1280x720". */
  resolution: string;
  memoryLimitMb: number;
}

export type Request =
  | { do: "release" | "reset" | "disown" | "remove" | "measure" | "pack"; id: StreamId }
  | { do: "hasSound" | "mute" | "unmute"; id: StreamId }
  | { do: "unpack"; id: StreamId; size: number }
  | { do: "prepare"; id: StreamId; needs: Needs }
  | { do: "capture"; id: StreamId; resolution: string; kind: PictureKind }
  | { do: "watch"; id: StreamId; resolution: string; fps: number }
  | { do: "repairs"; after: number };

const SIZE = /^\d{2,5}x\d{2,5}$/;

/** Bytes of a request at most; the longest has less than 100. */
export const MAX_REQUEST_BYTES = 128;

/** Bytes of an answer's line at most. */
export const MAX_LINE_BYTES = 1024;

export function requestLine(request: Request): string {
  if (request.do === "repairs") return `repairs ${request.after}\n`;
  const words = request.do === "prepare"
    ? [request.needs.display, request.needs.resolution, request.needs.memoryLimitMb]
    : request.do === "capture"
    ? [request.resolution, request.kind]
    : request.do === "watch"
    ? [request.resolution, request.fps]
    : request.do === "unpack"
    ? [request.size]
    : [];
  return `${[request.do, request.id, ...words].join(" ")}\n`;
}

/** The request of a line without its line feed; null: the line is no request. */
export function parseRequest(line: string): Request | null {
  const [action, id = "", ...rest] = line.split(" ");
  if (action === "repairs") {
    return rest.length === 0 && /^\d{1,15}$/.test(id) ? { do: action, after: Number(id) } : null;
  }
  if (!isStreamId(id)) return null;
  switch (action) {
    case "release":
    case "reset":
    case "disown":
    case "remove":
    case "measure":
    case "pack":
    case "hasSound":
    case "mute":
    case "unmute":
      return rest.length === 0 ? { do: action, id } : null;
    case "unpack": {
      const isRight = rest.length === 1 && /^\d{1,9}$/.test(rest[0]) && Number(rest[0]) <= MAX_STORED_BYTES;
      return isRight ? { do: action, id, size: Number(rest[0]) } : null;
    }
    case "capture": {
      const [resolution, word] = rest;
      const kind = PICTURE_KINDS.find((one) => one === word);
      const isRight = rest.length === 2 && SIZE.test(resolution) && kind !== undefined;
      return isRight ? { do: action, id, resolution, kind } : null;
    }
    case "watch": {
      const [resolution, fps] = rest;
      const isRight = rest.length === 2 && SIZE.test(resolution) && /^\d$/.test(fps) &&
        Number(fps) >= 1 && Number(fps) <= MAX_PICTURE_RATE;
      return isRight ? { do: action, id, resolution, fps: Number(fps) } : null;
    }
    case "prepare": {
      const [display, resolution, memoryLimitMb] = rest;
      const isRight = rest.length === 3 && [display, memoryLimitMb].every((word) => /^\d{1,7}$/.test(word)) &&
        SIZE.test(resolution);
      if (!isRight) return null;
      const needs = { display: Number(display), resolution, memoryLimitMb: Number(memoryLimitMb) };
      return { do: action, id, needs };
    }
    default:
      return null;
  }
}
