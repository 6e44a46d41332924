/** A person at a stream's display: keys and the pointer by RFB, straight to Xvnc's socket. Source: RFC 6143. */
import { pause } from "./within.ts";

/** X11 keysyms. */
export const KEY = {
  enter: 0xff0d,
  escape: 0xff1b,
  backspace: 0xff08,
  end: 0xff57,
  control: 0xffe3,
  shift: 0xffe1,
  alt: 0xffe9,
  super: 0xffeb,
  f4: 0xffc1,
  f5: 0xffc2,
  f7: 0xffc4,
  f12: 0xffc9,
};

export class DisplayHand implements Disposable {
  #connection: Deno.Conn;

  private constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  static async connect(path: string): Promise<DisplayHand> {
    const connection = await Deno.connect({ transport: "unix", path });
    const read = async (count: number) => {
      const bytes = new Uint8Array(count);
      for (let at = 0; at < count;) at += await connection.read(bytes.subarray(at)) ?? count;
      return bytes;
    };
    await read(12);
    await connection.write(new TextEncoder().encode("RFB 003.008\n"));
    const [types] = await read(1);
    await read(types);
    await connection.write(Uint8Array.of(1)); // no password
    await read(4);
    await connection.write(Uint8Array.of(1)); // shared
    const init = new DataView((await read(24)).buffer);
    await read(init.getUint32(20));
    return new DisplayHand(connection);
  }

  async #key(key: number, isDown: boolean): Promise<void> {
    const message = new DataView(new ArrayBuffer(8));
    message.setUint8(0, 4);
    message.setUint8(1, Number(isDown));
    message.setUint32(4, key);
    await this.#connection.write(new Uint8Array(message.buffer));
  }

  /** Keys pressed together, such as Control and l. */
  async press(...keys: (number | string)[]): Promise<void> {
    const codes = keys.map((key) => typeof key === "number" ? key : key.charCodeAt(0));
    for (const code of codes) await this.#key(code, true);
    for (const code of codes.reverse()) await this.#key(code, false);
    await pause(60);
  }

  async type(text: string): Promise<void> {
    for (const key of text) await this.press(key);
  }

  /** Moves the pointer, with `buttons` down (bit 0 is the left one). */
  async point(x: number, y: number, buttons = 0): Promise<void> {
    const message = new DataView(new ArrayBuffer(6));
    message.setUint8(0, 5);
    message.setUint8(1, buttons);
    message.setUint16(2, x);
    message.setUint16(4, y);
    await this.#connection.write(new Uint8Array(message.buffer));
    await pause(60);
  }

  async click(x: number, y: number, button = 1): Promise<void> {
    await this.point(x, y);
    await this.point(x, y, button);
    await this.point(x, y);
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}
