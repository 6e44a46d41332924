/** Moves the list from where earlier versions kept it. */
import { dirname } from "node:path";
import { readOrNull, writeFileAtomic } from "../os/files.ts";

/**
 * Takes over `oldPath` when `path` does not exist; the old file is kept as `….migrated`. Says whether it did.
 * A crash in between repeats the same step at the next start.
 */
export async function migrateStreamFile(oldPath: string, path: string): Promise<boolean> {
  const text = await readOrNull(oldPath);
  // root must not look at the new one, which is the web app's, but where there is an old one
  const current = text === null ? null : await readOrNull(path);
  if (text === null || (current !== null && current !== text)) return false;
  await Deno.mkdir(dirname(path), { recursive: true });
  await writeFileAtomic(path, text, 0o600);
  await Deno.rename(oldPath, `${oldPath}.migrated`);
  await Deno.chmod(`${oldPath}.migrated`, 0o600); // passwords are in it
  return true;
}
