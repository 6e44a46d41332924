import { BAD_INPUT, created, FULL, missing, ok, operationsOf, type Paths, refusal } from "./operation.ts";

const access = operationsOf("Access");
const noUser = missing("user");
const lastAdmin = refusal(409, "No admin would be left.");

/** The paths of access tokens, with which apps play without a login, and of people who log in. */
export const ACCESS_PATHS: Paths = {
  "/api/access-tokens": {
    get: access("listAccessTokens", "The access tokens, without their secrets", [
      ok("The access tokens, the oldest first.", "AccessTokens"),
    ]),
    post: access("createAccessToken", "Make an access token for an app", [
      created("The token and its addresses. No later answer has them.", "CreatedAccessToken"),
      BAD_INPUT,
      FULL,
    ], { body: "NewAccessToken" }),
  },
  "/api/access-tokens/{id}": {
    delete: access("revokeAccessToken", "Revoke an access token", [
      { 204: { what: "The token is revoked, and its next request is refused." } },
      missing("token"),
    ]),
  },
  "/api/users": {
    get: access("listUsers", "The people who may log in", [
      ok("AUTH_USER, then the users, the oldest first.", "Users"),
    ]),
    post: access("addUser", "Add a user", [
      created("The user.", "User"),
      BAD_INPUT,
      refusal(
        409,
        "The name is taken, there is no room for another user, or the first user is not an admin.",
      ),
    ], { body: "NewUser" }),
  },
  "/api/users/{name}": {
    patch: access(
      "changeUser",
      "Change a user's role or password, and end the user's sessions",
      [ok("The user.", "User"), BAD_INPUT, noUser, lastAdmin],
      { body: "UserChange" },
    ),
    delete: access("removeUser", "Remove a user, and end the user's sessions", [
      { 204: { what: "The user is removed." } },
      noUser,
      lastAdmin,
    ]),
  },
  "/api/users/{name}/logout": {
    post: access("logUserOut", "End all sessions of a user", [
      { 204: { what: "The sessions have ended." } },
      noUser,
    ]),
  },
};
