/** What the recorder is told of each display, from a stream's start to its end. */
import { strict as assert } from "node:assert";
import { appTest } from "../support/app.ts";
import { same } from "../support/same.ts";

appTest(
  "the recorder is told of a display when its stream starts, changes, stops and is deleted",
  async (app) => {
    const told = new Map<number, unknown>();
    app.machine.recordings.order = (display, order) => {
      if (order) told.set(display, order);
      else told.delete(display);
      return Promise.resolve();
    };
    await app.create({ desiredState: "running" });
    await same(() => [...told.values()], [{ id: "clock", hold: null }]);
    await app.api("PATCH", "/api/streams/clock", { rewind: false });
    app.service.fleet.tick();
    await same(() => [...told.values()], [{ id: "clock", hold: "off" }]);
    await app.api("PATCH", "/api/streams/clock", { rewind: true });
    app.service.fleet.tick();
    await same(() => [...told.values()], [{ id: "clock", hold: null }]);
    await app.api("POST", "/api/streams/clock/stop");
    await same(() => [...told.values()], []);
    await app.api("POST", "/api/streams/clock/start");
    await same(() => [...told.values()], [{ id: "clock", hold: null }]);
    assert.equal((await app.api("DELETE", "/api/streams/clock")).status, 204);
    await same(() => [...told.values()], [], "its display may be another's next");
  },
);
