import { strict as assert } from "node:assert";
import { ConsoleErrors } from "../../../../lib/live/page/console_errors.ts";
import type { DevTools } from "../../../../lib/browser/client.ts";
import { aGround, aKeptStream } from "../../../support/ground.ts";

function aConsole() {
  const told: string[] = [];
  const sent: string[] = [];
  const clock = { now: 0 };
  const devtools = {
    send: (method: string) => (sent.push(method), Promise.resolve()),
  } as unknown as DevTools;
  const world = aGround();
  world.machine.elapsed = () => clock.now;
  const live = aKeptStream(world);
  live.tell = (_kind, text) => void told.push(text);
  const errors = new ConsoleErrors({ live, ground: world.ground });
  const log = (type: string, ...args: unknown[]) =>
    errors.handle(devtools, "Runtime.consoleAPICalled", { type, args: args.map((value) => ({ value })) });
  return { told, sent, clock, devtools, errors, log };
}

Deno.test("console: errors and exceptions are told, other words are not", () => {
  const { told, errors, devtools, log } = aConsole();
  log("log", "hello");
  log("error", "cannot load", 7);
  const exception = { description: "TypeError: x is not a function\n    at a.js:1" };
  errors.handle(devtools, "Runtime.exceptionThrown", { exceptionDetails: { text: "Uncaught", exception } });
  errors.handle(devtools, "Runtime.exceptionThrown", {});
  assert.deepEqual(told, ["cannot load 7", "TypeError: x is not a function at a.js:1"]);
});

Deno.test("console: the token in a wall's address is not told", () => {
  const { told, errors, devtools, log } = aConsole();
  const url = "http://wall.browser-stream.alt/t/mirror.SECRET/api/walls/lobby/view";
  const entry = { level: "error", source: "network", text: "Failed to load resource: 404", url };
  errors.handle(devtools, "Log.entryAdded", { entry });
  log("error", `no answer of ${url} within 8000 ms`);
  assert.equal(told.length, 2);
  for (const text of told) assert.ok(text.includes("/t/[token]/api") && !text.includes("SECRET"), text);
});

Deno.test("console: a few errors a minute, and the same one once", () => {
  const { told, clock, log } = aConsole();
  log("error", "same");
  log("error", "same");
  for (let count = 0; count < 20; count++) log("error", `number ${count}`);
  assert.deepEqual(told, ["same", "number 0", "number 1"]);
  clock.now = 61_000;
  log("error", "later");
  assert.equal(told.length, 4);
});

const FORGOTTEN = ["Runtime.discardConsoleEntries", "Log.clear"];

const FLOODS: [of: string, method: string, params: Record<string, unknown>][] = [
  ["calls", "Runtime.consoleAPICalled", { type: "log", args: [] }],
  ["exceptions", "Runtime.exceptionThrown", { exceptionDetails: { text: "Uncaught" } }],
  ["the browser's own messages", "Log.entryAdded", { entry: { level: "warning", text: "deprecated" } }],
];
for (const [of, method, params] of FLOODS) {
  Deno.test(`console: a flood of ${of} is not listened to for a minute`, () => {
    const { sent, clock, errors, devtools } = aConsole();
    for (let count = 0; count < 500; count++) errors.handle(devtools, method, params);
    assert.deepEqual(sent, ["Runtime.disable", "Log.disable"]);
    errors.resume(devtools);
    assert.deepEqual(sent.splice(0).slice(2), FORGOTTEN);
    clock.now = 60_000;
    errors.resume(devtools);
    // what was logged meanwhile is not told again, which would be the next flood
    assert.deepEqual(sent, [...FORGOTTEN, "Runtime.enable", "Log.enable"]);
  });
}

Deno.test("console: what was told is forgotten by the browser at the next look, once", () => {
  const { sent, errors, devtools, log } = aConsole();
  errors.resume(devtools);
  log("log", "hello");
  assert.deepEqual(sent, []);
  for (let look = 0; look < 2; look++) errors.resume(devtools);
  assert.deepEqual(sent, FORGOTTEN);
});

Deno.test("console: a page's frames are no flood", () => {
  const { sent, errors, devtools } = aConsole();
  for (let count = 0; count < 500; count++) errors.handle(devtools, "Runtime.executionContextCreated", {});
  errors.resume(devtools);
  assert.deepEqual(sent, []);
});

Deno.test("console: what a stream's own script logs is told beside a page that logs a lot", () => {
  const { told, log } = aConsole();
  for (let count = 0; count < 20; count++) log("error", `number ${count}`);
  for (let count = 0; count < 20; count++) log("error", `The stream's script: Error: ${count}`);
  assert.equal(told.length, 6);
  assert.equal(told[3], "The stream's script: Error: 0");
});
