import assert from "node:assert/strict";
import type { DevTools } from "../../../lib/devtools/client.ts";
import { ProxyAuth } from "../../../lib/devtools/proxy_auth.ts";

const LOGIN = { places: ["proxy:3128", "secure:443"], user: "anna", pass: "p" };

/** What each that asks is answered, in their order. */
function answers(
  asked: { source?: string; origin: string; url?: string }[],
  { stream = { user: "", pass: "" }, isAlone = true } = {},
) {
  const given: { response: string; password?: string }[] = [];
  const send = (_method: string, params: { authChallengeResponse: { response: string } }) => {
    given.push(params.authChallengeResponse);
    return Promise.resolve({});
  };
  const auth = new ProxyAuth({ send } as unknown as DevTools, stream, {
    login: LOGIN,
    isAlone: () => isAlone,
  });
  for (const { url = "https://far.example/", ...authChallenge } of asked) {
    auth.answer({ requestId: "1", request: { url }, authChallenge });
  }
  return given.map(({ response, password }) => password ?? response);
}

const proxy = { source: "Proxy", origin: "http://proxy:3128" };

Deno.test("proxies that are ours get the login, others and servers nothing", () => {
  assert.deepEqual(answers([proxy]), ["p"]);
  assert.deepEqual(answers([{ ...proxy, origin: "https://secure" }]), ["p"]);
  for (const origin of ["http://proxy:3129", "http://other:3128", "https://proxy", "nonsense"]) {
    assert.deepEqual(answers([{ ...proxy, origin }]), ["CancelAuth"], origin);
  }
  assert.deepEqual(answers([{ source: "Server", origin: "http://proxy:3128" }]), ["CancelAuth"]);
});

Deno.test("a proxy that asks for the same address again refuses the login; it is told once more by another", () => {
  assert.deepEqual(answers([proxy, proxy, { ...proxy, url: "https://b.example/" }]), [
    "p",
    "CancelAuth",
    "p",
  ]);
});

Deno.test("servers of a stream with a login are left to its sign-in, and dialogs to who is in the browser", () => {
  const server = { source: "Server", origin: "https://far.example" };
  assert.deepEqual(answers([server], { stream: { user: "u", pass: "" } }), ["Default"]);
  const wrong = { ...proxy, origin: "http://other:1" };
  assert.deepEqual(answers([server, wrong], { isAlone: false }), ["Default", "Default"]);
});
