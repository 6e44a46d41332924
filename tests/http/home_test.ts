import { strict as assert } from "node:assert";
import { appTest } from "../support/app.ts";

appTest("Home of a stream that does not run is 409, of none 404", async (app) => {
  const { id } = await app.create({ desiredState: "stopped" });
  const { status, json } = await app.api("POST", `/api/streams/${id}/home`);
  assert.equal(status, 409);
  assert.match(json.error.message, /does not run/);
  assert.equal((await app.api("POST", "/api/streams/none/home")).status, 404);
});
