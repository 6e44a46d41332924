/**
 * A wall: a layout of rows and columns whose slots show streams. This schema is the source of its types, defaults and
 * messages; the store, the API and the pages use it. Pure.
 */
import * as z from "zod";
import { badInput, ServiceError } from "../../errors.ts";
import { sizeProblem } from "../change.ts";
import { enteredLine, type LineRule, storedLine } from "../entered/line.ts";
import { freeId, slug, STREAM_ID, type StreamId } from "../id.ts";
import { fieldProblems } from "../schema.ts";
import { cellsOf, MAX_SIDE, RUNNING_WALL, type WallGrid } from "./layout.ts";

export const MAX_WALLS = 100;

/** Names that addresses below /api/walls/ may have some day. */
const RESERVED = [RUNNING_WALL, "new"];

/** 36 slots with six values each, and the fields of other tools. */
const MAX_VALUES = 400;

function whole(label: string) {
  const message = `${label} must be a whole number from 1 to ${MAX_SIDE}.`;
  return z.number({ error: message }).int(message).min(1, message).max(MAX_SIDE, message);
}

const nameProblem = 'A name is needed, such as "Control room".';
const NAME: LineRule = { label: "A name", most: 60, problem: nameProblem };

const streamProblem = 'A slot\'s stream is an id such as "news", or null for none.';

const slot = z.looseObject({
  row: whole("A slot's row"),
  column: whole("A slot's column"),
  rowSpan: whole("A slot's rowSpan").default(1),
  columnSpan: whole("A slot's columnSpan").default(1),
  stream: z.string({ error: streamProblem }).regex(STREAM_ID, streamProblem)
    .transform((id) => id as StreamId).nullable().default(null),
}, { error: 'A slot is an object such as {"row": 1, "column": 2, "stream": "news"}.' });

const slotsProblem = 'slots is a list such as [{"row": 1, "column": 1, "stream": "news"}].';

const fields = {
  name: enteredLine(NAME),
  rows: whole("The number of rows").default(2),
  columns: whole("The number of columns").default(2),
  /** Whether each slot says the name of its stream. */
  showNames: z.boolean({ error: "showNames must be true or false." }).default(true),
  slots: z.array(slot, { error: slotsProblem })
    .max(MAX_SIDE * MAX_SIDE, `A wall has at most ${MAX_SIDE * MAX_SIDE} slots.`).default([]),
};

const bodyProblem =
  'The body must be a JSON object such as {"name": "Control room", "rows": 2, "columns": 3}.';

function checkSlots(wall: WallGrid, context: z.RefinementCtx): void {
  const message = slotProblem(wall);
  if (message) context.addIssue({ code: "custom", path: ["slots"], message });
}

/** The body of POST /api/walls, its slots unchecked. `loose`: fields of other tools and newer versions survive. */
export const newWallBody = z.looseObject(fields, { error: bodyProblem });

const newWall = newWallBody.superRefine(checkSlots);

const wallOf = (name: ReturnType<typeof enteredLine>) =>
  z.looseObject({
    ...fields,
    name,
    id: z.string().regex(STREAM_ID, 'An id has 1 to 63 of a-z, 0-9 and "-".'),
    /** Counts the changes, so that two people editing one wall notice each other. */
    revision: z.number().int().min(0).default(0),
  }).superRefine(checkSlots);

/** A whole wall as it is entered, with its id and revision. */
const enteredWall = wallOf(enteredLine(NAME));

/** A record of the file. */
export const storedWall = wallOf(storedLine(NAME));

export type Wall = z.output<typeof storedWall>;

/** A wall of a file that is imported: as it would be stored, no larger than a body may be, and at no reserved address. */
export const importedWall = (record: unknown) =>
  z.unknown().superRefine((given, context) => {
    const problem = sizeProblem(given, MAX_VALUES);
    if (problem) context.addIssue({ code: "custom", message: `This is ${problem}.` });
  }).pipe(enteredWall).refine(({ id }) => !RESERVED.includes(id), {
    path: ["id"],
    message: "This id is an address of the service.",
  }).safeParse(record);

type Json = Record<string, unknown>;

/** The problem of the slots' places; null: they are valid. */
function slotProblem({ rows, columns, slots }: WallGrid): string | null {
  const taken = new Set<number>();
  for (const slot of slots) {
    const where = `The slot in row ${slot.row}, column ${slot.column}`;
    if (slot.row + slot.rowSpan - 1 > rows || slot.column + slot.columnSpan - 1 > columns) {
      return `${where} is not inside of ${rows} rows and ${columns} columns.`;
    }
    for (const cell of cellsOf(slot, columns)) {
      if (taken.has(cell)) return `${where} lies over another slot.`;
      taken.add(cell);
    }
  }
  return null;
}

/** @throws {ServiceError} 400 when the body is no JSON object, or too deep or large. */
function asObject(body: unknown): Json {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw badInput({ "": bodyProblem });
  const problem = sizeProblem(body, MAX_VALUES);
  if (problem) throw badInput({ "": `The body is ${problem}.` });
  return body as Json;
}

/**
 * The wall of a POST body; its id is made of its name.
 * @throws {ServiceError} 400 with the problem of each field; 409 when there are too many.
 */
export function wallFromBody(body: unknown, walls: readonly Wall[]): Wall {
  const { id: _id, revision: _revision, ...given } = asObject(body);
  const result = newWall.safeParse(given);
  if (!result.success) throw badInput(fieldProblems(result.error));
  if (walls.length >= MAX_WALLS) {
    throw new ServiceError(409, `There are ${MAX_WALLS} walls. Delete one first.`);
  }
  const taken = new Set([...RESERVED, ...walls.map((wall) => wall.id)]);
  return { ...result.data, id: freeId(slug(result.data.name), taken), revision: 0 };
}

/**
 * The wall after a PATCH (`keep`: absent fields stay) or a PUT (absent fields get their default).
 * @throws {ServiceError} 400 with the problem of each field; 409 with the wall that is stored when the body was made of
 * another revision.
 */
export function changedWall(wall: Wall, body: unknown, keep: boolean): Wall {
  const { id, revision, ...given } = asObject(body);
  if (revision !== undefined && revision !== wall.revision) {
    if (!Number.isSafeInteger(revision)) {
      throw badInput({ revision: "The revision must be the number that came with the wall, such as 3." });
    }
    const what =
      `"${wall.name}" was changed meanwhile. Load it again to see what is stored, then change that.`;
    throw new ServiceError(409, what, undefined, { extra: { current: wall } });
  }
  if (id !== undefined && id !== wall.id) {
    throw badInput({ id: "A wall's id cannot be changed: addresses of its viewers contain it." });
  }
  const result = newWall.safeParse(keep ? { ...wall, ...given } : given);
  if (!result.success) throw badInput(fieldProblems(result.error));
  return { ...result.data, id: wall.id, revision: wall.revision + 1 };
}
