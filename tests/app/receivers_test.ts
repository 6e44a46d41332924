/** Receivers of messages that people set up: each way over its wire, and what anybody may see of them. */
import { strict as assert } from "node:assert";
import { sendMail } from "../../lib/messages/mail.ts";
import { appTest, testApp } from "../support/app.ts";
import { testReceiver } from "../support/receiver.ts";
import { same } from "../support/same.ts";
import { testMailServer } from "../support/smtp_server.ts";

const FAST = JSON.stringify({ statusCacheMs: 1, webhook: { roundMs: 10 } });
const ENV = { WEBHOOK_AFTER_SECONDS: "0", TIMINGS: FAST };

/** Where each way's message has the name of the stream that failed. */
const WAYS: [way: string, path: string, fields: Record<string, unknown>, said: string][] = [
  ["json", "/hook", { secret: "s3cret" }, "Lobby has failed"],
  ["ntfy", "/topic", {}, "Lobby has failed"],
  ["slack", "/services/T0", {}, "Lobby has failed"],
  ["discord", "/api/webhooks/1/x", {}, "Lobby has failed"],
  ["gotify", "/message?token=A1", {}, "Lobby has failed"],
  ["teams", "/workflows/1", {}, "Lobby has failed"],
  ["telegram", "", { token: "12:AB", chat: "@walls" }, "Lobby has failed"],
];

Deno.test("each way by HTTP: its test, and a stream that fails, which only the group's receivers learn", async () => {
  await using receiver = testReceiver();
  await using app = await testApp({ env: ENV, isStarted: true });
  for (const [way, path, fields] of WAYS) {
    const body = { name: way, way, address: receiver.url + path, groups: ["walls"], ...fields };
    const { status, json } = await app.api("POST", "/api/receivers", body);
    assert.equal(status, 201, JSON.stringify(json));
    const tried = await app.api("POST", `/api/receivers/${json.id}/test`);
    assert.deepEqual(tried.json, { isDelivered: true, status: 200, problem: "" }, way);
  }
  const others = { name: "Others", way: "json", address: `${receiver.url}/others` };
  await app.api("POST", "/api/receivers", { ...others, groups: ["Kitchen"] });
  await app.api("POST", "/api/receivers", { ...others, kinds: ["disk"] });
  const tests = receiver.received.splice(0);
  assert.equal(tests.length, WAYS.length);
  assert.equal(tests.at(-1)!.path, "/bot12:AB/sendMessage");
  await app.create({ name: "Lobby", group: "Walls" });
  app.machine.supervisord.setState("encoder-lobby", "FATAL");
  const all = await receiver.until(WAYS.length);
  for (const [way, , , said] of WAYS) {
    assert.ok(all.some(({ body, path }) => body.includes(said) && path !== "/others"), way);
  }
  assert.ok(all.every(({ path }) => path !== "/others"));
});

