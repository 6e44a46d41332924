/** Presses keys on a display, as a person at it does. Sources: X Protocol, section 9; X Test Extension Protocol, version 2.2. */
import type { XConnection } from "./connection.ts";
import { XTEST } from "./extensions.ts";
import { request } from "./messages.ts";

/** The keysym of the Escape key. */
export const ESCAPE = 0xff1b;

/** The first number of a key. */
const FIRST_KEY = 8;
const KEYS = 248;

/** Presses a key and lets it go. @throws {Error} when the keyboard lacks it, or the display does not answer. */
export async function pressKey(x: XConnection, keysym: number): Promise<void> {
  const GET_KEYBOARD_MAPPING = 101;
  const { opcode } = await x.extension(XTEST.name);
  const mapping = await x.answer(request(GET_KEYBOARD_MAPPING, 0, [FIRST_KEY | KEYS << 8]));
  const perKey = mapping.getUint8(1);
  const HEAD = 32;
  for (let key = 0; perKey > 0 && key < KEYS && HEAD + key * perKey * 4 + 4 <= mapping.byteLength; key++) {
    // the symbol without Shift
    if (mapping.getUint32(HEAD + key * perKey * 4, true) !== keysym) continue;
    x.send(XTEST.press(opcode, FIRST_KEY + key), XTEST.letGo(opcode, FIRST_KEY + key));
    return await x.done();
  }
  throw new Error("the keyboard has no such key");
}
