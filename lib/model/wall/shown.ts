/** The part of a wall that each role sees, and the part that an export has. Pure. */
import { isAtLeast, type Role } from "../../role.ts";
import { hiddenFields } from "../schema.ts";
import type { Wall } from "./wall.ts";

/** The wall as a role sees it. Other tools' fields, which may be anything, are for people who may edit the wall. */
export function shownWall(wall: Wall, role: Role): Wall {
  if (isAtLeast(role, "operator")) return wall;
  const { id, name, rows, columns, showNames, revision } = wall;
  const slots = wall.slots.map(({ row, column, rowSpan, columnSpan, stream }) => (
    { row, column, rowSpan, columnSpan, stream }
  ));
  return { id, name, rows, columns, showNames, slots, revision };
}

/** The wall without the fields of other tools that sound like secrets. An import keeps the stored ones. */
export function exportedWall(wall: Wall): Wall {
  const hidden = Object.keys(hiddenFields(wall));
  return Object.fromEntries(Object.entries(wall).filter(([field]) => !hidden.includes(field))) as Wall;
}
