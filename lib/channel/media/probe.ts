/** How the media server is asked for a sign of life. */
import type { Question } from "../../machine/tools/probe.ts";

/** Bytes of the first part of an RTMP handshake: a version, and time and random bytes. Source: RTMP 1.0, section 5.2. */
const HANDSHAKE_BYTES = 1 + 1536;
const VERSION = 3;

/** The beginning of an RTMP handshake, which the server answers with its own. */
export function rtmpQuestion(port: number): Question {
  const bytes = new Uint8Array(HANDSHAKE_BYTES);
  bytes[0] = VERSION;
  return { address: { hostname: "127.0.0.1", port }, bytes };
}
