/** The usual sizes of a picture by name, and the ways to write a size. Pure, and light enough for browsers. */

/** Width x height of each usual size. */
export const PICTURE_SIZES: Readonly<Record<string, string>> = {
  "720p": "1280x720",
  "1080p": "1920x1080",
  "1440p": "2560x1440",
  "4K": "3840x2160",
  "Portrait": "1080x1920",
};

/** The other names of a usual size, in small letters. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  "2160p": "4K",
  "uhd": "4K",
  "hd": "720p",
  "full hd": "1080p",
};

/** A size as it is stored: "1920 × 1080", "1080p" and "4k" become width x height. Other texts stay. */
export function storedSize(text: string): string {
  const typed = text.trim().toLowerCase();
  const numbers = /^(\d{2,5})\s*[x×*]\s*(\d{2,5})$/.exec(typed);
  if (numbers) return `${numbers[1]}x${numbers[2]}`;
  const name = OTHER_NAMES[typed] ?? typed;
  return Object.entries(PICTURE_SIZES).find(([usual]) => usual.toLowerCase() === name.toLowerCase())?.[1] ??
    text;
}
