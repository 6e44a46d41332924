/**
 * The requests of X's extensions that we use, as bytes; pure. `opcode` is the number that the server gave the extension.
 * Sources: MIT-SHM, The MIT Shared Memory Extension, version 1.2; The DAMAGE Extension, version 1.1; The XFIXES Extension,
 * version 5.0; The Composite Extension, version 0.4; X Test Extension Protocol, version 2.2.
 */
import { pair, request } from "./messages.ts";

/** A rectangle of a display: pixels. */
export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const SHM = {
  name: "MIT-SHM",
  queryVersion: (opcode: number) => request(opcode, 0, []),
  /** Has the server attach the file that is sent along, and call it `segment`: since version 1.2. */
  attachFile: (opcode: number, segment: number) => request(opcode, 6, [segment, 0]),
  /** Has the server copy a part of a window to the segment, row after row. */
  getImage(opcode: number, window: number, area: Rectangle, segment: number, offset: number) {
    const ALL_PLANES = 0xffff_ffff;
    const Z_PIXMAP = 2;
    const { x, y, width, height } = area;
    return request(opcode, 4, [
      ...[window, pair(x, y), pair(width, height), ALL_PLANES, Z_PIXMAP, segment, offset],
    ]);
  },
};

export const DAMAGE = {
  name: "DAMAGE",
  version: [1, 1],
  queryVersion: (opcode: number) => request(opcode, 0, DAMAGE.version),
  /** Has the server note the changes in a window, and send one event until the changes were taken. */
  create(opcode: number, damage: number, window: number) {
    const NON_EMPTY = 3;
    return request(opcode, 1, [damage, window, NON_EMPTY]);
  },
  /** Takes all changes, and puts them into a region. */
  subtract(opcode: number, damage: number, region: number) {
    const ALL = 0;
    return request(opcode, 3, [damage, ALL, region]);
  },
};

export const XFIXES = {
  name: "XFIXES",
  version: [5, 0],
  queryVersion: (opcode: number) => request(opcode, 0, XFIXES.version),
  /** An empty region. */
  createRegion: (opcode: number, region: number) => request(opcode, 5, [region]),
  fetchRegion: (opcode: number, region: number) => request(opcode, 19, [region]),
  setWindowShapeRegion: (opcode: number, window: number, kind: number, region: number) =>
    request(opcode, 21, [window, kind, pair(0, 0), region]),
};

/** The offset of the overlay window's id in the answer to `getOverlayWindow`. */
const OVERLAY_WINDOW = 8;

export const COMPOSITE = {
  name: "Composite",
  version: [0, 4],
  queryVersion: (opcode: number) => request(opcode, 0, COMPOSITE.version),
  /** Has the server map the window above all other windows, as long as a client wants it. */
  getOverlayWindow: (opcode: number, root: number) => request(opcode, 7, [root]),
  overlayWindow: (answer: DataView) => answer.getUint32(OVERLAY_WINDOW, true),
  releaseOverlayWindow: (opcode: number, root: number) => request(opcode, 8, [root]),
};

const fakeInput = (opcode: number, kind: number, detail: number) =>
  request(opcode, 2, [kind | detail << 8, 0, 0, 0, 0, 0, 0, 0]);

export const XTEST = {
  name: "XTEST",
  press: (opcode: number, key: number) => fakeInput(opcode, 2, key),
  letGo: (opcode: number, key: number) => fakeInput(opcode, 3, key),
};

/** The smallest rectangle around a region, from the answer to `fetchRegion`. */
export function regionExtents(answer: DataView): Rectangle {
  return {
    x: answer.getInt16(8, true),
    y: answer.getInt16(10, true),
    width: answer.getUint16(12, true),
    height: answer.getUint16(14, true),
  };
}
