/** Presses keys on a display, as a person at it does. Sources: X Protocol, section 9; X Test Extension Protocol, version 2.2. */
import type { XConnection } from "./connection.ts";
import { XTEST } from "./extensions.ts";
import { request } from "./messages.ts";

/** The keysyms of keys. */
export const [ESCAPE, CONTROL, ZERO] = [0xff1b, 0xffe3, 0x30];

/** The first number of a key. */
const FIRST_KEY = 8;
const KEYS = 248;

/** Presses keys, each while those before it are held, and lets them go. @throws {Error} when the keyboard lacks one, or the display does not answer. */
export async function pressKey(x: XConnection, ...keysyms: number[]): Promise<void> {
  const GET_KEYBOARD_MAPPING = 101;
  const { opcode } = await x.extension(XTEST.name);
  const mapping = await x.answer(request(GET_KEYBOARD_MAPPING, 0, [FIRST_KEY | KEYS << 8]));
  const keys = keysyms.map((keysym) => keyOf(mapping, keysym));
  x.send(
    ...keys.map((key) => XTEST.press(opcode, key)),
    ...keys.toReversed().map((key) => XTEST.letGo(opcode, key)),
  );
  await x.done();
}

/** The number of the key with a symbol, without Shift. @throws {Error} */
function keyOf(mapping: DataView, keysym: number): number {
  const HEAD = 32;
  const perKey = mapping.getUint8(1);
  for (let key = 0; perKey > 0 && key < KEYS && HEAD + key * perKey * 4 + 4 <= mapping.byteLength; key++) {
    if (mapping.getUint32(HEAD + key * perKey * 4, true) === keysym) return FIRST_KEY + key;
  }
  throw new Error("the keyboard has no such key");
}