Deno.test("an address without its scheme is completed, and an example is of the way that was chosen", async () => {
  await using receiver = testReceiver();
  await using app = await testApp({ env: ENV });
  const address = receiver.url.replace("http://", "");
  const { json } = await app.api("POST", "/api/receivers", {
    name: "A",
    way: "json",
    address: `${address}/a`,
  });
  const tried = await app.api("POST", `/api/receivers/${json.id}/test`);
  assert.deepEqual([tried.json.isDelivered, receiver.received[0].path], [true, "/a"]);
  const refused = await app.api("POST", "/api/receivers", { name: "A", way: "slack", address: "" });
  assert.match(refused.json.error.fields.address, /Example: https:\/\/hooks\.slack\.com\//);
  const wrong = await app.api("POST", "/api/receivers", { name: "A", way: "json", address: "no address" });
  assert.match(wrong.json.error.fields.address, /^This is not a complete web address\. Example: /);
});

Deno.test("by mail: a wrong password is said and not shown, the right one delivers, and none goes unencrypted", async () => {
  await using server = testMailServer("tv:open sesame");
  await using app = await testApp({ env: ENV });
  const mail = {
    name: "Anna",
    way: "mail",
    server: "127.0.0.1",
    port: server.port,
    security: "none",
    from: "tv@example.org",
    to: "anna@example.org, otto@example.org",
    user: "tv",
    password: "guessed",
  };
  const secure = await app.api("POST", "/api/receivers", { ...mail, security: "starttls" });
  const open = await app.api("POST", `/api/receivers/${secure.json.id}/test`);
  assert.deepEqual([open.json.isDelivered, server.logins], [false, []], "nothing is said without encryption");
  assert.equal(
    open.json.problem,
    "The mail server refuses STARTTLS: 502 not here. Choose another encryption or port.",
  );
  const { json: { id, ...shown } } = await app.api("POST", "/api/receivers", mail);
  assert.deepEqual([shown.host, shown.kept, "password" in shown], ["127.0.0.1", ["password"], false]);
  const refused = await app.api("POST", `/api/receivers/${id}/test`);
  assert.deepEqual([refused.json.isDelivered, refused.json.status], [false, 535]);
  assert.match(refused.json.problem, /^The mail server answered: 535 wrong: tv:…/);
  await app.api("PATCH", `/api/receivers/${id}`, { password: "open sesame" });
  const taken = await app.api("POST", `/api/receivers/${id}/test`);
  assert.deepEqual(taken.json, { isDelivered: true, status: 250, problem: "" });
  const [{ from, to, text }] = server.received;
  assert.deepEqual([from, to], ["tv@example.org", ["anna@example.org", "otto@example.org"]]);
  assert.match(text, /Subject: Browser Stream: test message/);
  await server[Symbol.asyncDispose]();
  const away = await app.api("POST", `/api/receivers/${id}/test`);
  assert.match(away.json.problem, /^The mail server cannot be reached: /);
});

Deno.test("a mail server that has not ended when its message is given up is left", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const route = {
    server: "127.0.0.1",
    port: listener.addr.port,
    security: "none" as const,
    user: "",
    password: "",
    from: "tv@example.org",
    to: "anna@example.org",
  };
  const message = {
    id: "1",
    event: "test" as const,
    at: 0,
    stream: null,
    state: null,
    reason: "",
    downSince: null,
    link: "",
  };
  const stopping = new AbortController();
  // far longer than the test: a silence of the server does not end it
  const sent = sendMail(message, route, { answerMs: 600_000, signal: stopping.signal, address: "127.0.0.1" });
  using connection = await listener.accept();
  await connection.write(new TextEncoder().encode("220 mail.test\r\n"));
  const bytes = new Uint8Array(1000);
  const length = await connection.read(bytes);
  assert.match(new TextDecoder().decode(bytes.subarray(0, length!)), /^EHLO /);
  await connection.write(new TextEncoder().encode("250-mail.test\r\n"));
  stopping.abort();
  assert.equal((await sent).problem, "The mail server cannot be reached: The service is being stopped.");
  let isLeft = false;
  const left = connection.read(bytes).then((count) => isLeft = count === null);
  await same(() => isLeft, true, "nothing holds the connection");
  await left;
});

Deno.test("a receiver's name is looked up once: what was judged is what the message goes to", async () => {
  await using receiver = testReceiver();
  await using server = testMailServer("tv:open sesame");
  await using app = await testApp({ env: ENV });
  const looks: string[] = [];
  // whoever asks again learns another address
  app.machine.network.resolve = (name) => {
    const answer = looks.includes(name) ? "169.254.169.254" : "127.0.0.1";
    looks.push(name);
    return Promise.resolve([answer]);
  };
  const ways = {
    "hook.invalid": { way: "json", address: `http://hook.invalid:${new URL(receiver.url).port}/` },
    "mail.invalid": {
      way: "mail",
      server: "mail.invalid",
      port: server.port,
      security: "none",
      from: "tv@example.org",
      to: "anna@example.org",
      user: "tv",
      password: "open sesame",
    },
  };
  for (const [name, way] of Object.entries(ways)) {
    const { json: { id } } = await app.api("POST", "/api/receivers", { name, ...way });
    const { json } = await app.api("POST", `/api/receivers/${id}/test`);
    assert.deepEqual([json.isDelivered, json.problem], [true, ""], name);
  }
  assert.deepEqual(looks, Object.keys(ways));
  assert.equal(receiver.received[0].headers.get("host"), `hook.invalid:${new URL(receiver.url).port}`);
});

