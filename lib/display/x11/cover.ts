/**
 * A cover over a display: a window without focus and without input, with a picture that was taken of the display before,
 * or with a given picture. It is in the server's overlay window, above all other windows: a browser that raises its own
 * window would be seen for a frame. The page below goes on, and notices nothing. The window and its pictures are gone with
 * the connection, so whatever happens to the web app, no cover stays.
 */
import { XConnection } from "./connection.ts";
import { COMPOSITE, XFIXES } from "./extensions.ts";
import { MAX_REQUEST_BYTES, pair, request } from "./messages.ts";

/** Requests, by their numbers in the protocol. */
const X = {
  createWindow: 1,
  changeWindowAttributes: 2,
  getWindowAttributes: 3,
  destroyWindow: 4,
  mapWindow: 8,
  getGeometry: 14,
  queryTree: 15,
  createPixmap: 53,
  freePixmap: 54,
  createGC: 55,
  clearArea: 61,
  copyArea: 62,
  putImage: 72,
};

/** The bit of a window's background among its attributes. */
const BACK_PIXMAP = 1;

const DESTROY_NOTIFY = 17;
const UNMAP_NOTIFY = 18;

/** Windows that are searched for the page's window: a display has some ten. */
const MAX_WINDOWS = 50;

/** A picture of a display's size: four bytes a pixel: blue, green, red and an unused byte. */
export type Pixels = Uint8Array;

/** A picture that the display's server keeps: as large as the display, 4 bytes a pixel, for as long as we are connected. */
export type Kept = number;

/** The functions of a cover. */
export interface ScreenCover extends Disposable {
  readonly isOpen: boolean;
  readonly size: { width: number; height: number };
  onbare: () => void;
  keep(): Promise<Kept>;
  load(pixels: Pixels): Promise<Kept>;
  forget(picture: Kept): void;
  show(picture: Kept): Promise<void>;
  hide(): Promise<void>;
}

export class Cover implements ScreenCover {
  #x: XConnection;
  #opcodes = { composite: 0, fixes: 0 };
  /** Our window, and the overlay window around it; 0: nothing is shown. */
  #window = 0;
  #overlay = 0;
  #copy = 0;
  #noInput = 0;
  /** The page's window when a picture was last kept; 0: no window was found. */
  #page = 0;
  /** Called when the page's window is gone: the browser has ended, and the bare display would be seen. */
  onbare: () => void = () => {};

  private constructor(x: XConnection) {
    this.#x = x;
  }

