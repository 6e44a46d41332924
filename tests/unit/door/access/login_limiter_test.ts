import assert from "node:assert/strict";
import { type Attempt, LoginLimiter, type LoginLimits } from "../../../../lib/door/access/login_limiter.ts";
import { DEFAULT_TIMINGS } from "../../../../lib/timings.ts";

const MINUTE = 60_000;

/** A limiter with a clock of its own. */
function limiter(limits: Partial<LoginLimits> = {}) {
  let now = Date.UTC(2026, 0, 1);
  const own = new LoginLimiter({ ...DEFAULT_TIMINGS.login, ...limits }, () => now);
  /** One try: how long it waits, or how long the client has to stay away. */
  const attempt = (address: string, isRight = false, name?: string) => {
    const begun = own.begin(address, name);
    if ("retryAfterSeconds" in begun) return `refused for ${begun.retryAfterSeconds} s`;
    begun.done(isRight);
    return begun.delayMs;
  };
  return { own, attempt, advance: (ms: number) => now += ms };
}

Deno.test("each failure makes the next try wait longer; the eleventh in 10 minutes is refused", () => {
  const { attempt, advance } = limiter();
  const delays = Array.from({ length: 10 }, () => attempt("1.2.3.4"));
  assert.deepEqual(delays, [0, 250, 500, 1000, 2000, 4000, 8000, 8000, 8000, 8000]);
  assert.equal(attempt("1.2.3.4"), "refused for 600 s");
  advance(9 * MINUTE);
  assert.equal(attempt("1.2.3.4", true), "refused for 60 s", "refused tries do not make it longer");
  advance(MINUTE);
  assert.equal(attempt("1.2.3.4"), 0);
});

Deno.test("failures far apart are forgiven one by one", () => {
  const { attempt, advance } = limiter();
  for (let count = 0; count < 30; count++) {
    assert.equal(typeof attempt("1.2.3.4"), "number", `try ${count}`);
    advance(MINUTE + 1);
  }
});

Deno.test("an address that did not fail is let in at once, whatever others do", () => {
  const { own, attempt } = limiter({ maxClients: 50 });
  for (let other = 0; other < 200; other++) {
    for (let count = 0; count < 11; count++) attempt(`10.0.${other}.1`);
  }
  const held = Array.from({ length: 50 }, (_, other) => own.begin(`10.9.${other}.1`));
  assert.equal(held.length, 50);
  assert.equal(attempt("192.168.1.7", true), 0);
  assert.equal(attempt("2001:db8::7", true), 0);
});

Deno.test("the right password forgets the failures before it", () => {
  const { own, attempt } = limiter();
  for (let count = 0; count < 5; count++) attempt("1.2.3.4");
  assert.equal(attempt("1.2.3.4", true), 4000);
  assert.equal(own.size, 0);
  assert.equal(attempt("1.2.3.4"), 0);
});

Deno.test("an IPv6 client cannot change its address within its network", () => {
  const { attempt } = limiter();
  for (let count = 0; count < 10; count++) attempt(`2001:db8:1:2::${count}`);
  assert.match(String(attempt("2001:db8:1:2:ffff::1")), /refused/);
  assert.equal(attempt("2001:db8:1:3::1"), 0);
});

Deno.test("tries at once count as failed until they end, and only a few may wait", () => {
  const { own } = limiter();
  const first = own.begin("1.2.3.4") as Attempt;
  const second = own.begin("1.2.3.4") as Attempt;
  assert.deepEqual([first.delayMs, second.delayMs], [0, 250]);
  assert.deepEqual(own.begin("1.2.3.4"), { retryAfterSeconds: 1 });
  second.done(false);
  const third = own.begin("1.2.3.4") as Attempt;
  assert.equal(third.delayMs, 500);
  first.done(false);
  third.done(false);
  assert.equal((own.begin("1.2.3.4") as Attempt).delayMs, 1000);
});

Deno.test("a hundred tries at once get no more guesses than one after the other", () => {
  const { own } = limiter({ maxAtOnce: 100 });
  const begun = Array.from({ length: 100 }, () => own.begin("1.2.3.4"));
  assert.equal(begun.filter((one) => "delayMs" in one).length, 10);
});

Deno.test("memory is bounded: of too many clients the one is forgotten that was away the longest", () => {
  const { own, attempt } = limiter({ maxClients: 100 });
  for (let client = 0; client < 1000; client++) attempt(`10.0.${client >> 8}.${client & 255}`);
  assert.equal(own.size, 100);
  assert.equal(attempt("10.0.0.0"), 0, "forgotten");
  assert.equal(attempt("10.0.3.231"), 250, "the last one is not");
});

Deno.test("a name that was not guessed at waits for others' failures at its address, and is not refused", () => {
  const { attempt } = limiter();
  for (let count = 0; count < 10; count++) attempt("1.2.3.4", false, "ops");
  assert.match(String(attempt("1.2.3.4", true, "ops")), /refused/);
  assert.equal(attempt("1.2.3.4", true, "cleo"), 8000);
  assert.match(
    String(attempt("1.2.3.4", true, "ops")),
    /refused/,
    "another's right password forgets nothing",
  );
  for (let name = 0; name < 500; name++) assert.equal(attempt("1.2.3.4", false, `name ${name}`), 8000);
  assert.match(String(attempt("1.2.3.4", true, "ops")), /refused/, "other names push nothing out");
});

Deno.test("tries of many names at once are few, and end", () => {
  const { own } = limiter();
  const begun = Array.from({ length: 100 }, (_, name) => own.begin("1.2.3.4", `name ${name}`));
  const through = begun.filter((one) => "delayMs" in one);
  assert.equal(through.length, 8);
  for (const one of through) one.done(true);
  assert.equal(own.size, 0);
});

Deno.test("memory is bounded: clients are forgotten whose failures are more than all may have", () => {
  const { own, attempt } = limiter({ maxClients: 10 });
  for (let client = 0; client < 10; client++) {
    for (let count = 0; count < 50; count++) attempt(`10.0.0.${client}`, false, `name ${count}`);
  }
  assert.equal(own.size, 2, "of 100 failures");
});