appTest("no message goes to a name that leads to a cloud's metadata service, by no way", async (app) => {
  app.machine.network.resolve = () => Promise.resolve(["169.254.169.254"]);
  const mail = { way: "mail", server: "receiver.test", from: "tv@example.org", to: "anna@example.org" };
  for (const way of [mail, { way: "json", address: "http://receiver.test/" }]) {
    const { json: { id } } = await app.api("POST", "/api/receivers", { name: "Anna", ...way });
    const { json } = await app.api("POST", `/api/receivers/${id}/test`);
    assert.deepEqual(json, {
      isDelivered: false,
      status: null,
      problem: "Its name leads to a cloud's metadata service. Messages are not sent there.",
    });
  }
});

appTest("bad input names its field; a changed place wants its secret anew; nothing is lost", async (app) => {
  const fieldsOf = async (body: unknown) =>
    Object.keys((await app.api("POST", "/api/receivers", body)).json.error.fields);
  assert.deepEqual(await fieldsOf({ way: "json", address: "ftp://x" }), ["name", "address"]);
  assert.deepEqual(await fieldsOf({ name: "A", way: "json", address: "http://169.254.169.254/" }), [
    "address",
  ]);
  assert.deepEqual(await fieldsOf({ name: "A", way: "ntfy", address: "https://ntfy.sh/" }), ["address"]);
  assert.deepEqual(await fieldsOf({ name: "A", way: "mail" }), ["server", "from", "to"]);
  assert.deepEqual(await fieldsOf({ name: "A", way: "telegram", quietFrom: "22:00" }), [
    "quietTo",
    "token",
    "chat",
  ]);
  const bot = { name: "A", way: "telegram", token: "1:A", chat: "2" };
  const { json: { id } } = await app.api("POST", "/api/receivers", bot);
  const moved = await app.api("PATCH", `/api/receivers/${id}`, { address: "https://bots.example.org" });
  assert.deepEqual([moved.status, Object.keys(moved.json.error.fields)], [400, ["token"]]);
  const renamed = await app.api("PATCH", `/api/receivers/${id}`, { name: "B" });
  assert.deepEqual([renamed.json.name, renamed.json.kept], ["B", ["token"]]);
  assert.equal((await app.api("DELETE", `/api/receivers/${id}`)).status, 204);
  assert.equal((await app.api("PATCH", `/api/receivers/${id}`, {})).status, 404);
  assert.deepEqual((await app.api("GET", "/api/receivers")).json, []);
});

Deno.test("incidents say from, to and what, and are found by stream, group, kind and whether they go on", async () => {
  await using app = await testApp({ env: ENV, isStarted: true });
  await app.create({ name: "Lobby", group: "Walls" });
  await app.create({ name: "Hall" });
  const asked = async (query = "") => (await app.api("GET", `/api/incidents${query}`)).json;
  app.machine.supervisord.setState("encoder-lobby", "FATAL");
  await same(async () => (await asked()).open, 1);
  app.machine.supervisord.setState("encoder-hall", "FATAL");
  await same(async () => (await asked("?open=1")).incidents.map((one: { stream: string }) => one.stream), [
    "hall",
    "lobby",
  ]);
  app.machine.supervisord.setState("encoder-lobby", "RUNNING");
  await same(async () => (await asked()).open, 1);
  const { incidents: [lobby] } = await asked("?group=walls");
  assert.deepEqual([lobby.stream, lobby.kind, lobby.to >= lobby.from], ["lobby", "failed", true]);
  assert.match(lobby.what, /Encoder/);
  assert.equal((await asked("?kind=certificate")).incidents.length, 0);
  assert.equal((await asked("?stream=hall")).incidents.length, 1);
  await app.api("DELETE", "/api/streams/hall");
  await same(async () => (await asked()).open, 0);
});
