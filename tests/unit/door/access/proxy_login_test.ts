import assert from "node:assert/strict";
import { join } from "node:path";
import { proxyOf, readProxyLogin } from "../../../../lib/door/access/proxy_login.ts";
import { wayOutOf } from "../../../../lib/reach/way_out.ts";
import { tempDir } from "../../../support/fixture.ts";

const none = { HTTP_PROXY: "", HTTPS_PROXY: "", PROXY_LOGIN_FILE: "" };

Deno.test("the login stands in an address or in a file, and is for both proxies", async () => {
  await using dir = await tempDir();
  const file = join(dir.path, "login");
  await Deno.writeTextFile(file, "anna:a:b\n");
  const HTTP_PROXY = "http://proxy:3128";
  const HTTPS_PROXY = "http://anna:a%3Ab@secure:81";
  const expected = { places: ["proxy:3128", "secure:81"], user: "anna", pass: "a:b" };
  assert.deepEqual(await readProxyLogin({ ...none, HTTP_PROXY, HTTPS_PROXY }), expected);
  const both = { HTTP_PROXY, HTTPS_PROXY: "secure:81", PROXY_LOGIN_FILE: file };
  assert.deepEqual(await readProxyLogin(both), expected);
  assert.equal(await readProxyLogin({ ...none, HTTP_PROXY }), null);
  assert.equal(await readProxyLogin({ ...none, PROXY_LOGIN_FILE: file }), null);
});

Deno.test("two logins, or a file without one, stop the start, and the message has no password", async () => {
  await using dir = await tempDir();
  const file = join(dir.path, "login");
  await Deno.writeTextFile(file, "hush");
  const HTTP_PROXY = "http://anna:hush@proxy:3128";
  for (
    const [config, problem] of [
      [{ ...none, HTTP_PROXY, HTTPS_PROXY: "http://anna:hash@proxy:3128" }, /different logins/],
      [{ ...none, HTTP_PROXY, PROXY_LOGIN_FILE: file }, /is not user:password/],
    ] as const
  ) {
    await assert.rejects(readProxyLogin(config), (error) => {
      const { message } = error as Error;
      return problem.test(message) && !/hush|hash/.test(message);
    });
  }
});

Deno.test("a login goes to its own proxies alone", () => {
  const config = { HTTP_PROXY: "", HTTPS_PROXY: "proxy:3128", NO_PROXY: ["near.example"] };
  const login = { places: ["proxy:3128"], user: "anna", pass: "x" };
  const to = (url: string, field = "") => proxyOf(new URL(url), wayOutOf(config, field), login);
  const basicAuth = { username: "anna", password: "x" };
  assert.deepEqual(to("https://far.example/"), { url: "http://proxy:3128", basicAuth });
  assert.deepEqual(to("https://far.example/", "http://other:1"), { url: "http://other:1" });
  assert.equal(to("https://near.example/"), null);
  assert.equal(to("http://far.example/"), null);
});
