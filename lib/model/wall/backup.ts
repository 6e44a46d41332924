/** The walls of an exported list, and their import. Pure. */
import { badInput } from "../../errors.ts";
import type { WallsImported } from "../answers/shapes.ts";
import { isDeepStrictEqual } from "node:util";
import { refuseImport } from "../backup.ts";
import { fieldProblems } from "../schema.ts";
import { importedWall, MAX_WALLS, type Wall } from "./wall.ts";

export interface WallImport {
  summary: WallsImported;
  /** All walls after the import; the very same list if nothing changes. */
  walls: readonly Wall[];
}

/**
 * The changes that an import makes to the walls. A wall with an id of the file gets the file's layout; the others stay.
 * @param content the file's JSON. A file without a list "walls" changes nothing.
 * @param hasStream whether there is a stream after the import. @throws {ServiceError} 400 with every wall's problems.
 */
export function planWallImport(
  content: unknown,
  walls: readonly Wall[],
  hasStream: (id: string) => boolean,
): WallImport {
  const summary: WallsImported = { added: [], changed: [], unchanged: [] };
  const records = recordsOf(content);
  const result = new Map(walls.map((wall) => [wall.id, wall]));
  for (const wall of readWalls(records)) {
    const { id, name } = wall;
    const missing = [...new Set(wall.slots.flatMap(({ stream }) => stream ?? []))]
      .filter((stream) => !hasStream(stream));
    const told = { id, name, ...(missing.length > 0 ? { missing } : {}) };
    const old = result.get(id);
    const next: Wall = { ...old, ...wall, revision: old?.revision ?? 0 };
    const fields = Object.keys(next).filter((field) => !isDeepStrictEqual(next[field], old?.[field]));
    if (!old) summary.added.push(told);
    else if (fields.length === 0) summary.unchanged.push(id);
    else summary.changed.push({ ...told, fields });
    if (!old) result.set(id, next);
    else if (fields.length > 0) result.set(id, { ...next, revision: old.revision + 1 });
  }
  if (summary.added.length + summary.changed.length === 0) return { summary, walls };
  if (result.size > MAX_WALLS) {
    throw badInput({ "": `Nothing was imported: there would be more than ${MAX_WALLS} walls.` });
  }
  return { summary, walls: [...result.values()] };
}

/** A file whose keys are the ids of streams may have a stream of that id. */
function recordsOf(content: unknown): unknown[] {
  const { walls } = (content ?? {}) as { walls?: unknown };
  return Array.isArray(walls) ? walls : [];
}

/** @throws {ServiceError} 400 with every wall's problems, as `{"wall 2 (Lobby): rows": "…"}`. */
function readWalls(records: unknown[]): Wall[] {
  const problems: Record<string, string> = {};
  const seen = new Set<string>();
  const walls: Wall[] = [];
  for (const [index, record] of records.entries()) {
    const { name } = (record ?? {}) as { name?: unknown };
    const label = `wall ${index + 1}${typeof name === "string" ? ` (${name.slice(0, 60)})` : ""}`;
    const result = importedWall(record);
    if (!result.success) {
      for (const [field, problem] of Object.entries(fieldProblems(result.error))) {
        problems[field ? `${label}: ${field}` : label] = problem;
      }
    } else if (seen.has(result.data.id)) {
      problems[`${label}: id`] = `The id "${result.data.id}" occurs twice in this list.`;
    } else {
      seen.add(result.data.id);
      walls.push(result.data);
    }
  }
  refuseImport(problems);
  return walls;
}
