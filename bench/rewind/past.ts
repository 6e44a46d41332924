/** A page's past as it was: pictures, and the seconds at which they came. */
import type { Size } from "../../lib/display/capture/picture.ts";

export const SIZE: Size = { width: 1280, height: 720 };
export const LUMA_BYTES = SIZE.width * SIZE.height;
/** I420: a quarter of the pixels have two bytes of colour. */
export const PICTURE_BYTES = LUMA_BYTES * 3 / 2;

/** A key frame comes after so many seconds at most, also on a page that stands still; and after so many pictures. */
export const KEY_SECONDS = 600;
export const KEY_PICTURES = 240;
export const MINUTE = 60; // seconds

/** A picture at a second: `number` counts the pictures of the file from 0. */
export interface Shown {
  second: number;
  number: number;
}

export interface Past {
  /** A file of raw pictures in I420, each of which differs from the one before. */
  path: string;
  /** When each of them came. */
  changes: Shown[];
  /** How long it is. */
  seconds: number;
}

/** What a recorder takes: each change, and the last picture once more when there was none for a key frame's time. */
export function taken({ changes, seconds }: Past): Shown[] {
  return changes.flatMap((shown, at) => {
    const end = changes[at + 1]?.second ?? seconds;
    const times = Math.ceil((end - shown.second) / KEY_SECONDS);
    return Array.from({ length: times }, (_, time) => ({
      ...shown,
      second: shown.second + time * KEY_SECONDS,
    }));
  });
}

/** What is on the screen in each second. */
export function everySecond({ changes, seconds }: Past): Shown[] {
  return changes.flatMap((shown, at) => {
    const end = changes[at + 1]?.second ?? seconds;
    return Array.from({ length: end - shown.second }, (_, later) => ({
      ...shown,
      second: shown.second + later,
    }));
  });
}
