/** What may be put on a display's clipboard. Pure, also for the page. */

/**
 * Bytes of a text that a display takes. Xvnc passes a longer one over without a word, and the page that waits for the text
 * then hangs. 200,000 characters of any script are fewer.
 */
export const MAX_PASTE_BYTES = 1024 * 1024;

/** The bytes that a text is sent as: line ends of two characters, and a zero at its end. Source: the RFB protocol. */
function sentBytes(text: string): number {
  return new TextEncoder().encode(text.replace(/\r\n|\r|\n/g, "\r\n")).length + 1;
}

/** Why a text cannot be pasted on a remote page; "": it can. */
export function pasteProblem(text: string): string {
  const bytes = sentBytes(text);
  if (bytes <= MAX_PASTE_BYTES) return "";
  const size = Math.ceil(bytes / MAX_PASTE_BYTES * 100) / 100;
  return `This text takes ${size} MiB, and 1 MiB can be pasted at once. Paste it in parts.`;
}
