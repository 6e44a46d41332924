import { strict as assert } from "node:assert";
import { type PassedOn, Passes } from "../../../lib/door/access/pass.ts";
import { forward, streamOf } from "../../../lib/cluster/forward.ts";
import { UnderWay } from "../../../lib/cluster/under_way.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const FOUND: PassedOn = {
  client: "10.0.0.9",
  publicUrl: "http://n0/",
  addressBase: "http://n0",
  isFromOwnPage: true,
  mayReadSecrets: true,
  role: "viewer",
};

/** Passes a request on to a node that answers so. */
function passed(
  request: Request,
  answer: () => Promise<Response>,
  client: Parameters<typeof forward>[5] = { holds: () => true },
) {
  const asked: { target: string; init: RequestInit }[] = [];
  const ask = (target: string | URL | Request, init: RequestInit = {}) => {
    asked.push({ target: String(target), init });
    return answer();
  };
  const passes = new Passes(new Uint8Array(32), "n0", () => 0);
  const { pathname } = new URL(request.url);
  const other = { name: "n1", address: "http://n1:3000" };
  return { asked, response: forward(request, pathname, other, passes, FOUND, client, ask) };
}

Deno.test("only what is about a running stream is passed on", () => {
  const asked = (path: string) => streamOf(path) && `${streamOf(path)!.id} ${streamOf(path)!.isChannel}`;
  const rows: [path: string, stream: string | null][] = [
    ["/api/hls/live/ash/index.m3u8", "ash true"],
    ["/api/ts/ash", "ash true"],
    ["/api/streams/ash/restart", "ash false"],
    ["/api/streams/ash/log/browser", "ash false"],
    ["/streams/ash/log", "ash false"],
    ["/streams/ash", null],
    ["/api/streams/ash", null],
    ["/api/streams/statuses", null],
    ["/api/streams/", null],
    ["/api/streams/%2e%2e/restart", null],
    ["/playlist.m3u", null],
  ];
  assert.deepEqual(rows.map(([path]) => [path, asked(path)]), rows);
});

Deno.test("an answer that is passed on ends when its client would not be let in again", async () => {
  using clock = new FakeClock();
  const client = { isIn: true, holds: () => client.isIn };
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(10)),
    cancel: () => void (isCancelled = true),
  });
  const { response } = passed(
    new Request("http://n0/api/ts/ash"),
    () => Promise.resolve(new Response(endless)),
    client,
  );
  const reader = (await response).body!.getReader();
  await reader.read();
  await clock.advance(1500);
  assert.equal((await reader.read()).value!.length, 10);
  client.isIn = false;
  await clock.advance(1500);
  assert.equal((await reader.read()).done, true);
  assert.ok(isCancelled);
});

Deno.test("the end of what is passed on is told: whole, broken off, left, without a body, without an answer", async () => {
  using clock = new FakeClock();
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(10)),
  });
  const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("off")) });
  const rows: [what: string, answer: () => Promise<Response>, use: (got: Response) => unknown][] = [
    ["whole", () => Promise.resolve(new Response("all")), (got) => got.text()],
    ["broken", () => Promise.resolve(new Response(broken)), (got) => got.text().catch(() => {})],
    ["left", () => Promise.resolve(new Response(endless)), (got) => got.body!.cancel()],
    ["empty", () => Promise.resolve(new Response(null, { status: 204 })), () => {}],
    ["away", () => Promise.reject(new TypeError("refused")), () => {}],
  ];
  for (const [what, answer, use] of rows) {
    let ends = 0;
    const client = { holds: () => true, ended: () => void ends++ };
    const { response } = passed(new Request("http://n0/api/ts/ash"), answer, client);
    await clock.advance(6000);
    const got = await response;
    if (got.body && got.status === 200) assert.equal(ends, 0, `${what}: is under way`);
    await use(got);
    assert.ok(ends > 0, what);
  }
});

Deno.test("a client has half of what another node lets this one have, and its place back at each end", () => {
  const underWay = new UnderWay(5);
  const ends = [1, 2, 3].map((last) => underWay.begin(`10.0.0.${last}`));
  assert.ok(ends.every((end) => end), "others do not count");
  const own = ["2001:db8::1", "2001:db8::2", "2001:db8::3"].map((one) => underWay.begin(one));
  assert.ok(own.every((end) => end));
  assert.equal(underWay.begin("2001:db8::4"), null, "a /64 is one client");
  own[0]!();
  own[0]!();
  assert.ok(underWay.begin("2001:db8::4"));
  assert.equal(underWay.begin("2001:db8::5"), null, "an end that is told twice is one");
});

Deno.test("what changes something is asked for once, what reads again until its time is up", async () => {
  using clock = new FakeClock();
  const fails = () => Promise.reject(new TypeError("connection refused"));
  const change = passed(
    new Request("http://n0/api/streams/ash/restart", { method: "POST", body: "{}" }),
    fails,
  );
  assert.equal((await change.response).status, 502);
  assert.equal(change.asked.length, 1);
  const read = passed(new Request("http://n0/api/streams/ash/events"), fails);
  await clock.advance(6000);
  assert.equal((await read.response).status, 502);
  assert.ok(read.asked.length > 5);
});

Deno.test("who may come in is not passed on: neither cookies nor tokens; an answer sets no cookie", async () => {
  const headers = { cookie: "session=1", authorization: "Bearer x", origin: "http://n0", range: "bytes=0-1" };
  const { asked, response } = passed(
    new Request("http://n0/api/streams/ash/events", { headers }),
    () => Promise.resolve(new Response(null, { status: 204, headers: { "set-cookie": "a=b", etag: '"1"' } })),
  );
  const { status, body, headers: back } = await response;
  assert.deepEqual([status, body, back.get("set-cookie"), back.get("etag")], [204, null, null, '"1"']);
  const sent = new Headers(asked[0].init.headers);
  for (const name of ["cookie", "authorization", "origin"]) assert.equal(sent.get(name), null, name);
  assert.equal(sent.get("range"), "bytes=0-1");
  assert.equal(asked[0].target, "http://n1:3000/api/streams/ash/events");
});
