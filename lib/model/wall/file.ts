/** The text of walls.json: read strictly, written with everything that was in it. Pure. */
import { listOfFile } from "../../machine/tools/list_file.ts";
import { storedWall, type Wall } from "./wall.ts";

export interface WallFile {
  walls: readonly Wall[];
  /** The other entries of the file's object. */
  wrapper: Record<string, unknown>;
}

/** The file cannot be used; the message says where and why. */
export class WallFileError extends Error {
  override name = "WallFileError";
}

/** @param path for the message. @throws {WallFileError} */
export function parseWallFile(text: string, path: string): WallFile {
  const fail = (problem: string) =>
    new WallFileError(
      `The walls in ${path} cannot be read: ${problem}.\n` +
        "Correct the file, or remove it to begin without walls.",
    );
  const { list, wrapper } = listOfFile(text, "walls", fail);
  const walls = list.map((record, at) => {
    const result = storedWall.safeParse(record);
    if (result.success) return result.data;
    const { path, message } = result.error.issues[0];
    throw fail(`entry ${at + 1}, field "${String(path[0] ?? "")}": ${message}`);
  });
  if (new Set(walls.map(({ id }) => id)).size < walls.length) throw fail("two walls have one id");
  return { walls, wrapper };
}

/** The text that `parseWallFile` reads back. */
export function formatWallFile({ walls, wrapper }: WallFile): string {
  return JSON.stringify({ ...wrapper, walls }, null, 2) + "\n";
}
