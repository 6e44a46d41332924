/** Plays one channel of the media server by RTMP, through its unix socket. */
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { closeAnyway } from "../../machine/tools/close.ts";
import { withTimeout } from "../../machine/tools/time.ts";
import { writeAll } from "../../machine/tools/write_all.ts";
import { ChunkReader, MESSAGE, messageChunks, type RtmpMessage } from "./rtmp_chunks.ts";

const VERSION = 3;
const HANDSHAKE_BYTES = 1536;
const READ_BYTES = 64 * 1024;
/** Milliseconds for the handshake, and for the next bytes: the media server asks for a sign of life every 10 s. */
const HANDSHAKE_MS = 3000;
const SILENT_MS = 15_000;

/** Kinds of user control. */
const [PING, PONG] = [6, 7];

/** The channel at the media server. */
export interface RtmpChannel {
  application: string;
  name: string;
}

/**
 * The audio and video messages of a channel, as many at a time as came together. It ends with the encoder's connection to
 * the media server.
 * @param socket the media server's unix socket for RTMP.
 * @throws {Error} when the media server does not answer, or has no such channel.
 */
export async function* playChannel(
  socket: string,
  { application, name }: RtmpChannel,
  signal: AbortSignal,
): AsyncGenerator<RtmpMessage[]> {
  const conn = await Deno.connect({ transport: "unix", path: socket });
  const end = () => closeAnyway(conn);
  signal.addEventListener("abort", end);
  try {
    if (signal.aborted) return;
    await withTimeout(HANDSHAKE_MS, shakeHands(conn));
    await writeAll(conn, playCommands(application, name));
    const reader = new ChunkReader();
    const buffer = new Uint8Array(READ_BYTES);
    for (;;) {
      const count = await withTimeout(SILENT_MS, conn.read(buffer));
      if (count === null) return;
      const messages = reader.push(buffer.subarray(0, count));
      for (const message of messages) await answerControl(conn, message);
      const media = messages.filter(({ type }) => type === MESSAGE.audio || type === MESSAGE.video);
      if (media.length > 0) yield media;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

/** The simple handshake: the answer to it is not compared. */
async function shakeHands(conn: Deno.Conn): Promise<void> {
  const hello = new Uint8Array(1 + HANDSHAKE_BYTES);
  hello[0] = VERSION;
  hello.set(randomBytes(HANDSHAKE_BYTES - 8), 9);
  await writeAll(conn, hello);
  const answer = new Uint8Array(1 + 2 * HANDSHAKE_BYTES);
  for (let at = 0; at < answer.length;) {
    const count = await conn.read(answer.subarray(at));
    if (count === null) throw new Error("the media server has ended the connection");
    at += count;
  }
  if (answer[0] !== VERSION) throw new Error("this is not RTMP");
  await writeAll(conn, answer.subarray(1, 1 + HANDSHAKE_BYTES));
}

async function answerControl(conn: Deno.Conn, { type, payload }: RtmpMessage): Promise<void> {
  if (type === MESSAGE.command && Buffer.from(payload).indexOf("_error") === 3) {
    throw new Error("the media server refuses to play");
  }
  const isPing = type === MESSAGE.userControl && payload.length === 6 && payload[0] === 0 &&
    payload[1] === PING;
  if (!isPing) return;
  const pong = payload.slice();
  pong[1] = PONG;
  await writeAll(conn, messageChunks(2, MESSAGE.userControl, 0, pong));
}

// AMF 0: https://rtmp.veriskope.com/pdf/amf0-file-format-specification.pdf
const [NUMBER, STRING, OBJECT, NULL] = [0, 2, 3, 5];
const OBJECT_END = Uint8Array.of(0, 0, 9);

function bareText(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return Uint8Array.of(bytes.length >> 8, bytes.length & 0xff, ...bytes);
}

const amfText = (text: string) => Uint8Array.of(STRING, ...bareText(text));

function amfNumber(value: number): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(9));
  bytes.setUint8(0, NUMBER);
  bytes.setFloat64(1, value);
  return new Uint8Array(bytes.buffer);
}

/** All commands at once: the media server's first message stream has the number 1. */
function playCommands(application: string, name: string): Uint8Array<ArrayBuffer> {
  const LIVE = -1000;
  const nothing = Uint8Array.of(NULL);
  const connection = [
    ...[Uint8Array.of(OBJECT), bareText("app"), amfText(application)],
    ...[bareText("tcUrl"), amfText(`rtmp://localhost/${application}`), OBJECT_END],
  ];
  const command = (stream: number, parts: Uint8Array[]) =>
    messageChunks(3, MESSAGE.command, stream, Buffer.concat(parts));
  return new Uint8Array(Buffer.concat([
    command(0, [amfText("connect"), amfNumber(1), ...connection]),
    command(0, [amfText("createStream"), amfNumber(2), nothing]),
    command(1, [amfText("play"), amfNumber(0), nothing, amfText(name), amfNumber(LIVE)]),
  ]));
}
