/** The file of an import, read before it is sent. */

/** The limit of a body: the service refuses larger ones. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The part of `File` that is needed, so that a test can pass an object. */
type ListFile = Pick<File, "name" | "size" | "text">;

/** The text of a JSON file. @throws {Error} for people: too large, unreadable, no JSON. */
export async function readListFile(file: ListFile): Promise<string> {
  if (file.size > MAX_BYTES) {
    throw new Error(
      `“${file.name}” is larger than ${MAX_BYTES / 1024 / 1024} MiB. A stream list is smaller.`,
    );
  }
  if (file.size === 0) throw new Error(`“${file.name}” is empty.`);
  let text: string;
  try {
    text = await file.text();
  } catch {
    throw new Error(`“${file.name}” cannot be read. Choose it again.`);
  }
  try {
    JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new Error(`“${file.name}” is not a JSON file: ${(error as Error).message}`);
  }
  return text;
}
