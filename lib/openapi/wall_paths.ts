import { ERRORS, type Operation, type Paths } from "./operation.ts";

const { badInput, away } = ERRORS;
const unknown = { what: "There is no such wall.", json: "Error" } as const;
const changed: Operation["answers"] = {
  200: { what: "The wall.", json: "Wall" },
  400: badInput,
  404: unknown,
  409: { what: "Somebody was faster; the wall there is comes with it.", json: "WallConflict" },
};

/** The paths of walls: layouts that show several streams on one page. */
export const WALL_PATHS: Paths = {
  "/api/walls": {
    get: {
      id: "listWalls",
      tag: "Walls",
      summary: "All walls",
      answers: { 200: { what: "The oldest first.", json: "Walls" } },
    },
    post: {
      id: "createWall",
      tag: "Walls",
      summary: "Make a wall",
      body: "NewWall",
      answers: {
        201: { what: "The wall.", json: "Wall", headers: { location: "Its address." } },
        400: badInput,
        409: { what: "There is no room for more.", json: "Error" },
      },
    },
  },
  "/api/walls/{id}": {
    get: {
      id: "getWall",
      tag: "Walls",
      summary: "One wall",
      answers: { 200: { what: "The wall.", json: "Wall" }, 404: unknown },
    },
    put: {
      id: "replaceWall",
      tag: "Walls",
      summary: "Change a wall; absent fields get their default",
      body: "NewWall",
      answers: changed,
    },
    patch: {
      id: "changeWall",
      tag: "Walls",
      summary: "Change a wall; absent fields stay",
      body: "WallChange",
      answers: changed,
    },
    delete: {
      id: "deleteWall",
      tag: "Walls",
      summary: "Delete a wall",
      answers: { 204: { what: "It is gone; its streams stay." }, 404: unknown },
    },
  },
  "/api/walls/{id}/view": {
    get: {
      id: "getWallView",
      tag: "Walls",
      summary: "What a wall shows now",
      description: "`running` is the wall of all running streams.",
      answers: { 200: { what: "Its slots.", json: "WallView" }, 404: unknown, 503: away },
    },
  },
};
