import { strict as assert } from "node:assert";
import { MetricsToken, readMetricsToken } from "../../../../lib/door/access/metrics_token.ts";
import { ServiceError } from "../../../../lib/errors.ts";

const TOKEN = "0123456789:abcdef";

function asked(authorization: string | null, token = new MetricsToken(TOKEN, () => 0), client = "10.0.0.1") {
  return token.isIn(new Headers(authorization === null ? {} : { authorization }), () => client);
}

Deno.test("a token for metrics is shown as a Bearer token, or as the password of Basic", () => {
  const right = [
    `Bearer ${TOKEN}`,
    `bearer  ${TOKEN}`,
    `Basic ${btoa(`prometheus:${TOKEN}`)}`,
    `Basic ${btoa(`:${TOKEN}`)}`,
  ];
  for (const one of right) assert.equal(asked(one), true, one);
  const wrong = [
    ...[
      null,
      "",
      "Bearer",
      "Bearer ",
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(1)}`,
      TOKEN,
      `Token ${TOKEN}`,
    ],
    ...[
      `Basic ${btoa(TOKEN.replace(":", ""))}`,
      `Basic ${btoa(`${TOKEN}:x`)}`,
      "Basic ****",
      `Bearer ${TOKEN} x`,
    ],
  ];
  for (const one of wrong) assert.equal(asked(one), false, String(one));
});

Deno.test("after 60 wrong tokens a client is refused for a minute, but never with the right one", () => {
  let now = 0;
  const token = new MetricsToken(TOKEN, () => now);
  for (let count = 0; count < 60; count++) assert.equal(asked("Bearer wrong", token), false);
  const isLimited = (error: unknown) => error instanceof ServiceError && error.status === 429;
  assert.throws(() => asked("Bearer wrong", token), isLimited);
  assert.equal(asked(`Bearer ${TOKEN}`, token), true);
  assert.equal(asked(null, token), false, "who shows none guesses nothing");
  assert.equal(asked("Bearer wrong", token, "10.0.0.2"), false, "others are served");
  now += 61_000;
  assert.equal(asked("Bearer wrong", token), false);
});

Deno.test("a token that is short, or that no header can carry, stops the start", async () => {
  const read = (METRICS_TOKEN: string) => readMetricsToken({ METRICS_TOKEN, METRICS_TOKEN_FILE: "" });
  assert.equal(await read(TOKEN), TOKEN);
  assert.equal(await read(""), "");
  for (const wrong of ["secret", "x".repeat(15), `${TOKEN} ${TOKEN}`, "é".repeat(16)]) {
    await assert.rejects(read(wrong), (error: Error) => {
      assert.match(error.message, /^METRICS_TOKEN .*openssl rand/);
      return !error.message.includes(wrong);
    });
  }
});
