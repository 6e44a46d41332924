import { ERRORS, type Paths } from "./operation.ts";

const { badInput } = ERRORS;
const unknown = { what: "There is no such user.", json: "Error" } as const;
const lastAdmin = { what: "Nobody would be left who manages people.", json: "Error" } as const;

/** The paths of people who log in. */
export const USER_PATHS: Paths = {
  "/api/users": {
    get: {
      id: "listUsers",
      tag: "Access",
      summary: "Who may log in",
      answers: { 200: { what: "AUTH_USER, then the users, the oldest first.", json: "Users" } },
    },
    post: {
      id: "addUser",
      tag: "Access",
      summary: "Add a user",
      body: "NewUser",
      answers: {
        201: { what: "The user.", json: "User", headers: { location: "Its address." } },
        400: badInput,
        409: {
          what: "The name is taken, there is no room for more, or the first is no admin.",
          json: "Error",
        },
      },
    },
  },
  "/api/users/{name}": {
    patch: {
      id: "changeUser",
      tag: "Access",
      summary: "Change a user's role or password, which ends the user's sessions",
      body: "UserChange",
      answers: { 200: { what: "The user.", json: "User" }, 400: badInput, 404: unknown, 409: lastAdmin },
    },
    delete: {
      id: "removeUser",
      tag: "Access",
      summary: "Remove a user, whose sessions end",
      answers: { 204: { what: "Removed." }, 404: unknown, 409: lastAdmin },
    },
  },
  "/api/users/{name}/logout": {
    post: {
      id: "logUserOut",
      tag: "Access",
      summary: "End all sessions of a user",
      answers: { 204: { what: "Ended." }, 404: unknown },
    },
  },
};
