/** The settings for the programs of a running stream, in a file that only the web app (and root) can read. */
import { join } from "node:path";
import type { StreamId } from "../../../model/id.ts";
import { storedStream, type Stream } from "../../../model/schema.ts";
import { actAs, type Identity } from "../../../machine/os/exec.ts";
import { readOrNull, writeFileAtomic } from "../../../machine/os/files.ts";
import { openRegular, shortText } from "../../../machine/os/regular_file.ts";

/** The settings that a running stream's programs were started with. */
export interface StreamSpec {
  stream: Stream;
  /** X display number; unique among the running streams. */
  display: number;
  /** Unix time in ms; the encoder starts `delay` seconds after it. */
  startedAt: number;
  /** The least media sequence number that its channel begins with; absent: the time decides. */
  sequence?: number;
}

/** The path of a stream's spec. */
export function specFile(specsDir: string, id: StreamId): string {
  return join(specsDir, `${id}.json`);
}

/** Writes the spec that a stream's programs read when they start. Only its owner may read it: it may have a password. */
export async function writeSpec(specsDir: string, spec: StreamSpec): Promise<void> {
  await writeFileAtomic(specFile(specsDir, spec.stream.id), JSON.stringify(spec), 0o600);
}

/** The spec of a stream that runs, or null. */
export async function readSpec(specsDir: string, id: StreamId): Promise<StreamSpec | null> {
  const text = await readOrNull(specFile(specsDir, id));
  return text === null ? null : parseSpec(text);
}

/** Bytes: many times the longest spec. */
const MAX_BYTES = 1024 * 1024;

/**
 * The text of a started stream's spec, for a process that is still root: it parses the text as the stream's user.
 * @param owner of the file, which is read with the owner's rights. @throws {Error} when the stream was not started.
 */
export function readSpecText(specsDir: string, id: StreamId, owner: Identity): string {
  return actAs(owner, () => {
    using file = openRegular(specFile(specsDir, id));
    const text = file && shortText(file, MAX_BYTES);
    if (text === null) throw new Error(`stream ${id} is not started`);
    return text;
  });
}

/** The spec of a text, checked again. @throws {Error} when the text is no spec. */
export function parseSpec(text: string): StreamSpec {
  const spec = JSON.parse(text) as StreamSpec;
  return { ...spec, stream: storedStream.parse(spec.stream) as Stream };
}

/** The null sink of each stream's audio server. */
export const SINK = "stream";

/** X's socket of a display. */
export function displaySocket(display: number): string {
  return `/tmp/.X11-unix/X${display}`;
}
