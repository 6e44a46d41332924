/** Bodies that are refused, on every address that takes one. */
import { strict as assert } from "node:assert";
import { Buffer } from "node:buffer";
import { appTest } from "../support/app.ts";

const TAKERS = [
  ["POST", "/api/streams"],
  ["PUT", "/api/streams/clock"],
  ["PATCH", "/api/streams/clock"],
  ["PUT", "/api/streams/reorder"],
  ["POST", "/api/streams/import"],
  ["POST", "/api/streams/clock/autoreload"],
];

appTest("a form of another site cannot send JSON: 415", async (app) => {
  await app.create({ desiredState: "stopped" });
  for (const [method, path] of TAKERS) {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const answer = await app.fetch(path, { method, body: "{}", headers: { "content-type": type } });
      assert.equal(answer.status, 415, `${method} ${path} ${type}`);
      await answer.body?.cancel();
    }
  }
});

appTest("what is no JSON is a 400, what is too large a 413", async (app) => {
  await app.create({ desiredState: "stopped" });
  const headers = { "content-type": "application/json" };
  for (const [method, path] of TAKERS) {
    const broken = await app.fetch(path, { method, body: "{", headers });
    assert.equal(broken.status, 400, `${method} ${path}`);
    await broken.body?.cancel();
    const limit = path.endsWith("/import") ? 8 * 1024 * 1024 : 256 * 1024;
    const large = await app.fetch(path, { method, body: `"${"x".repeat(limit)}"`, headers });
    assert.equal(large.status, 413, `${method} ${path}`);
    await large.body?.cancel();
  }
  assert.equal((await app.api("GET", "/api/streams/clock")).json.revision, 0);
});

