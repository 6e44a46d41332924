/** A tiny real VNC viewer over a WebSocket: enough of RFB 3.8 to see, type and click. Source: RFC 6143. */
import { strict as assert } from "node:assert";
import { until } from "./same.ts";

/** X11 keysyms of keys without a character. */
export const KEYS = { enter: 0xff0d, tab: 0xff09, escape: 0xff1b };

/** What pictures may come as. Source: RFC 6143, section 7.7. */
export const ENCODINGS = { raw: 0, zrle: 16 };
export type Encoding = keyof typeof ENCODINGS;

/** A viewer without it is sent away when a display is given its refresh rate. */
const DESKTOP_SIZE = -223;

const VERSION = new TextEncoder().encode("RFB 003.008\n");

export interface Framebuffer {
  width: number;
  height: number;
  /** Four bytes a pixel: blue, green, red, unused. */
  pixels: Uint8Array;
}

export class RfbViewer implements AsyncDisposable {
  readonly socket: WebSocket;
  readonly framebuffer: Framebuffer = { width: 0, height: 0, pixels: new Uint8Array() };
  name = "";
  /** Bytes that came so far. */
  received = 0;
  #closed: Promise<CloseEvent>;
  #close: CloseEvent | null = null;
  #chunks: Uint8Array[] = [];
  #has = 0;
  #hasEnded = false;
  #wake = () => {};
  #encoding: Encoding;

