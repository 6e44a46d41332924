/** The built program with another text in one place, for what cannot be had by settings. */
import { join } from "node:path";
import { run } from "../../lib/os/process.ts";
import { root } from "./fixture.ts";
import { SOURCE_PROGRAM } from "./service.ts";

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

/** A changed copy in a folder, for all users. @returns its command line. */
export async function changedProgram(folder: string, from: string, to: string): Promise<string[]> {
  const built = join(folder, "_fresh");
  const runs = [["cp", "-r", join(root, "_fresh"), built], ["chmod", "-R", "a+rX", folder]];
  for (const argv of runs) {
    const { code, stderr } = await run(argv, { timeoutMs: 20_000 });
    if (code !== 0) throw new Error(stderr);
  }
  await changeBundle(built, from, to);
  return [...SOURCE_PROGRAM.slice(0, -1), join(built, "browser-stream.js")];
}
