import assert from "node:assert/strict";
import { join } from "node:path";
import { Session } from "../../../../lib/door/access/session.ts";
import { SharedTexts } from "../../../../lib/cluster/shared_texts.ts";
import { setLogLevel } from "../../../../lib/machine/tools/log.ts";
import { FakeBucket } from "../../../support/fake_bucket.ts";
import { tempDir } from "../../../support/fixture.ts";

const ANNA = { user: "anna", pass: "correct horse" };
const NAME = "browser-stream-1234";

setLogLevel("error");

/** What a browser sends after a Set-Cookie, or a text of its own. */
const sent = (cookie: string) => new Headers({ cookie: cookie.split(";")[0] });

function sessionTest(
  name: string,
  test: (open: (credentials?: typeof ANNA) => Promise<Session>, file: string) => Promise<void>,
) {
  Deno.test(name, async () => {
    await using dir = await tempDir();
    const file = join(dir.path, "session.key");
    await test((credentials = ANNA) => Session.open(file, credentials, NAME), file);
  });
}

sessionTest("its cookie lives for 30 days, and no script and no other site has it", async (open) => {
  const session = await open();
  const [pair, ...attributes] = session.cookie(false).split("; ");
  assert.match(pair, /^browser-stream-1234=[\w-]{43}$/);
  assert.deepEqual(attributes, ["Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Lax"]);
  assert.equal(session.cookie(true), `${session.cookie(false)}; Secure`);
  assert.match(session.removal(true), /^browser-stream-1234=; Path=\/; Max-Age=0; .*Secure$/);
});

sessionTest("only its own token is let in", async (open) => {
  const session = await open();
  const [name, token] = session.cookie(false).split(";")[0].split("=");
  assert.ok(session.isIn(sent(`${name}=${token}`)));
  assert.ok(
    session.isIn(new Headers({ cookie: `a=b; ${name}=old;${name}=${token}; c=d` })),
    "one of several",
  );
  const wrong = [
    "",
    token,
    `${name}=`,
    `${name}=${token}0`,
    `${name}=${token.slice(1)}`,
    `${name}=${token.slice(0, -1)}é`,
    `${name}="${token}"`,
    `${name} =${token}`,
    `x${name}=${token}`,
    `other=${name}=${token}`,
    `${name}=${"A".repeat(43)}`,
    `${name}=${token.toUpperCase()}`,
  ];
  for (const cookie of wrong) {
    const headers = { get: (header: string) => header === "cookie" ? cookie : null } as Headers;
    assert.equal(session.isIn(headers), false, cookie);
  }
  assert.equal(session.isIn(new Headers()), false);
});

sessionTest("a restart ends no session, another password or user ends all", async (open) => {
  const cookie = sent((await open()).cookie(false));
  assert.ok((await open()).isIn(cookie));
  for (
    const other of [{ ...ANNA, pass: "other" }, { ...ANNA, user: "otto" }, {
      user: "ann",
      pass: "acorrect horse",
    }]
  ) {
    assert.equal((await open(other)).isIn(cookie), false);
  }
});

sessionTest("ending all sessions holds after a restart too", async (open) => {
  const session = await open();
  const before = sent(session.cookie(false));
  await session.endAll();
  assert.equal(session.isIn(before), false);
  const after = sent(session.cookie(false));
  assert.ok(session.isIn(after));
  const restarted = await open();
  assert.deepEqual([restarted.isIn(before), restarted.isIn(after)], [false, true]);
});

sessionTest("of a cluster's secrets the newest is kept for a start without it", async (open) => {
  const leaving = new AbortController();
  const session = await open();
  const texts = await SharedTexts.open(new FakeBucket().view(), leaving.signal);
  await session.follow(texts.of("session"));
  for (let time = 0; time < 20; time++) await session.endAll();
  await session.settled();
  assert.ok((await open()).isIn(sent(session.cookie(false))));
  leaving.abort();
});

sessionTest("the secret is its owner's alone, and a damaged one is replaced", async (open, file) => {
  const cookie = sent((await open()).cookie(false));
  const mode = async () => (await Deno.stat(file)).mode! & 0o777;
  assert.equal(await mode(), 0o600);
  await Deno.chmod(file, 0o644);
  await open();
  assert.equal(await mode(), 0o600);
  for (const damaged of ["", "0".repeat(63), "z".repeat(64)]) {
    await Deno.writeTextFile(file, damaged);
    assert.equal((await open()).isIn(cookie), false);
    assert.match(await Deno.readTextFile(file), /^[0-9a-f]{64}\n$/);
  }
});
