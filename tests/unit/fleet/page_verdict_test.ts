import { strict as assert } from "node:assert";
import { PageVerdict } from "../../../lib/fleet/page_verdict.ts";
import { streamId } from "../../../lib/model/id.ts";

const ID = streamId("wall");

Deno.test("what others know of a stream is told also while its page is being opened, which stays as it is on the air", () => {
  const world = { isLow: true, login: "failed" as "failed" | "succeeded", isLoggedIn: false };
  const told = new Map<string, string | null>();
  const covered: boolean[] = [];
  const verdict = new PageVerdict({
    health: { report: (_id, trouble, seen) => void told.set(trouble, seen), isBad: () => false },
    logins: {
      login: () => ({ login: world.login, seen: "no", tries: 1, isLast: false, since: 0 }),
      isLoggedIn: () => world.isLoggedIn,
    },
    disk: { isLow: () => world.isLow },
    covers: { pageIs: (_id, isGood) => Promise.resolve(void covered.push(isGood)), showsPage: () => true },
  });
  verdict.pageIs(ID, null);
  assert.deepEqual(Object.fromEntries(told), {
    "login-failed": "no",
    "login-expired": null,
    "disk-full": "",
  });
  Object.assign(world, { isLow: false, login: "succeeded", isLoggedIn: true });
  verdict.pageIs(ID, null);
  assert.deepEqual([...told.values()], [null, null, null]);
  assert.deepEqual(covered, []);
  verdict.pageIs(ID, true);
  world.isLoggedIn = false;
  verdict.pageIs(ID, true);
  assert.deepEqual(covered, [true, false]);
});