  private constructor(socket: WebSocket, encoding: Encoding) {
    this.#encoding = encoding;
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      this.#chunks.push(new Uint8Array(data));
      this.#has += data.byteLength;
      this.received += data.byteLength;
      this.#wake();
    };
    socket.onerror = (event) => event.preventDefault();
    this.#closed = new Promise((done) => {
      socket.onclose = (event) => {
        this.#hasEnded = true;
        this.#close = event;
        this.#wake();
        done(event);
      };
    });
  }

  /**
   * Shakes hands over a WebSocket that is being opened. @param encoding of the pictures; only raw ones are drawn.
   * @throws {Error} when it ends meanwhile.
   */
  static async connect(socket: WebSocket, encoding: Encoding = "raw"): Promise<RfbViewer> {
    const viewer = new RfbViewer(socket, encoding);
    await viewer.#shakeHands();
    return viewer;
  }

  /** Bytes in the order they came. */
  async #take(count: number): Promise<Uint8Array> {
    while (this.#has < count) {
      if (this.#hasEnded) throw new Error("the connection ended");
      await new Promise<void>((done) => this.#wake = done);
    }
    const taken = new Uint8Array(count);
    for (let at = 0; at < count;) {
      const [first] = this.#chunks;
      const part = first.subarray(0, count - at);
      taken.set(part, at);
      at += part.length;
      if (part.length === first.length) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(part.length);
    }
    this.#has -= count;
    return taken;
  }

  #send(bytes: Uint8Array<ArrayBuffer>): void {
    this.socket.send(bytes);
  }

  async #shakeHands(): Promise<void> {
    assert.deepEqual(await this.#take(12), VERSION);
    this.#send(VERSION);
    const [types] = await this.#take(1);
    assert.ok((await this.#take(types)).includes(1), "security type None is not offered");
    this.#send(new Uint8Array([1]));
    assert.deepEqual(await this.#take(4), new Uint8Array(4), "not let in");
    this.#send(new Uint8Array([1])); // shared: nobody else is thrown out
    const init = new DataView((await this.#take(24)).buffer);
    this.#resize(init.getUint16(0), init.getUint16(2));
    this.name = new TextDecoder().decode(await this.#take(init.getUint32(20)));
    // SetPixelFormat: 32 bits, depth 24, little endian, true colour, red from bit 16
    this.#send(
      new Uint8Array([0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0]),
    );
    const encodings = new DataView(new ArrayBuffer(12)); // SetEncodings
    encodings.setUint8(0, 2);
    encodings.setUint16(2, 2);
    encodings.setInt32(4, ENCODINGS[this.#encoding]);
    encodings.setInt32(8, DESKTOP_SIZE);
    this.#send(new Uint8Array(encodings.buffer));
  }

  #resize(width: number, height: number): void {
    if (width === this.framebuffer.width && height === this.framebuffer.height) return;
    Object.assign(this.framebuffer, { width, height, pixels: new Uint8Array(width * height * 4) });
  }

  /** Asks for an update without waiting for it. @param incremental only what changed. @param size of the corner asked for. */
  request(incremental: boolean, size: { width: number; height: number } = this.framebuffer): void {
    const message = new DataView(new ArrayBuffer(10));
    message.setUint8(0, 3);
    message.setUint8(1, incremental ? 1 : 0);
    message.setUint16(6, size.width);
    message.setUint16(8, size.height);
    this.#send(new Uint8Array(message.buffer));
  }

  /** The next update that was asked for; what else the server tells is skipped. Returns its bytes. */
  async update(): Promise<number> {
    for (;;) {
      const [type] = await this.#take(1);
      if (type === 0) return await this.#readUpdate();
      if (type === 3) {
        const head = new DataView((await this.#take(7)).buffer);
        await this.#take(head.getUint32(3));
      } else assert.equal(type, 2, "an unknown message of the server"); // 2 is the bell
    }
  }

  /** Asks for the whole framebuffer and waits for it. */
  async refresh(): Promise<Framebuffer> {
    this.request(false);
    for (let seen = 0; seen < this.framebuffer.pixels.length;) {
      const bytes = await this.update();
      if (bytes === 0) this.request(false); // a size alone was the answer
      seen += bytes;
    }
    return this.framebuffer;
  }

  async #readUpdate(): Promise<number> {
    const head = new DataView((await this.#take(3)).buffer);
    let size = 0;
    for (let left = head.getUint16(1); left > 0; left--) {
      const rectangle = new DataView((await this.#take(12)).buffer);
      const [x, y, width, height] = [0, 2, 4, 6].map((at) => rectangle.getUint16(at));
      if (rectangle.getInt32(8) === DESKTOP_SIZE) {
        this.#resize(width, height);
        continue;
      }
      assert.equal(rectangle.getInt32(8), ENCODINGS[this.#encoding], "another encoding");
      if (this.#encoding !== "raw") {
        size += (await this.#take(new DataView((await this.#take(4)).buffer).getUint32(0))).length;
        continue;
      }
      const pixels = await this.#take(width * height * 4);
      for (let row = 0; row < height; row++) {
        const from = row * width * 4;
        this.framebuffer.pixels.set(
          pixels.subarray(from, from + width * 4),
          ((y + row) * this.framebuffer.width + x) * 4,
        );
      }
      size += pixels.length;
    }
    return size;
  }

  /** The colour at a point, as 0xrrggbb. */
  colour(x: number, y: number): number {
    const at = (y * this.framebuffer.width + x) * 4;
    const [blue, green, red] = this.framebuffer.pixels.subarray(at, at + 3);
    return red << 16 | green << 8 | blue;
  }

  /** Presses and lets go a key. @param key a character of ASCII or one of KEYS. */
  press(key: string | number): void {
    const keysym = typeof key === "string" ? key.charCodeAt(0) : key;
    for (const down of [1, 0]) {
      const message = new DataView(new ArrayBuffer(8));
      message.setUint8(0, 4);
      message.setUint8(1, down);
      message.setUint32(4, keysym);
      this.#send(new Uint8Array(message.buffer));
    }
  }

  /** Moves the pointer there, then presses and lets go the first button. */
  click(x: number, y: number): void {
    for (const buttons of [0, 1, 0]) {
      this.#send(new Uint8Array([5, buttons, x >> 8, x & 255, y >> 8, y & 255]));
    }
  }

  /** How the other side ended the connection. @throws {Error} when it does not. */
  async untilClosed(): Promise<CloseEvent> {
    await until("the viewer to be sent away", () => this.#close !== null);
    return this.#close!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.socket.readyState < WebSocket.CLOSING) this.socket.close();
    await this.#closed;
  }
}
