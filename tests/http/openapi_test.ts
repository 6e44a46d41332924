/** The description of the API against OpenAPI's own schema, the routes, and what the routes answer. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { OpenApiDocument } from "../../lib/openapi/document.ts";
import { FIELDS } from "../../lib/streams/field_labels.ts";
import { streamId } from "../../lib/streams/id.ts";
import { VERSION } from "../../lib/system/version.ts";
import { appTest, type TestApp, testApp } from "../support/app.ts";
import { namesIn, root } from "../support/fixture.ts";
import { testReceiver } from "../support/receiver.ts";

async function documentOf(app: TestApp): Promise<OpenApiDocument> {
  const { status, json, headers } = await app.api("GET", "/api/openapi.json");
  assert.equal(status, 200);
  assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
  return json;
}

appTest(
  "the description is OpenAPI 3.1, of this version, and its schemas are JSON Schema 2020-12",
  async (app) => {
    const document = await documentOf(app);
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors, null, 2));
    assert.equal((document.info as { version: string }).version, VERSION);
    const ajv = new Ajv2020();
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      assert.ok(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`);
    }
  },
);

/** "GET /api/streams/{id}" for each method of each file below routes/api. */
async function routes(folder = "routes/api"): Promise<string[]> {
  const found = await Promise.all((await namesIn(root + folder)).map(async (name) => {
    const path = `${folder}/${name}`;
    if ((await Deno.stat(root + path)).isDirectory) return await routes(path);
    const { handler } = await import(join(root, path));
    const address = path.replace(/^routes/, "").replace(/\.tsx?$/, "").replace(/\/index$/, "")
      .replace(/\[(?:\.\.\.)?(\w+)\]/g, "{$1}");
    return Object.keys(handler).map((method) => `${method} ${address}`);
  }));
  return found.flat();
}

appTest("every route of the API is described with each of its methods, and nothing else is", async (app) => {
  const { paths } = await documentOf(app);
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
  );
  assert.deepEqual(described.sort(), (await routes()).sort());
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
  assert.equal(new Set(ids).size, ids.length, "each has a name of its own");
});

appTest("a new stream is described with every field, its default and its limits", async (app) => {
  const { NewStream } = (await documentOf(app)).components.schemas;
  const properties = NewStream.properties as Record<string, Record<string, unknown>>;
  assert.deepEqual(NewStream.required, ["name", "url"]);
  for (const field of FIELDS) assert.ok(properties[field].description, field);
  const { fps, preset, resolution } = properties;
  assert.deepEqual([fps.default, fps.minimum, fps.maximum], [25, 1, 60]);
  assert.ok((preset.enum as string[]).includes("superfast"));
  assert.equal(resolution.default, "1280x720");
});

/** Answers in which nothing may be that is not described: a client may not know it, but we do. */
function closed(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed);
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isOpen = "properties" in inner && inner.type === "object" && !("additionalProperties" in inner);
  return isOpen ? { ...inner, additionalProperties: false } : inner;
}