  /** @throws {Error} when the display does not answer, or cannot be covered. */
  static async open(socket: string, cookie: Uint8Array): Promise<Cover> {
    const cover = new Cover(await XConnection.open(socket, cookie));
    try {
      await cover.#prepare();
      return cover;
    } catch (error) {
      cover[Symbol.dispose]();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#x.isOpen;
  }

  get size(): { width: number; height: number } {
    const { width, height } = this.#x.screen;
    return { width, height };
  }

  /** Has the server keep the display's present picture. @throws {Error} when it does not answer. */
  async keep(): Promise<Kept> {
    const { width, height, root } = this.#x.screen;
    const picture = this.#newPicture();
    this.#x.send(request(X.copyArea, 0, [root, picture, this.#copy, 0, 0, pair(width, height)]));
    await this.#x.done();
    this.#page = await this.#pageWindow();
    return picture;
  }

  /** Gives the server a picture to keep. @throws {Error} when it does not answer. */
  async load(pixels: Pixels): Promise<Kept> {
    const { width, height, depth } = this.#x.screen;
    const picture = this.#newPicture();
    const HEAD = 24;
    const rows = Math.floor((MAX_REQUEST_BYTES - HEAD) / (width * 4));
    const Z_PIXMAP = 2;
    for (let top = 0; top < height; top += rows) {
      const count = Math.min(rows, height - top);
      const part = pixels.subarray(top * width * 4, (top + count) * width * 4);
      const place = [pair(width, count), pair(0, top), pair(depth << 8, 0)];
      this.#x.send(request(X.putImage, Z_PIXMAP, [picture, this.#copy, ...place], part));
    }
    await this.#x.done();
    return picture;
  }

  /** Lets the server forget a picture. */
  forget(picture: Kept): void {
    this.#x.send(request(X.freePixmap, 0, [picture]));
  }

  /** Covers the display with a picture, from one frame to the next. @throws {Error} when the display does not answer. */
  async show(picture: Kept): Promise<void> {
    if (this.#window === 0) {
      await this.#keepBackgrounds();
      await this.#makeWindow();
    }
    this.#x.send(
      request(X.changeWindowAttributes, 0, [this.#window, BACK_PIXMAP, picture]),
      request(X.mapWindow, 0, [this.#window]),
      // a shown window has its old picture until this request
      request(X.clearArea, 0, [this.#window, 0, 0]),
    );
    await this.#x.done();
  }

  /** Takes the cover away. @throws {Error} when the display does not answer. */
  async hide(): Promise<void> {
    if (this.#window === 0) return;
    this.#x.send(
      request(X.destroyWindow, 0, [this.#window]),
      COMPOSITE.releaseOverlayWindow(this.#opcodes.composite, this.#x.screen.root),
    );
    this.#window = this.#overlay = 0;
    await this.#x.done();
  }

  [Symbol.dispose](): void {
    this.#x[Symbol.dispose]();
  }

  async #prepare(): Promise<void> {
    const x = this.#x;
    const { root } = x.screen;
    const [composite, fixes] = [await x.extension(COMPOSITE.name), await x.extension(XFIXES.name)];
    this.#opcodes = { composite: composite.opcode, fixes: fixes.opcode };
    await x.answer(COMPOSITE.queryVersion(composite.opcode));
    await x.answer(XFIXES.queryVersion(fixes.opcode));
    [this.#copy, this.#noInput] = [x.newId(), x.newId()];
    const EVENT_MASK = 1 << 11;
    const SUBSTRUCTURE_NOTIFY = 1 << 19;
    const [SUBWINDOW_MODE, GRAPHICS_EXPOSURES] = [1 << 15, 1 << 16];
    const INCLUDE_INFERIORS = 1;
    x.send(
      request(X.changeWindowAttributes, 0, [root, EVENT_MASK, SUBSTRUCTURE_NOTIFY]),
      XFIXES.createRegion(fixes.opcode, this.#noInput),
      request(X.createGC, 0, [
        ...[this.#copy, root, SUBWINDOW_MODE | GRAPHICS_EXPOSURES, INCLUDE_INFERIORS, 0],
      ]),
    );
    x.onevent = (code, event) => this.#hear(code, event);
    await x.done();
  }

  /** Makes our window. The overlay window has no background: the page is visible until our window is mapped in it. */
  async #makeWindow(): Promise<void> {
    const x = this.#x;
    const { width, height, root } = x.screen;
    const { composite, fixes } = this.#opcodes;
    this.#overlay = COMPOSITE.overlayWindow(await x.answer(COMPOSITE.getOverlayWindow(composite, root)));
    this.#window = x.newId();
    const [INPUT_OUTPUT, COPY_FROM_PARENT] = [1, 0];
    const OVERRIDE_REDIRECT = 1 << 9;
    const INPUT = 2;
    x.send(
      // an empty region takes no input: a person here by VNC goes on in the page
      XFIXES.setWindowShapeRegion(fixes, this.#overlay, INPUT, this.#noInput),
      request(X.createWindow, 0, [
        ...[this.#window, this.#overlay, pair(0, 0), pair(width, height), pair(0, INPUT_OUTPUT)],
        // the window manager leaves this window alone
        ...[COPY_FROM_PARENT, OVERRIDE_REDIRECT, 1],
      ]),
    );
  }

  #hear(code: number, event: DataView): void {
    const SECOND = 8;
    if (code !== UNMAP_NOTIFY && code !== DESTROY_NOTIFY) return;
    if (this.#page === 0 || event.getUint32(SECOND, true) !== this.#page) return;
    this.#page = 0;
    this.onbare();
  }

  /**
   * Takes the windows' backgrounds away: the server would paint them where a cover was, which viewers see as a white
   * flash until the browser has painted. Without a background the cover's picture stays until then.
   */
  async #keepBackgrounds(): Promise<void> {
    const NONE = 0;
    const windows = await this.#windowsIn(this.#x.screen.root);
    for (const window of windows) {
      if (windows.length > MAX_WINDOWS) break;
      windows.push(...await this.#windowsIn(window));
    }
    for (const window of windows) {
      this.#x.send(request(X.changeWindowAttributes, 0, [window, BACK_PIXMAP, NONE]));
      await this.#x.done().catch(() => {}); // the window may be gone
    }
  }

  /** The windows in a window, the lowest first; empty: the window is gone. */
  async #windowsIn(window: number): Promise<number[]> {
    const [COUNT, FIRST] = [16, 32];
    const tree = await this.#x.answer(request(X.queryTree, 0, [window])).catch(() => null);
    if (!tree) return [];
    const count = Math.min(tree.getUint16(COUNT, true), (tree.byteLength - FIRST) / 4);
    return Array.from({ length: count }, (_, at) => tree.getUint32(FIRST + at * 4, true));
  }

  /** The uppermost window, except for our own, that fills the display; 0: there is no such window. */
  async #pageWindow(): Promise<number> {
    const { root, width, height } = this.#x.screen;
    const [MAP_STATE, VIEWABLE] = [26, 2];
    const windows = await this.#windowsIn(root);
    for (const window of windows.toReversed().slice(0, MAX_WINDOWS)) {
      if (window === this.#overlay) continue;
      const attributes = await this.#x.answer(request(X.getWindowAttributes, 0, [window])).catch(() => null);
      if (attributes?.getUint8(MAP_STATE) !== VIEWABLE) continue;
      const place = await this.#x.answer(request(X.getGeometry, 0, [window])).catch(() => null);
      // without a window manager Chromium leaves out a line at two edges
      if (place && place.getUint16(16, true) >= width - 2 && place.getUint16(18, true) >= height - 2) {
        return window;
      }
    }
    return 0;
  }

  #newPicture(): Kept {
    const { width, height, root, depth } = this.#x.screen;
    const picture = this.#x.newId();
    this.#x.send(request(X.createPixmap, depth, [picture, root, pair(width, height)]));
    return picture;
  }
}
