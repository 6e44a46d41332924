/**
 * A VNC proxy with noVNC's files, and behind it a display with tests/fixtures/remote.html on it, as far as a viewer can
 * tell: RFB 3.8 (RFC 6143), a plain picture, a field and a button, and a clipboard of Latin-1.
 */
import { join } from "node:path";
import { KEY } from "./rfb_keys.ts";
import { AFTER_CLICK, BEFORE_CLICK, type Remote } from "./vnc_page.ts";

/** Debian's noVNC. */
const NOVNC = "/usr/share/novnc";
const SIZE = [1280, 720] as const;
const RRE = 2;

/** The places on the page, as [left, top, right, bottom]. */
const FIELD = [100, 100, 900, 180];
const BUTTON = [100, 240, 900, 320];

/** Keysyms of characters that are not of Latin-1. */
const UNICODE = 0x01000000;

/** While one of these is down, a key writes nothing. */
const MODIFIERS: number[] = [KEY.control, KEY.alt, KEY.super];

/** Of the client's messages, with their type: bytes, where they are always as many. */
const LENGTHS: Record<number, number> = { 0: 20, 3: 10, 4: 8, 5: 6 };

export interface FakeRfb extends AsyncDisposable, Remote {
  port: number;
  /** Tokens of those who came, in their order. */
  tokens: string[];
  /** What the viewers told this display to do: keys and buttons, not the mere movement. */
  readonly inputs: number;
  /** The keys that were pressed since the page was opened anew. */
  readonly keysyms: readonly number[];
  /** Ends all connections, as the end of the display does. */
  drop(): void;
  /** The page as it is when it has been opened anew. */
  reload(): void;
}

