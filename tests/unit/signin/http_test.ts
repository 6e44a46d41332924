import assert from "node:assert/strict";
import type { DevTools } from "../../../lib/browser/client.ts";
import { HttpLogin } from "../../../lib/signin/http.ts";

const URL = "https://far.example/";
const PROXY_LOGIN = { places: ["proxy:3128", "secure:443"], user: "anna", pass: "p" };
const STREAM = { url: URL, loginOrigins: "", user: "ops", pass: "own", proxyLogin: PROXY_LOGIN };

interface Asked {
  source?: string;
  origin: string;
  url?: string;
}

/** What each that asks is answered, in their order: the password, or the answer without one. */
async function answers(asked: Asked[], { login = STREAM, isTakenOver = false } = {}): Promise<string[]> {
  const given: string[] = [];
  let told = Promise.withResolvers<void>();
  const send = (_: string, params: { authChallengeResponse: { response: string; password?: string } }) => {
    given.push(params.authChallengeResponse.password ?? params.authChallengeResponse.response);
    told.resolve();
    return Promise.resolve({});
  };
  const page = { send } as unknown as DevTools;
  const http = new HttpLogin(login, { elapsed: () => 0, isTakenOver: () => Promise.resolve(isTakenOver) });
  for (const { url = URL, ...authChallenge } of asked) {
    told = Promise.withResolvers();
    http.answer(page, { requestId: "1", request: { url }, authChallenge });
    await told.promise;
  }
  return given;
}

const proxy = { source: "Proxy", origin: "http://proxy:3128" };
const server = { source: "Server", origin: "https://far.example" };

Deno.test("proxies that are ours get their login, the stream's server its own, others nothing", async () => {
  assert.deepEqual(await answers([proxy, server]), ["p", "own"]);
  assert.deepEqual(await answers([{ ...proxy, origin: "https://secure" }]), ["p"]);
  for (const origin of ["http://proxy:3129", "http://other:3128", "https://proxy", "nonsense"]) {
    assert.deepEqual(await answers([{ ...proxy, origin }]), ["CancelAuth"], origin);
  }
  assert.deepEqual(await answers([{ ...server, origin: "http://proxy:3128" }]), ["CancelAuth"]);
  assert.deepEqual(await answers([{ ...proxy, origin: "https://far.example" }]), ["CancelAuth"]);
});

Deno.test("who asks for the same address again refuses the login; a proxy is told once more by another", async () => {
  const other = { ...proxy, url: "https://b.example/" };
  assert.deepEqual(await answers([proxy, proxy, other, server]), ["p", "CancelAuth", "p", "own"]);
  assert.deepEqual(await answers([server, server]), ["own", "CancelAuth"]);
});

Deno.test("who has no login answers proxies alone, and leaves dialogs to who is in the browser", async () => {
  const login = { ...STREAM, user: "", pass: "" };
  assert.deepEqual(await answers([proxy, server], { login }), ["p", "CancelAuth"]);
  const wrong = { ...proxy, origin: "http://other:1" };
  assert.deepEqual(await answers([server, wrong], { login, isTakenOver: true }), ["Default", "Default"]);
});

Deno.test("of the addresses that got the login the newest 50 are known, however many ask and however long they are", async () => {
  const asked = Array.from({ length: 60 }, (_, at) => ({ ...server, url: `${URL}${at}` }));
  assert.deepEqual((await answers([...asked, asked[9], asked[59]])).slice(-2), ["own", "CancelAuth"]);
  const login = { ...STREAM, user: "", pass: "" };
  const other = Array.from({ length: 60 }, (_, at) => ({ ...proxy, url: `${URL}${at}` }));
  assert.deepEqual((await answers([...other, other[9], other[59]], { login })).slice(-2), [
    "p",
    "CancelAuth",
  ]);
  const long = (end: string) => ({ ...server, url: `${URL}${"x".repeat(100_000)}${end}` });
  assert.deepEqual(await answers([long("a"), long("b"), long("a")]), ["own", "own", "CancelAuth"]);
});
