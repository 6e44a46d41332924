import assert from "node:assert/strict";
import { knownBrowser, knownCookie } from "../../../../lib/door/access/known_browser.ts";
import { Session } from "../../../../lib/door/access/session.ts";
import { tempDir } from "../../../support/fixture.ts";

Deno.test("a browser is known by its cookie, to one user, until all sessions are ended; no two are the same", async () => {
  await using dir = await tempDir("/dev/shm");
  const session = await Session.open(`${dir.path}/key`, { user: "anna", pass: "secret" }, "browser-stream-1");
  const text = knownCookie(session, "ops", false);
  const [cookie] = text.split(";");
  const known = (value: string, user = "ops") => knownBrowser(session, new Headers({ cookie: value }), user);
  const id = known(cookie);
  assert.match(id ?? "", /^[\w-]{22}$/);
  assert.equal(
    known(`browser-stream-1-known=x; ${cookie}`, " ops "),
    id,
    "one of several; as a login reads the name",
  );
  assert.notEqual(known(knownCookie(session, "ops", true).split(";")[0]), id);
  const wrong = [
    known(cookie, "anna"),
    known(""),
    known(cookie.replace(id!, "A".repeat(22))),
    known(`${cookie}A`),
    known(cookie.slice(0, -1)),
    known(`x${cookie}`),
    known(session.cookie(false).split(";")[0], "anna"),
  ];
  assert.deepEqual(wrong.filter((one) => one !== null), []);
  const named = new Headers({ cookie: cookie.replace("-known", "") });
  assert.equal(session.isIn(named) || session.userIn(named, () => ({ name: "ops", epoch: "" })), undefined);
  await session.endAll();
  assert.equal(known(cookie), null);
});
