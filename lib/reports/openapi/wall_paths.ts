import {
  AWAY,
  BAD_INPUT,
  created,
  FULL,
  missing,
  ok,
  operationsOf,
  type Paths,
  refusal,
} from "./operation.ts";

const wall = operationsOf("Walls");
const noWall = missing("wall");
const theWall = ok("The wall.", "Wall");
const conflict = refusal(409, "Another change came first. The answer has the present wall.", "WallConflict");
const changed = [theWall, BAD_INPUT, noWall, conflict];

/** The paths of walls: layouts that show several streams on one page. */
export const WALL_PATHS: Paths = {
  "/api/walls": {
    get: wall("listWalls", "All walls", [ok("The walls, the oldest first.", "Walls")]),
    post: wall("createWall", "Make a wall", [created("The wall.", "Wall"), BAD_INPUT, FULL], {
      body: "NewWall",
    }),
  },
  "/api/walls/{id}": {
    get: wall("getWall", "One wall", [theWall, noWall]),
    put: wall("replaceWall", "Change a wall. Absent fields get their default", changed, { body: "NewWall" }),
    patch: wall("changeWall", "Change a wall. Absent fields stay", changed, { body: "WallChange" }),
    delete: wall("deleteWall", "Delete a wall", [
      { 204: { what: "The wall is deleted. Its streams stay." } },
      noWall,
    ]),
  },
  "/api/walls/{id}/view": {
    get: wall("getWallView", "What a wall shows now", [
      ok("The slots of the wall.", "WallView"),
      noWall,
      AWAY,
    ], {
      description: "The wall `running` shows all running streams.",
    }),
  },
};