interface Call {
  /** Of the description. */
  operation: string;
  status: number;
  /** For the parameters of the path; `id` is "clock" unless given. */
  path?: Record<string, string>;
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

const NEW = {
  name: "Clock",
  url: "https://clock.example.org/",
  user: "ops",
  pass: "s3cret",
  note: { of: "another tool" },
};

const LOBBY = {
  name: "Lobby",
  slots: [{ row: 1, column: 1, stream: "clock" }, { row: 2, column: 1, stream: "gone" }],
};

/** Every operation, in an order in which each has something to answer. */
const CALLS: Call[] = [
  { operation: "createStream", status: 201, body: NEW },
  { operation: "createStream", status: 201, body: { ...NEW, name: "Wall", desiredState: "stopped" } },
  { operation: "createStream", status: 400, body: { name: "" } },
  { operation: "listStreams", status: 200 },
  { operation: "getStream", status: 200 },
  { operation: "getStream", status: 404, path: { id: "gone" } },
  { operation: "changeStream", status: 200, body: { fps: "12", revision: 0 } },
  { operation: "changeStream", status: 409, body: { fps: 13, revision: 0 } },
  { operation: "replaceStream", status: 200, body: { ...NEW, audio: "off" } },
  { operation: "setAutoReload", status: 200, body: { autoReload: true, autoReloadInterval: 5 } },
  { operation: "listStatuses", status: 200 },
  { operation: "listHeartbeats", status: 200 },
  { operation: "reorderStreams", status: 200, body: { ids: ["wall", "clock"] } },
  { operation: "reorderStreams", status: 409, body: { ids: ["wall"] } },
  { operation: "exportStreams", status: 200 },
  {
    operation: "importStreams",
    status: 200,
    query: "preview",
    body: [{ ...NEW, fps: 9 }, { ...NEW, name: "New" }],
  },
  {
    operation: "importStreams",
    status: 200,
    body: { streams: [{ ...NEW, id: "clock", fps: 9, passSet: true }] },
  },
  { operation: "tryPage", status: 400, body: { url: "ftp://example.org/" } },
  { operation: "tryPage", status: 200, body: { url: "https://example.org/" } },
  { operation: "getPlaylist", status: 200 },
  { operation: "restartStream", status: 200 },
  { operation: "startStream", status: 200 },
  { operation: "startStream", status: 409, path: { id: "wall" } },
  { operation: "homeStream", status: 503 },
  { operation: "captureThumbnail", status: 202 },
  { operation: "getThumbnail", status: 200 },
  { operation: "getThumbnail", status: 404, path: { id: "wall" } },
  { operation: "getVncToken", status: 200, headers: { "x-requested-with": "browser-stream" } },
  { operation: "getVncToken", status: 403 },
  { operation: "getStreamEvents", status: 200 },
  { operation: "getLogs", status: 200 },
  { operation: "getLog", status: 200, path: { program: "browser" } },
  { operation: "getLog", status: 404, path: { program: "browser" }, query: "download" },
  { operation: "recreateStream", status: 202 },
  { operation: "stopStream", status: 200 },
  { operation: "getHls", status: 502, path: { path: "live/clock/index.m3u8" } },
  { operation: "headHls", status: 502, path: { path: "live/clock/index.m3u8" } },
  { operation: "optionsHls", status: 204, path: { path: "live/clock/index.m3u8" } },
  { operation: "listChannels", status: 200 },
  { operation: "getPlayer", status: 200 },
  { operation: "getVncFile", status: 502, path: { path: "core/rfb.js" } },
  { operation: "createWall", status: 201, body: LOBBY },
  { operation: "listWalls", status: 200 },
  { operation: "getWall", status: 200, path: { id: "lobby" } },
  { operation: "changeWall", status: 200, path: { id: "lobby" }, body: { name: "Hall", revision: 0 } },
  { operation: "changeWall", status: 409, path: { id: "lobby" }, body: { name: "Late", revision: 0 } },
  { operation: "getWallView", status: 200, path: { id: "lobby" } },
  { operation: "replaceWall", status: 200, path: { id: "lobby" }, body: { name: "Hall" } },
  { operation: "deleteWall", status: 204, path: { id: "lobby" } },
  { operation: "listen", status: 200 },
  { operation: "getFigures", status: 200 },
  { operation: "getSystem", status: 200 },
  { operation: "getConfig", status: 200 },
  { operation: "listExtensions", status: 200 },
  { operation: "getOpenApi", status: 200 },
  { operation: "testWebhook", status: 200 },
  { operation: "getWebhook", status: 200 },
  { operation: "createAccessToken", status: 201, body: { name: "TV", streams: ["clock"] } },
  { operation: "listAccessTokens", status: 200 },
  { operation: "revokeAccessToken", status: 404, path: { id: "0123456789ab" } },
  { operation: "deleteStream", status: 204, path: { id: "wall" } },
];

const TIMINGS =
  '{"trial":{"wholeMs":200,"pageMs":50,"lookMs":5},"feed":{"longestMs":1},"hls":{"answerMs":50}}';

Deno.test("real answers of every operation are as described, and so are bodies that are taken", async () => {
  await using receiver = testReceiver();
  await using app = await testApp({
    env: {
      MAX_STREAMS: "1",
      MEDIA_PORT: "1",
      VNC_PROXY_PORT: "2",
      WEBHOOK_URL: `${receiver.url}/hook`,
      TIMINGS,
    },
  });
  await app.service.disk.round();
  const document = await documentOf(app);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...closed(document) as object, $id: "api" });
  ajv.addSchema({ ...document, $id: "bodies" });
  const problemOf = (of: "api" | "bodies", ref: string, value: unknown): string | null => {
    const validate = ajv.getSchema(`${of}${ref}`)!;
    return validate(value) ? null : ajv.errorsText(validate.errors);
  };
  // deno-lint-ignore no-explicit-any -- its form was checked above
  const operations = new Map<string, { path: string; method: string; operation: any }>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      operations.set(operation.operationId as string, { path, method: method.toUpperCase(), operation });
    }
  }
  assert.deepEqual([...new Set(CALLS.map((call) => call.operation))].sort(), [...operations.keys()].sort());
  for (const { operation: id, status, path: params, query = "", body, headers = {} } of CALLS) {
    const { path, method, operation } = operations.get(id)!;
    const what = `${id} (${status})`;
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => ({ id: "clock", ...params })[name as "id"]);
    const answer = await app.fetch(`${filled}?${query}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    assert.equal(answer.status, status, `${what}: ${text}`);
    if (id === "captureThumbnail") await app.service.thumbnails.capture(streamId("clock"));
    const described = operation.responses[status] ?? document.components.responses.Error;
    const type = answer.headers.get("content-type")?.split(";")[0];
    if (method === "HEAD" || text === "") continue;
    assert.ok(described.content?.[type!], `${what}: ${type}`);
    const answered = described.content[type!].schema;
    if (answered) assert.equal(problemOf("api", answered.$ref, JSON.parse(text)), null, what);
    const taken = operation.requestBody?.content["application/json"].schema;
    if (taken && status < 300) assert.equal(problemOf("bodies", taken.$ref, body), null, `${what}: its body`);
  }
});
