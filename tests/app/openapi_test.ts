/** The description of the API against OpenAPI's own schema, the routes, and what the routes answer. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { OpenApiDocument } from "../../lib/reports/openapi/document.ts";
import { BEAT_MS } from "../../lib/cluster/nodes.ts";
import { FIELDS } from "../../lib/model/fields.ts";
import { streamId } from "../../lib/model/id.ts";
import { VERSION } from "../../lib/machine/tools/version.ts";
import { apiDescription } from "../support/api_description.ts";
import { textOf } from "../support/answers.ts";
import { appTest, type TestApp, testApp } from "../support/app.ts";
import { FeedListener } from "../support/feed_listener.ts";
import { namesIn, root } from "../support/fixture.ts";
import { testReceiver } from "../support/receiver.ts";
import { pastFolder, writePast } from "../support/past.ts";
import { recordedChannel } from "../support/recorded_channel.ts";
import { type FakeUpstream, fakeUpstream } from "../support/upstream.ts";
import type { FeedEvent } from "../../lib/model/answers/shapes.ts";

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

/** What programs ask for that is not below /api. */
const OTHERS = ["healthz", "metrics", "playlist.m3u", "playlist.m3u8", "epg.xml"];

/** "GET /api/streams/{id}" for each method of each file below routes/api, and of the others. */
async function routes(): Promise<string[]> {
  const others = await Promise.all(OTHERS.map(async (name) => {
    const { handler } = await import(join(root, `routes/${name}.ts`));
    return Object.keys(handler).map((method) => `${method} /${name}`);
  }));
  return [...await routesIn("routes/api"), ...others.flat()];
}

