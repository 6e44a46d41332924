/** The built program with another text in one place, for what cannot be had by settings. */
import { join } from "node:path";

/** Puts one text in the place of another in a built program. @returns how many files had it. @throws {Error} when none had. */
export async function changeBundle(built: string, from: string, to: string): Promise<number> {
  let files = 0;
  for (const { name } of [...Deno.readDirSync(built)].filter(({ name }) => name.endsWith(".js"))) {
    const text = await Deno.readTextFile(join(built, name));
    if (!text.includes(from)) continue;
    files++;
    await Deno.writeTextFile(join(built, name), text.replaceAll(from, to));
  }
  if (files === 0) throw new Error(`the program has no ${from}`);
  return files;
}
