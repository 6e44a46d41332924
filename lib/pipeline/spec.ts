/** What the programs of one running stream need to know, handed to them in a file only root (or we) can read. */
import { join } from "node:path";
import { storedStream, type Stream, STREAM_ID } from "../streams/schema.ts";
import { readOrNull, writeFileAtomic } from "../system/files.ts";

export interface Channel {
  stream: Stream;
  /** X display number; unique among the running streams, as is the DevTools port. */
  display: number;
  /** TCP port on 127.0.0.1. */
  devtoolsPort: number;
  /** Unix time in ms; the encoder starts `delay` seconds after it. */
  startedAt: number;
}

export function channelFile(specsDir: string, id: string): string {
  if (!STREAM_ID.test(id)) throw new Error(`"${id}" is no stream id`);
  return join(specsDir, `${id}.json`);
}

export async function writeChannel(specsDir: string, channel: Channel): Promise<void> {
  await writeFileAtomic(channelFile(specsDir, channel.stream.id), JSON.stringify(channel), 0o600);
}

/** The channel of a stream that runs, or null. */
export async function readChannel(specsDir: string, id: string): Promise<Channel | null> {
  const text = await readOrNull(channelFile(specsDir, id));
  if (text === null) return null;
  const channel = JSON.parse(text) as Channel;
  return { ...channel, stream: storedStream.parse(channel.stream) as Stream };
}

/** The channel of a stream that runs. @throws {Error} when it was not started. */
export async function startedChannel(specsDir: string, id: string): Promise<Channel> {
  const channel = await readChannel(specsDir, id);
  if (!channel) throw new Error(`stream ${id} is not started`);
  return channel;
}

/** The name of a stream's null sink at the audio server. */
export function sinkName(id: string): string {
  return `stream-${id}`;
}

/** X's socket of a display. */
export function displaySocket(display: number): string {
  return `/tmp/.X11-unix/X${display}`;
}