async function routesIn(folder: string): Promise<string[]> {
  const found = await Promise.all((await namesIn(root + folder)).map(async (name) => {
    const path = `${folder}/${name}`;
    if ((await Deno.stat(root + path)).isDirectory) return await routesIn(path);
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

/** What an operation answered last, as JSON. */
// deno-lint-ignore no-explicit-any -- each test of an answer says what it is
type Answered = (operation: string) => any;

interface Call {
  /** Of the description. */
  operation: string;
  status: number;
  /** For the parameters of the path; `id` is "clock" unless given, and may be of what another operation answered. */
  path?: Record<string, string> | ((answered: Answered) => Record<string, string>);
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

const ofReceiver = (answered: Answered) => ({ id: answered("createReceiver").id });

const CHANNEL = "live/clock/index.m3u8";

/** What is kept of the clock: Unix times in s. */
const PAST_START = 1_700_000_000;
const PAST = `start=${PAST_START - 60}&end=${PAST_START + 60}`;

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
  { operation: "getTransportStream", status: 200 },
  { operation: "getTransportStream", status: 404, path: { id: "gone" } },
  { operation: "headTransportStream", status: 200 },
  { operation: "startStream", status: 409, path: { id: "wall" } },
  { operation: "homeStream", status: 503 },
  { operation: "getSnapshot", status: 200 },
  { operation: "getSnapshot", status: 404, path: { id: "gone" } },
  { operation: "getSnapshotPng", status: 200 },
  { operation: "headPictures", status: 200 },
  { operation: "getPictures", status: 200, query: "fps=5" },
  { operation: "getPictures", status: 400, query: "fps=9" },
  { operation: "captureThumbnail", status: 202 },
  { operation: "getThumbnail", status: 200 },
  { operation: "getThumbnail", status: 404, path: { id: "wall" } },
  { operation: "getVncToken", status: 200, headers: { "x-requested-with": "browser-stream" } },
  { operation: "getVncToken", status: 403 },
  { operation: "getStreamEvents", status: 200 },
  { operation: "getStreamHeartbeats", status: 200 },
  { operation: "getPast", status: 200, query: PAST },
  { operation: "getPast", status: 400, query: "start=yesterday" },
  { operation: "getPastChanges", status: 200, query: PAST },
  { operation: "getPastPicture", status: 200, query: `at=${PAST_START}` },
  { operation: "getPastPicture", status: 404, query: `at=${PAST_START - 1}` },
  { operation: "getPastSheet", status: 200, query: `start=${PAST_START}&step=1` },
  { operation: "getPastList", status: 200, query: `start=${PAST_START}` },
  { operation: "getPastSegment", status: 200, query: `start=${PAST_START}&duration=9` },
  { operation: "getPastSegment", status: 404, query: `start=${PAST_START}&duration=60` },
  { operation: "addPastExport", status: 400, body: { start: PAST_START, end: PAST_START + 9, speed: 2 } },
  { operation: "addPastExport", status: 202, body: { start: PAST_START, end: PAST_START + 9, speed: 10 } },
  { operation: "getPastExports", status: 200 },
  { operation: "getPastExport", status: 404, path: { film: "gone.mp4" } },
  {
    operation: "deletePastExport",
    status: 204,
    path: (answered) => ({ film: answered("addPastExport").id }),
  },
  { operation: "getLogs", status: 200 },
  { operation: "getLog", status: 200, path: { program: "browser" } },
  { operation: "getLog", status: 404, path: { program: "browser" }, query: "download" },
  { operation: "recreateStream", status: 202 },
  { operation: "stopStream", status: 200 },
  { operation: "getHls", status: 200, path: { path: CHANNEL } },
  { operation: "getHls", status: 404, path: { path: "live/clock/gone.ts" } },
  { operation: "headHls", status: 200, path: { path: CHANNEL } },
  { operation: "optionsHls", status: 204, path: { path: CHANNEL } },
  { operation: "listChannels", status: 200 },
  { operation: "getPlayer", status: 200 },
  { operation: "getVncFile", status: 200, path: { path: "core/rfb.js" } },
  { operation: "getVncFile", status: 404, path: { path: "gone.js" } },
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
  { operation: "createReceiver", status: 400, body: { name: "" } },
  {
    operation: "createReceiver",
    status: 201,
    body: { name: "Own", way: "json", address: "http://127.0.0.1:1/hook" },
  },
  ...(["changeReceiver", "testReceiver"] as const).map((operation) => ({
    operation,
    status: 200,
    path: ofReceiver,
    ...(operation === "changeReceiver" ? { body: { name: "Mine" } } : {}),
  })),
  { operation: "listReceivers", status: 200 },
  { operation: "listIncidents", status: 200, query: "open=1" },
  { operation: "deleteReceiver", status: 204, path: ofReceiver },
  { operation: "deleteReceiver", status: 404, path: ofReceiver },
  { operation: "createAccessToken", status: 201, body: { name: "TV", streams: ["clock"] } },
  { operation: "listAccessTokens", status: 200 },
  { operation: "revokeAccessToken", status: 404, path: { id: "0123456789ab" } },
  {
    operation: "revokeAccessToken",
    status: 204,
    path: (answered) => ({ id: answered("createAccessToken").id }),
  },
  { operation: "addUser", status: 409, body: { name: "cleo", role: "viewer", password: "long enough" } },
  { operation: "addUser", status: 400, body: { name: "cleo", role: "boss", password: "short" } },
  { operation: "logUserOut", status: 404, path: { name: "gone" } },
  { operation: "removeUser", status: 404, path: { name: "gone" } },
  { operation: "changeUser", status: 404, path: { name: "gone" }, body: { role: "viewer" } },
  { operation: "listUsers", status: 200 },
  { operation: "listNodes", status: 200 },
  // of a machine that is alone; tests/pages/nodes_test.ts has those of a node
  { operation: "drainNode", status: 404, path: { name: "wall-a" } },
  { operation: "resumeNode", status: 404, path: { name: "wall-a" } },
  { operation: "getHealth", status: 200 },
  { operation: "getMetrics", status: 200 },
  { operation: "getChannelList", status: 200 },
  { operation: "getChannelListByEnding", status: 200 },
  { operation: "getGuide", status: 200 },
  { operation: "deleteStreams", status: 400 },
  { operation: "deleteStreams", status: 200, query: "ids=gone" },
  { operation: "deleteStream", status: 204, path: { id: "wall" } },
];

const TIMINGS = '{"trial":{"wholeMs":200,"pageMs":50,"lookMs":5},"feed":{"longestMs":1}}';

Deno.test("real answers of every operation are as described, and so are bodies that are taken", () =>
  callAll(false));

Deno.test("a node that is asked for another's streams answers every operation as they are described, and as the owner", () =>
  callAll(true));

/** Calls every operation. @param isAskedBeside of a node that does not have the streams. */
async function callAll(isAskedBeside: boolean): Promise<void> {
  await using receiver = testReceiver();
  await using channel = await recordedChannel("clock");
  await using files = vncFiles();
  await using app = await testApp({
    env: {
      MAX_STREAMS: "1",
      MEDIA_PORT: String(channel.port),
      VNC_PROXY_PORT: new URL(files.origin).port,
      WEBHOOK_URL: `${receiver.url}/hook`,
      TIMINGS,
    },
    isAskedBeside,
  });
  await app.service.disk.round();
  const kept = [PAST_START, PAST_START + 8];
  await writePast(pastFolder(app.paths), [{ number: 1, seconds: kept, reason: "visit" }], false);
  const api = apiDescription(await documentOf(app));
  assert.deepEqual(
    [...new Set(CALLS.map((call) => call.operation))].sort(),
    [...api.operations.keys()].sort(),
  );
  const texts = new Map<string, string>();
  const answered: Answered = (operation) => JSON.parse(texts.get(operation)!);
  for (const { operation, status, query = "", body, headers = {}, ...call } of CALLS) {
    const { path, method } = api.operations.get(operation)!;
    const params = { id: "clock", ...(typeof call.path === "function" ? call.path(answered) : call.path) };
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => params[name as "id"]);
    const init = {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    };
    // the next beats say how much room there is
    if (isAskedBeside) app.machine.advance(BEAT_MS);
    const answer = await app.fetch(`${filled}?${query}`, init);
    const text = await textOf(answer);
    const isRead = ["get", "head", "options"].includes(method.toLowerCase());
    if (isAskedBeside && isRead && !OF_EACH_NODE.includes(operation)) {
      const own = await app.fetchOwner(`${filled}?${query}`, init);
      assert.deepEqual(seen(answer, text), seen(own, await textOf(own)), `${operation} (${status})`);
    }
    texts.set(operation, text);
    assert.equal(answer.status, status, `${operation} (${status}): ${text}`);
    if (operation === "captureThumbnail") await app.service.fleet.get(streamId("clock")).thumbnail.capture();
    api.checkAnswer(operation, answer, text);
    if (body !== undefined && status < 300) api.checkBody(operation, body);
  }
  const successes = new Set(CALLS.filter(({ status }) => status < 300).map(({ operation }) => operation));
  const none = [...api.operations.keys()].filter((id) => !successes.has(id));
  const elsewhere = "they need a browser, and a cluster: tests/e2e/takeover/, tests/pages/nodes_test.ts";
  // tests/app/roles_test.ts has those of users: the first one would turn the login on
  const ofUsers = ["addUser", "changeUser", "removeUser", "logUserOut"];
  assert.deepEqual(
    none.filter((id) => !ofUsers.includes(id)),
    // a film is there some time after it was asked for: tests/app/exports_test.ts
    ["homeStream", "getPastExport", "drainNode", "resumeNode"],
    elsewhere,
  );
}

/** What two nodes have to answer alike: the status, the headers and their texts, and what the answer consists of. */
function seen(answer: Response, text: string) {
  const headers = Object.fromEntries([...answer.headers].map(([name, value]) => [
    name,
    SOMETIMES_OTHER.includes(name) ? "" : value,
  ]));
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  return { status: answer.status, headers, body: isJson ? shapeOf(JSON.parse(text)) : null };
}

/** Of what changes with each answer. */
const SOMETIMES_OTHER = ["date", "content-length", "etag"];

/** What each node tells of itself alone: of the messages that it has sent, and of what it has seen. */
const OF_EACH_NODE = ["getWebhook", "listReceivers", "listIncidents"];

/** The names of an answer's fields, however deep; a list is as its first element. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null || typeof value !== "object") return "";
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, shapeOf(of)]));
}

/** noVNC's files, as the VNC proxy has them. */
function vncFiles(): FakeUpstream {
  return fakeUpstream(({ path, answer }) =>
    path === "/core/rfb.js"
      ? answer(200, { "content-type": "text/javascript" }, "export {};\n")
      : answer(404, { "content-type": "text/html" }, "no")
  );
}

const EVENTS = { state: "StateEvent", status: "Status", thumbnail: "ThumbnailEvent", list: "ListEvent" };

const isRunning = ({ name, data }: FeedEvent) => name === "status" && data.state === "running";

appTest("each kind of event is as described", async (app) => {
  const api = apiDescription(await documentOf(app));
  await app.create({ desiredState: "stopped" });
  await using listener = new FeedListener(await app.fetch("/api/events"));
  const missing = new Set(Object.keys(EVENTS));
  const next = async () => {
    const event = await listener.next();
    assert.ok(event, `the connection ended without ${[...missing]}`);
    api.checkValue(EVENTS[event.name], event.data);
    missing.delete(event.name);
    return event;
  };
  const untilSeen = async (kind: keyof typeof EVENTS) => {
    while (missing.has(kind)) await next();
  };
  await untilSeen("state");
  await app.api("POST", "/api/streams/clock/start");
  // a status that is yet to be told would have the thumbnail's time in it
  for (let event = await next(); !isRunning(event); event = await next());
  await app.api("PATCH", "/api/streams/clock", { name: "Other" });
  await untilSeen("list");
  await app.service.fleet.get(streamId("clock")).thumbnail.capture();
  await untilSeen("thumbnail");
}, { isStarted: true, env: { TIMINGS: '{"statusCacheMs":1,"feed":{"roundMs":5}}' } });
