/** The form's two choices for the picture, size and smoothness, and the numbers that each of them sets. Pure. */
import { PICTURE_SIZES, storedSize } from "../../../lib/model/picture_size.ts";
import type { StreamFields } from "../../../lib/model/schema.ts";

/** The numbers of each smoothness at 1280x720. */
export type Smoothness = Record<string, Partial<StreamFields>>;

/** The choice where the numbers are a person's own. */
export const OTHER = "Other";

export const SIZE_NAMES = [...Object.keys(PICTURE_SIZES), OTHER];

/** The bit rate of a size, as a multiple of 1280x720's: a larger picture needs fewer bits for each pixel. */
const RATES: Readonly<Record<string, number>> = { "1080p": 2, "Portrait": 2, "1440p": 3, "4K": 6 };

/** The chosen size of a form's values. */
export function sizeOf(valueOf: (field: string) => unknown): string {
  const [resolution, scale] = ["resolution", "scale"].map((field) => storedSize(String(valueOf(field))));
  const usual = Object.entries(PICTURE_SIZES).find(([, size]) => size === resolution && size === scale);
  return usual?.[0] ?? OTHER;
}

/** The chosen smoothness of a form's values: the one with exactly these numbers. */
export function smoothnessOf(all: Smoothness, valueOf: (field: string) => unknown): string {
  const size = sizeOf(valueOf);
  const isSame = ([field, value]: [string, unknown]) => String(valueOf(field)) === String(value);
  return Object.keys(all).find((name) => Object.entries(numbersOf(all, name, size)).every(isSame)) ?? OTHER;
}

/** The values that a size and a smoothness set; `OTHER` sets none of its own. */
export function numbersOf(all: Smoothness, smoothness: string, size: string): Partial<StreamFields> {
  const pixels = PICTURE_SIZES[size];
  const numbers = all[smoothness] ?? {};
  const { bitrate, bufsize } = numbers;
  return {
    ...(pixels === undefined ? {} : { resolution: pixels, scale: pixels }),
    ...numbers,
    ...(bitrate === undefined ? {} : { bitrate: times(bitrate, size) }),
    ...(bufsize === undefined ? {} : { bufsize: times(bufsize, size) }),
  };
}

const times = (rate: string, size: string) =>
  `${parseInt(rate) * (RATES[size] ?? 1)}${rate.replace(/^\d+/, "")}`;