appTest(
  "what is given twice, in a body or an address, is a 400 that names it, and changes nothing",
  async (app) => {
    await app.create({ desiredState: "stopped" });
    const headers = { "content-type": "application/json" };
    const body = '{"name":"Mine","url":"https://a.example/","ur\\u006c":"https://b.example/"}';
    const rows = [
      ...TAKERS.map(([method, path]) => [method, path, body, '"url" twice in one object']),
      ["POST", "/api/streams?force=1&force=0", '{"name":"Mine","url":"https://a.example/"}', '"force" twice'],
      ["PATCH", "/api/streams/clock?x=1&x=1", '{"name":"Mine"}', '"x" twice'],
    ];
    const wrong: string[] = [];
    for (const [method, path, body, says] of rows) {
      const answer = await app.fetch(path, { method, body, headers });
      const text = await answer.json();
      if (answer.status !== 400 || !text.error.message.includes(says)) {
        wrong.push(`${method} ${path}: ${answer.status} ${JSON.stringify(text)}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual((await app.api("GET", "/api/streams")).json.map(({ name }: { name: string }) => name), [
      "Clock",
    ]);
  },
);

appTest("a method that an address does not have is a 404 that names it", async (app) => {
  await app.create({ desiredState: "stopped" });
  for (
    const [method, path] of [
      ["DELETE", "/api/streams/reorder"],
      ["POST", "/api/streams/clock"],
      ["PUT", "/api/streams/statuses"],
      ["POST", "/playlist.m3u"],
      ["DELETE", "/healthz"],
    ]
  ) {
    const { status, json } = await app.api(method, path);
    assert.deepEqual([status, json.error.message], [404, `There is no ${method} ${path}.`]);
  }
});

appTest("a refused request's body is read to its end, so that its connection goes on", async (app) => {
  for (const [method, path] of [...TAKERS, ["POST", "/login"], ["POST", "/nothing"], ["POST", "/"]]) {
    const parts = ["bo", "dy"];
    const body = new ReadableStream({
      pull(controller) {
        const part = parts.shift();
        if (part === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(part));
      },
    }, { highWaterMark: 0 });
    const answer = await app.fetch(path, { method, body, headers: { "content-type": "text/plain" } });
    await answer.body?.cancel();
    assert.ok(answer.status >= 400, `${method} ${path} ${answer.status}`);
    assert.deepEqual(parts, [], `${method} ${path}`);
  }
});

const le = (text: string) => Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(text, "utf16le")]);
const be = (text: string) => Buffer.concat([Buffer.of(0xfe, 0xff), Buffer.from(text, "utf16le").swap16()]);

appTest(
  "a list is read in the encodings that programs of Windows save it in, or refused by their name",
  async (app) => {
    const text = (name: string) =>
      JSON.stringify({ streams: [{ id: "sued", name, url: "https://a.example/", desiredState: "stopped" }] });
    const table: [body: Uint8Array, charset: string, says: RegExp | null][] = [
      [Buffer.from(`\ufeff${text("Süd 1")}`), "", null],
      [le(text("Süd 2")), "", null],
      [be(text("Süd 3")), "", null],
      [le(text("Süd 4")).subarray(2), "", null],
      [be(text("Süd 5")).subarray(2), "; charset=utf-16", null],
      [Buffer.from(text("Süd 6"), "latin1"), "; charset=ISO-8859-1", null],
      [Buffer.from(text("Süd 7")), '; charset="iso-8859-1"', null],
      [Buffer.from(text("Süd 8"), "latin1"), "", /not in UTF-8.*Windows-1252.*Save it as UTF-8/],
      [Buffer.from(text("Süd 9"), "latin1"), "; charset=utf-8", /not in UTF-8/],
      [Buffer.from(text("Süd 10")).subarray(0, -1), "", /not valid JSON/],
    ];
    const wrong: unknown[] = [];
    for (const [at, [body, charset, says]] of table.entries()) {
      const answer = await app.fetch("/api/streams/import", {
        method: "POST",
        body: body as Uint8Array<ArrayBuffer>,
        headers: { "content-type": `application/json${charset}` },
      });
      const { error } = await answer.json();
      const name = (await app.api("GET", "/api/streams/sued")).json.name;
      const isRight = says === null
        ? answer.status === 200 && name === `Süd ${at + 1}`
        : answer.status === 400 && says.test(error.message);
      if (!isRight) wrong.push([at + 1, answer.status, error, name]);
    }
    assert.deepEqual(wrong, []);
  },
);

appTest("what is too much, or given twice, is so in every encoding", async (app) => {
  const twice = '{"name": "A", "url": "https://a.example/", "n\\u0061me": "B"}';
  const deep = `{"a": ${"[".repeat(40)}${"]".repeat(40)}}`;
  // a byte of the first character is a quote's, one of the second an escape's
  const hidden = '{"\u2200\u5c5c": "A", "name": "A", "url": "https://a.example/", "name": "B"}';
  const shiftJis = Buffer.concat([
    Buffer.from('{"note": "'),
    Buffer.of(0x83, 0x5c),
    Buffer.from('", "name": "A", "url": "https://a.example/", "name": "B"}'),
  ]);
  const table: [body: Uint8Array, status: number, charset?: string][] = [
    ...[le(twice), be(twice), le(hidden), be(hidden), le(hidden).subarray(2)].map((
      body,
    ): [Uint8Array, number] => [
      body,
      400,
    ]),
    [shiftJis, 400, "; charset=shift_jis"],
    [le(deep), 413],
    [le(`{"name": "${"x".repeat(130 * 1024)}"}`), 413],
  ];
  const wrong: unknown[] = [];
  for (const [at, [body, status, charset = ""]] of table.entries()) {
    const answer = await app.fetch("/api/streams", {
      method: "POST",
      body: body as Uint8Array<ArrayBuffer>,
      headers: { "content-type": `application/json${charset}` },
    });
    const said = await answer.text();
    if (answer.status !== status || status === 400 && !said.includes("twice in one object")) {
      wrong.push([at, said]);
    }
  }
  assert.deepEqual(wrong, []);
});
