/** What the programs of one running stream need to know, handed to them in a file only root (or we) can read. */
import { join } from "node:path";
import type { StreamId } from "../streams/id.ts";
import { storedStream, type Stream } from "../streams/schema.ts";
import { readOrNull, writeFileAtomic } from "../system/files.ts";

/** The settings that a running stream's programs were started with. */
export interface StreamSpec {
  stream: Stream;
  /** X display number; unique among the running streams. */
  display: number;
  /** Unix time in ms; the encoder starts `delay` seconds after it. */
  startedAt: number;
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
  if (text === null) return null;
  const spec = JSON.parse(text) as StreamSpec;
  return { ...spec, stream: storedStream.parse(spec.stream) as Stream };
}

/** The spec of a stream that runs. @throws {Error} when it was not started. */
export async function readStartedSpec(specsDir: string, id: StreamId): Promise<StreamSpec> {
  const spec = await readSpec(specsDir, id);
  if (!spec) throw new Error(`stream ${id} is not started`);
  return spec;
}

/** The name of a stream's null sink at the audio server. */
export function sinkName(id: StreamId): string {
  return `stream-${id}`;
}

/** X's socket of a display. */
export function displaySocket(display: number): string {
  return `/tmp/.X11-unix/X${display}`;
}
