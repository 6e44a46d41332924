/** The question for a display's sign of life. */
import type { Question } from "../../../machine/tools/probe.ts";
import { displaySocket } from "./spec.ts";

/**
 * A connection set-up without a key: the X server's main loop refuses it, which is an answer. Every user may ask.
 * Source: X Window System Protocol, section 8 "Connection Setup".
 */
export function displayQuestion(display: number): Question {
  const LITTLE_ENDIAN = 0x6c, MAJOR = 11;
  return {
    address: { transport: "unix", path: displaySocket(display) },
    bytes: Uint8Array.of(LITTLE_ENDIAN, 0, MAJOR, 0, 0, 0, 0, 0, 0, 0, 0, 0),
  };
}
