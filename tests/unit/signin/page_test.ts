/** Which findings on a page make it a login page. */
import { strict as assert } from "node:assert";
import type { Form } from "../../../lib/signin/form.ts";
import { isElsewhere, isForLogin } from "../../../lib/signin/page.ts";
import { LOGIN_WORDS } from "../../../lib/signin/words.ts";

Deno.test("login page: another site is one of another host or port, whatever the scheme", () => {
  const rows: [origin: string, url: string, isElsewhere: boolean][] = [
    ["https://sso.example.org", "https://wall.example.org/", true],
    ["https://wall.example.org:8443", "https://wall.example.org/", true],
    ["https://wall.example.org", "http://wall.example.org/board", false],
    ["https://www.example.org", "https://example.org/", false],
    ["https://example.org", "https://www.example.org/", false],
    ["null", "https://example.org/", false],
  ];
  for (const [origin, url, expected] of rows) {
    assert.equal(isElsewhere(origin, url), expected, `${origin} ${url}`);
  }
});

Deno.test("login page: a form is one, and a question only where the page says so, or is at another site", () => {
  const rows: [form: Partial<Form>, own: boolean, elsewhere: boolean][] = [
    [{}, false, false],
    [{ asks: "nothing", saysLogin: true }, false, false],
    [{ asks: "loading", saysLogin: true }, false, false],
    [{ asks: "password" }, true, true],
    [{ asks: "user" }, true, true],
    [{ asks: "code" }, true, true],
    [{ asks: "button" }, true, true],
    [{ asks: "password", isBeside: true }, false, false],
    [{ asks: "account" }, false, true],
    [{ asks: "stay" }, false, true],
    [{ asks: "account", saysLogin: true }, true, true],
    [{ asks: "account", isBeside: true }, false, false],
    [{ asks: "new-password" }, false, false],
    [{ asks: "new-password", saysLogin: true }, true, true],
  ];
  const found = rows.map(([form]) => [form, isForLogin(form, false), isForLogin(form, true)]);
  assert.deepEqual(found, rows);
});

Deno.test("login page: the words of a login, and words that only look like them", () => {
  const logins = [
    "Login",
    "Log in",
    "Sign-in",
    "user_login",
    "Single sign-on",
    "Anmelden",
    "Melden Sie sich an",
  ];
  const others = [
    ...[
      "Blog on design",
      "Backlog in progress",
      "Design in Berlin",
      "Signing",
      "Authors",
      "Dialog",
      "Logistics",
    ],
    ...["Anmeldung zum Sommerfest", "Connexions par heure", "Control de acceso", "Sign out", "Log out"],
  ];
  assert.deepEqual(logins.filter((text) => !LOGIN_WORDS.login.test(text)), []);
  assert.deepEqual(others.filter((text) => LOGIN_WORDS.login.test(text)), []);
  const paths = [
    "/login",
    "/auth/realms/x",
    "/users/sign_in",
    "/#/login",
    "/oauth2/authorize",
    "/index.php?action=login",
  ];
  const plain = ["/", "/blog/in-progress", "/authors", "/dialogs", "/signage", "/d/abc?from=login"];
  assert.deepEqual(paths.filter((path) => !LOGIN_WORDS.loginAddress.test(path)), []);
  assert.deepEqual(plain.filter((path) => LOGIN_WORDS.loginAddress.test(path)), []);
});
