/** The file of an import, read before it is sent. */

import { decoded } from "../../lib/model/entered/file_text.ts";

/** The limit of a body: the service refuses larger ones. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The part of `File` that is needed, so that a test can pass an object. */
type ListFile = Pick<File, "name" | "size" | "arrayBuffer">;

/** The text of a JSON file. @throws {Error} for people: too large, unreadable, in another encoding, no JSON. */
export async function readListFile(file: ListFile): Promise<string> {
  if (file.size > MAX_BYTES) {
    throw new Error(
      `“${file.name}” is larger than ${MAX_BYTES / 1024 / 1024} MiB. A stream list is smaller.`,
    );
  }
  if (file.size === 0) throw new Error(`“${file.name}” is empty.`);
  let bytes: ArrayBuffer;
  try {
    bytes = await file.arrayBuffer();
  } catch {
    throw new Error(`“${file.name}” cannot be read. Choose it again.`);
  }
  const { text } = decoded(new Uint8Array(bytes), `“${file.name}”`);
  try {
    JSON.parse(text);
  } catch (error) {
    throw new Error(`“${file.name}” is not a JSON file: ${(error as Error).message}`);
  }
  return text;
}
