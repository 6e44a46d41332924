/**
 * A cover over a display: a window above all others, without focus and without input, with a picture that was taken of
 * the display before, or one that is given. The page below goes on, and notices nothing. The window and its pictures are
 * gone with the connection, so whatever happens to who made it, no cover stays.
 */
import { XConnection } from "./connection.ts";
import { XFIXES } from "./extensions.ts";
import { MAX_REQUEST, pair, request } from "./messages.ts";

/** Requests, by their numbers in the protocol. */
const X = {
  createWindow: 1,
  changeWindowAttributes: 2,
  getWindowAttributes: 3,
  mapWindow: 8,
  unmapWindow: 10,
  configureWindow: 12,
  getGeometry: 14,
  queryTree: 15,
  createPixmap: 53,
  freePixmap: 54,
  createGC: 55,
  clearArea: 61,
  copyArea: 62,
  putImage: 72,
};

const VISIBILITY_NOTIFY = 15;
const DESTROY_NOTIFY = 17;
const UNMAP_NOTIFY = 18;

/** Windows that are looked at for the page's: a display has some ten. */
const MAX_WINDOWS = 50;

/** A picture of a display's size: four bytes a pixel, blue, green, red and one that does not count. */
export type Pixels = Uint8Array;

/** A picture that the display's server keeps: as large as the display, 4 bytes a pixel, for as long as we are connected. */
export type Kept = number;

/** What can be done with a cover. */
export interface ScreenCover extends Disposable {
  readonly isOpen: boolean;
  readonly isShown: boolean;
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
  #window = 0;
  #copy = 0;
  #isShown = false;
  /** The page's window, as it was when a picture was kept last; 0 if none was found. */
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

  get isShown(): boolean {
    return this.isOpen && this.#isShown;
  }

  get size(): { width: number; height: number } {
    const { width, height } = this.#x.screen;
    return { width, height };
  }

  /** Has the server keep what the display shows now. @throws {Error} when it does not answer. */
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
    const rows = Math.floor((MAX_REQUEST - HEAD) / (width * 4));
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
    const BACK_PIXMAP = 1;
    this.#x.send(
      request(X.changeWindowAttributes, 0, [this.#window, BACK_PIXMAP, picture]),
      this.#raise(),
      request(X.mapWindow, 0, [this.#window]),
      // a window that is shown already has its old picture until then
      request(X.clearArea, 0, [this.#window, 0, 0]),
    );
    this.#isShown = true;
    await this.#x.done();
  }

  /** Takes the cover away. @throws {Error} when the display does not answer. */
  async hide(): Promise<void> {
    this.#isShown = false;
    this.#x.send(request(X.unmapWindow, 0, [this.#window]));
    await this.#x.done();
  }

  [Symbol.dispose](): void {
    this.#x[Symbol.dispose]();
  }

  async #prepare(): Promise<void> {
    const x = this.#x;
    const { width, height, root } = x.screen;
    this.#window = x.newId();
    this.#copy = x.newId();
    const region = x.newId();
    const { opcode } = await x.extension(XFIXES.name);
    await x.answer(XFIXES.queryVersion(opcode));
    const [INPUT_OUTPUT, COPY_FROM_PARENT] = [1, 0];
    const [OVERRIDE_REDIRECT, EVENT_MASK] = [1 << 9, 1 << 11];
    const VISIBILITY_CHANGE = 1 << 16;
    const INPUT = 2;
    const [SUBWINDOW_MODE, GRAPHICS_EXPOSURES] = [1 << 15, 1 << 16];
    const INCLUDE_INFERIORS = 1;
    const SUBSTRUCTURE_NOTIFY = 1 << 19;
    x.send(
      request(X.changeWindowAttributes, 0, [root, EVENT_MASK, SUBSTRUCTURE_NOTIFY]),
      request(X.createWindow, 0, [
        ...[this.#window, root, pair(0, 0), pair(width, height), pair(0, INPUT_OUTPUT), COPY_FROM_PARENT],
        // no window manager's
        ...[OVERRIDE_REDIRECT | EVENT_MASK, 1, VISIBILITY_CHANGE],
      ]),
      // an empty region takes no input: whoever is here by VNC goes on in the page
      XFIXES.createRegion(opcode, region),
      XFIXES.setWindowShapeRegion(opcode, this.#window, INPUT, region),
      request(X.createGC, 0, [
        ...[this.#copy, root, SUBWINDOW_MODE | GRAPHICS_EXPOSURES, INCLUDE_INFERIORS, 0],
      ]),
    );
    x.onevent = (code, event) => this.#hear(code, event);
    await x.done();
  }

  #hear(code: number, event: DataView): void {
    const [FIRST, SECOND, STATE, UNOBSCURED] = [4, 8, 8, 0];
    if (code === VISIBILITY_NOTIFY && event.getUint32(FIRST, true) === this.#window) {
      // a page's pop-up came above it
      if (this.#isShown && event.getUint8(STATE) !== UNOBSCURED) this.#x.send(this.#raise());
    } else if (code === UNMAP_NOTIFY || code === DESTROY_NOTIFY) {
      if (this.#page === 0 || event.getUint32(SECOND, true) !== this.#page) return;
      this.#page = 0;
      this.onbare();
    }
  }

  /** The uppermost window, but for ours, that fills the display; 0 if there is none. */
  async #pageWindow(): Promise<number> {
    const { root, width, height } = this.#x.screen;
    const tree = await this.#x.answer(request(X.queryTree, 0, [root]));
    const [COUNT, FIRST, MAP_STATE, VIEWABLE] = [16, 32, 26, 2];
    const count = Math.min(tree.getUint16(COUNT, true), (tree.byteLength - FIRST) / 4);
    const windows = Array.from({ length: count }, (_, at) => tree.getUint32(FIRST + at * 4, true));
    for (const window of windows.toReversed().slice(0, MAX_WINDOWS)) {
      if (window === this.#window) continue;
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

  #raise(): Uint8Array {
    const [STACK_MODE, ABOVE] = [1 << 6, 0];
    return request(X.configureWindow, 0, [this.#window, STACK_MODE, ABOVE]);
  }

  #newPicture(): Kept {
    const { width, height, root, depth } = this.#x.screen;
    const picture = this.#x.newId();
    this.#x.send(request(X.createPixmap, depth, [picture, root, pair(width, height)]));
    return picture;
  }
}