export function fakeRfb(): FakeRfb {
  const connections = new Set<Connection>();
  const tokens: string[] = [];
  const page = new FakePage((text) => connections.forEach((one) => one.tellCopied(text)));
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    if (request.headers.get("upgrade") !== "websocket") return clientFile(new URL(request.url).pathname);
    tokens.push(new URL(request.url).hostname);
    const { socket, response } = Deno.upgradeWebSocket(request);
    const connection = new Connection(socket, page, () => connections.forEach((one) => one.draw()));
    connections.add(connection);
    socket.onclose = () => connections.delete(connection);
    return response;
  });
  return {
    port: server.addr.port,
    tokens,
    get inputs() {
      return page.inputs;
    },
    get keysyms() {
      return page.keysyms;
    },
    drop: () => connections.forEach(({ socket }) => socket.close()),
    reload: () => {
      page.reload();
      connections.forEach((one) => one.draw());
    },
    seen: () => Promise.resolve({ text: page.text, clicks: page.clicks }),
    hasFocus: () => Promise.resolve(page.hasFocus),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function clientFile(path: string): Response {
  if (!/^\/(core|vendor)\/[a-z0-9_/-]+\.js$/i.test(path)) return new Response(null, { status: 404 });
  return new Response(Deno.readTextFileSync(join(NOVNC, path)), {
    headers: { "content-type": "text/javascript" },
  });
}

/** What is on the display. */
class FakePage {
  text = "";
  clicks = 0;
  hasFocus = false;
  inputs = 0;
  keysyms: number[] = [];
  clipboard = "";
  #isSelected = false;
  #held = new Set<number>();
  /** What undoing and redoing bring back. */
  #earlier: string[] = [];
  #later: string[] = [];
  #buttons = 0;
  readonly #onCopy: (text: string) => void;

  constructor(onCopy: (text: string) => void) {
    this.#onCopy = onCopy;
  }

  reload(): void {
    Object.assign(this, { text: "", clicks: 0, hasFocus: false });
    this.#isSelected = false;
    this.#earlier = [];
    this.#later = [];
  }

  get colour(): number[] {
    return this.clicks % 2 === 1 ? AFTER_CLICK : BEFORE_CLICK;
  }

  key(keysym: number, isDown: boolean): void {
    this.inputs++;
    if (isDown) this.keysyms.push(keysym);
    if (MODIFIERS.includes(keysym)) this.#held[isDown ? "add" : "delete"](keysym);
    else if (isDown && this.hasFocus) this.#type(keysym);
  }

  #type(keysym: number): void {
    const isKey = (keysym >= 0xfe00 && keysym < 0x10000) || keysym > UNICODE + 0x10ffff;
    const character = isKey ? "" : String.fromCodePoint(keysym >= UNICODE ? keysym - UNICODE : keysym);
    if (this.#held.size > 0) {
      // with another one beside it, as Ctrl+Alt+V, it is no shortcut of a field
      if (this.#held.size === 1 && this.#held.has(KEY.control)) this.#shortcut(character);
    } else if (keysym === KEY.backspace) {
      this.#write(this.#isSelected ? "" : withoutLast(this.text));
    } else if (keysym === KEY.end) this.#isSelected = false;
    else if (!isKey) this.#write((this.#isSelected ? "" : this.text) + character);
  }

  #shortcut(character: string): void {
    if (character === "a") this.#isSelected = true;
    else if (character === "c") this.#onCopy(this.text);
    else if (character === "x") {
      this.#onCopy(this.text);
      this.#write("");
    } else if (character === "v") this.#write((this.#isSelected ? "" : this.text) + this.clipboard);
    else if (character === "z") this.#turn(this.#earlier, this.#later);
    else if (character === "Z") this.#turn(this.#later, this.#earlier);
  }

  #write(text: string): void {
    this.#earlier.push(this.text);
    this.#later = [];
    this.text = text;
    this.#isSelected = false;
  }

  #turn(from: string[], to: string[]): void {
    const text = from.pop();
    if (text === undefined) return;
    to.push(this.text);
    this.text = text;
  }

  pointer(buttons: number, x: number, y: number): void {
    const isPress = (buttons & ~this.#buttons & 1) === 1;
    if (buttons !== this.#buttons) this.inputs++;
    this.#buttons = buttons;
    if (!isPress) return;
    const isIn = ([left, top, right, bottom]: number[]) => x >= left && x < right && y >= top && y < bottom;
    this.hasFocus = isIn(FIELD);
    if (this.hasFocus) this.#isSelected = false;
    if (isIn(BUTTON)) this.clicks++;
  }
}

/** A viewer. */
class Connection {
  readonly socket: WebSocket;
  readonly #page: FakePage;
  readonly #drawAll: () => void;
  #received = new Uint8Array();
  /** What is expected: the three answers of the handshake, then messages. */
  #step: "version" | "security" | "init" | "messages" = "version";
  /** Whether it asked for a picture and was not given one since. */
  #isWaiting = false;
  #shown = "";

  constructor(socket: WebSocket, page: FakePage, drawAll: () => void) {
    this.socket = socket;
    this.#page = page;
    this.#drawAll = drawAll;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#send(new TextEncoder().encode("RFB 003.008\n"));
    socket.onmessage = ({ data }) => {
      this.#received = new Uint8Array([...this.#received, ...new Uint8Array(data)]);
      while (this.#takeOne());
    };
  }

  #send(...parts: (number[] | Uint8Array)[]): void {
    const bytes = Uint8Array.from(parts.flatMap((part) => [...part]));
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(bytes);
  }

  #take(count: number): DataView | null {
    if (this.#received.length < count) return null;
    const taken = this.#received.slice(0, count);
    this.#received = this.#received.slice(count);
    return new DataView(taken.buffer);
  }

  /** Whether there was something whole to take. */
  #takeOne(): boolean {
    if (this.#step === "messages") return this.#takeMessage();
    if (this.#take(this.#step === "version" ? 12 : 1) === null) return false;
    if (this.#step === "version") {
      this.#send([1, 1]); // one type of security: None
      this.#step = "security";
    } else if (this.#step === "security") {
      this.#send(u32(0));
      this.#step = "init";
    } else {
      const format = [32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0];
      const name = new TextEncoder().encode("Remote");
      this.#send(u16(SIZE[0]), u16(SIZE[1]), format, u32(name.length), name);
      this.#step = "messages";
    }
    return true;
  }

  #takeMessage(): boolean {
    const view = new DataView(this.#received.buffer);
    const [type] = this.#received;
    if (type === undefined) return false;
    if (type === 2) return view.byteLength >= 4 && this.#take(4 + 4 * view.getUint16(2)) !== null;
    if (type === 6) return this.#takeCutText(view);
    const length = LENGTHS[type];
    if (length === undefined) throw new Error(`no message of a client: ${type}`);
    const message = this.#take(length);
    if (message === null) return false;
    if (type === 3) {
      if (message.getUint8(1) === 0) this.#shown = "";
      this.#isWaiting = true;
      this.draw();
    } else if (type === 4) this.#page.key(message.getUint32(4), message.getUint8(1) === 1);
    else if (type === 5) this.#page.pointer(message.getUint8(1), message.getUint16(2), message.getUint16(4));
    this.#drawAll();
    return true;
  }

  #takeCutText(view: DataView): boolean {
    if (view.byteLength < 8) return false;
    const message = this.#take(8 + view.getUint32(4));
    if (message === null) return false;
    this.#page.clipboard = new TextDecoder("latin1").decode(new Uint8Array(message.buffer, 8));
    return true;
  }

  /** Sends the picture, if it is waited for and has changed. */
  draw(): void {
    const colour = this.#page.colour;
    if (!this.#isWaiting || this.#shown === String(colour)) return;
    this.#isWaiting = false;
    this.#shown = String(colour);
    const rectangle = [u16(0), u16(0), u16(SIZE[0]), u16(SIZE[1]), u32(RRE)];
    this.#send([0, 0], u16(1), ...rectangle, u32(0), [...colour, 0]);
  }

  /** Tells what was copied on the display. */
  tellCopied(text: string): void {
    const bytes = [...text].map((character) => character.charCodeAt(0));
    this.#send([3, 0, 0, 0], u32(bytes.length), bytes);
  }
}

/** As Chromium erases emoji: whole ones. */
function withoutLast(text: string): string {
  return [...new Intl.Segmenter().segment(text)].slice(0, -1).map(({ segment }) => segment).join("");
}

function u16(value: number): number[] {
  return [value >> 8, value & 255];
}

function u32(value: number): number[] {
  return [...u16(value >>> 16), ...u16(value & 0xffff)];
}
