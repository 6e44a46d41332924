import assert from "node:assert/strict";
import { ServiceError } from "../../../lib/errors.ts";
import { formBody, jsonBody, readRest } from "../../../lib/door/body.ts";
import { FakeClock } from "../../support/fake_clock.ts";

function post(body: BodyInit | null, type: string | null = "application/json"): Request {
  const request = new Request("http://localhost/", { method: "POST", body });
  if (type === null) request.headers.delete("content-type");
  else request.headers.set("content-type", type);
  return request;
}

async function refused(request: Request, status: number, says: RegExp) {
  await assert.rejects(jsonBody(request), (error) => {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.status, status);
    assert.match(error.message, says);
    return true;
  });
}

Deno.test("JSON is read, whatever its charset parameter", async () => {
  for (const type of ["application/json", "application/json; charset=utf-8", "Application/JSON"]) {
    assert.deepEqual(await jsonBody(post('{"name": "Übersicht 日本"}', type)), { name: "Übersicht 日本" });
  }
});

Deno.test("what is no JSON is a 400 with an example", async () => {
  for (const text of ["", "{", "name=x", "{'a': 1}", "\0", "[".repeat(20)]) {
    await refused(post(text), 400, /not valid JSON. Example: \{"name"/);
  }
  await refused(post(null), 400, /not valid JSON/);
});

Deno.test("a field that comes twice is a 400 that names it", async () => {
  await refused(
    post('{"url":"https://a.example","url":"https://b.example"}'),
    400,
    /^The body has the field "url" twice in one object\. Give it once\. Example: \{"url": …\}$/,
  );
});

Deno.test("a form's field that comes twice is a 400 that names it; a type that comes twice is none", async () => {
  const type = "application/x-www-form-urlencoded";
  assert.equal((await formBody(post("user=a&pass=b", type))).get("pass"), "b");
  for (const text of ["user=a&pass=b&user=c", "user=a&%75ser=a", "user=&user=a"]) {
    await assert.rejects(
      formBody(post(text, type)),
      /^ServiceError: The form has "user" twice\. Give it once\./,
    );
  }
  await assert.rejects(formBody(post("user=a", `${type}, text/plain`)), /Send a form/);
  await refused(post("{}", "application/json, text/plain"), 415, /Send the body as JSON/);
});

Deno.test("a character cut by two chunks is one character", async () => {
  const bytes = new TextEncoder().encode('"日本"');
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  assert.equal(await jsonBody(post(body)), "日本");
});

Deno.test("256 KiB are the limit, and no more is read", async () => {
  const LIMIT = 256 * 1024;
  assert.equal(await jsonBody(post(`"${"x".repeat(LIMIT - 2)}"`)), "x".repeat(LIMIT - 2));
  await refused(post(`"${"x".repeat(LIMIT - 1)}"`), 413, /256 KiB/);
  let sent = 0, isCancelled = false;
  const endless = new ReadableStream({
    pull(controller) {
      sent += 65536;
      controller.enqueue(new Uint8Array(65536));
    },
    cancel() {
      isCancelled = true;
    },
  });
  await refused(post(endless), 413, /256 KiB/);
  assert.ok(sent < 2 * LIMIT, `${sent} bytes read`);
  assert.ok(isCancelled);
});

Deno.test("a byte order mark is no part of the JSON", async () => {
  assert.deepEqual(await jsonBody(post("\uFEFF[1]")), [1]);
});

Deno.test("a body that never ends is a 408 after 10 s", async () => {
  const real = globalThis.setTimeout;
  let wait = 0;
  globalThis.setTimeout = ((action: () => void, ms = 0) => {
    wait = ms;
    return real(action, ms / 1000); // the clock runs a thousand times faster
  }) as typeof setTimeout;
  try {
    await refused(post(new ReadableStream()), 408, /within 10 s/);
  } finally {
    globalThis.setTimeout = real;
  }
  assert.equal(wait, 10_000);
});

Deno.test("a body that nobody wanted has 2 s to come, and 64 KiB", async () => {
  using clock = new FakeClock();
  const hanging = post(new ReadableStream());
  let isOver = false;
  const over = readRest(hanging).then(() => isOver = true);
  await clock.advance(1999);
  assert.ok(!isOver);
  await clock.advance(1);
  await over;
  let sent = 0;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(sent += 1024)),
  }, { highWaterMark: 0 });
  await readRest(post(endless));
  assert.ok(sent < 64 * 1024, `${sent} bytes in a part`);
  const large = post("x".repeat(70_000));
  large.headers.set("content-length", "70000");
  await readRest(large);
  assert.ok(!large.bodyUsed);
});
