import assert from "node:assert/strict";
import { storedApart, takenApart } from "../../../../lib/model/entered/address_logins.ts";
import { loginInAddress } from "../../../../lib/model/web_address.ts";

Deno.test("the login of an address is what a browser reads, and the rest of the address stays as it is", () => {
  const table: [typed: string, url: string, user: string, pass: string][] = [
    [
      "http://wall:s3cret%40x@10.0.0.7:8080/auth/?a=b@c#d",
      "http://10.0.0.7:8080/auth/?a=b@c#d",
      "wall",
      "s3cret@x",
    ],
    [" HTTPS://anna@intern.example.org ", "HTTPS://intern.example.org", "anna", ""],
    ["http://:word@a.lan/", "http://a.lan/", "", "word"],
    ["http://a%3Ab:c:d@a.lan/", "http://a.lan/", "a:b", "c:d"],
    ["http://wall:p@ss@a.lan/ü", "http://a.lan/ü", "wall", "p@ss"],
    ["http://wall:100%@a.lan/", "http://a.lan/", "wall", "100%"],
    ["http://w:%E4%20%C3%A4@a.lan/", "http://a.lan/", "w", "%E4%20%C3%A4"],
    ["http://w:%C3%A4%20b@[fd00::1]:81/", "http://[fd00::1]:81/", "w", "ä b"],
  ];
  const wrong = table.filter(([typed, url, user, pass]) => {
    const login = loginInAddress(typed);
    return login?.url !== url || login.user !== user || login.pass !== pass;
  }).map(([typed]) => [typed, loginInAddress(typed)]);
  assert.deepEqual(wrong, []);
  for (
    const plain of [
      ...[
        "https://www.example.org/@channel",
        "https://a.lan/?to=anna@b.lan",
        "anna@example.org",
        "mailto:a@b.org",
      ],
      ...[
        "http://@a.lan/",
        "http://:@a.lan/",
        "ftp://u:p@a.lan/",
        "http://domain\\wall:x@a.lan/",
        "http://u:p/w@a.lan/",
        "",
        "no address @ all",
      ],
    ]
  ) assert.equal(loginInAddress(plain), null, plain);
});

const A = "https://a.example/", AU = "https://u:p@a.example/";
const LONG = `https://u:${"p".repeat(1025)}@a.example/`;
const MANY = Array.from({ length: 10 }, (_, at) => `https://s${at}.example`).join(" ");

Deno.test("entered: a login moves into user and pass, and one without a place is refused at its field", () => {
  type Fields = Record<string, unknown>;
  const table: [what: string, given: Fields, known: Fields, changed: Fields, refused: string[]][] = [
    ["nothing", { url: A, user: "x" }, {}, {}, []],
    ["the page's", { url: AU }, {}, { url: A, user: "u", pass: "p" }, []],
    ["only a user", { url: "https://u@a.example/" }, {}, { url: A, user: "u" }, []],
    ["the same twice", { url: AU, user: "u", pass: "p" }, {}, { url: A }, []],
    ["empty fields", { url: AU, user: "", pass: "" }, {}, { url: A, user: "u", pass: "p" }, []],
    ["another user", { url: AU, user: "v" }, {}, { url: A, pass: "p" }, ["user"]],
    ["another password", { url: AU, pass: "q" }, {}, { url: A, user: "u" }, ["pass"]],
    [
      "a further page of the site",
      { url: A, morePages: "https://u:p@a.example/2 20\nhttps://b.example/" },
      {},
      { morePages: "https://a.example/2 20\nhttps://b.example/", user: "u", pass: "p" },
      [],
    ],
    [
      "a page of the plan, of a stored stream",
      { plan: "daily 00:00-24:00 https://u:p@a.example/2" },
      { url: A },
      { plan: "daily 00:00-24:00 https://a.example/2", user: "u", pass: "p" },
      [],
    ],
    [
      "two sites with one login",
      { url: AU, morePages: "https://u:p@b.example/" },
      {},
      { url: A, morePages: "https://b.example/", user: "u", pass: "p", loginOrigins: "https://b.example" },
      [],
    ],
    [
      "two sites with two logins",
      { url: AU, morePages: "https://v:q@b.example/" },
      {},
      { url: A, morePages: "https://b.example/", user: "u", pass: "p" },
      ["morePages"],
    ],
    [
      "another site's alone: its password would go to the page's site",
      { url: A, morePages: "https://u:p@b.example/" },
      {},
      { morePages: "https://b.example/" },
      ["morePages"],
    ],
    [
      "another site's that may have it",
      { url: A, morePages: "https://u:p@b.example/", loginOrigins: ["https://b.example"] },
      {},
      { morePages: "https://b.example/", user: "u", pass: "p" },
      [],
    ],
    [
      "a further page's, where the stream has another",
      { morePages: "https://u:q@a.example/2" },
      { url: A, user: "a", pass: "b" },
      { morePages: "https://a.example/2" },
      ["morePages"],
    ],
    [
      "a plan's with another password alone",
      { plan: "daily 00:00-24:00 https://u:q@a.example/2" },
      { url: A, user: "u", pass: "p" },
      { plan: "daily 00:00-24:00 https://a.example/2", user: "u" },
      ["plan"],
    ],
    [
      "a further page's, where the stream has the same, or the request says it",
      { morePages: "https://u:q@a.example/2", pass: "q" },
      { url: A, user: "u", pass: "p" },
      { morePages: "https://a.example/2", user: "u", pass: "q" },
      [],
    ],
    [
      "the page's own, where the stream has another",
      { url: AU },
      { url: A, user: "a", pass: "b" },
      { url: A, user: "u", pass: "p" },
      [],
    ],
    ["what an old export left out", { url: "https://REMOVED@a.example/" }, {}, { url: A }, []],
    ["no texts", { url: 5, morePages: null, plan: ["https://u:p@a.example/"] }, {}, {}, []],
  ];
  const wrong = table.flatMap(([what, given, known, changed, refused]) => {
    const { fields, problems } = takenApart(given, known);
    const isRight = equal(fields, { ...given, ...changed }) && equal(Object.keys(problems), refused) &&
      Object.values(problems).every((text) => /Example/.test(text) && !/[uv]:[pq]@/.test(text));
    return isRight ? [] : [{ what, fields, problems }];
  });
  assert.deepEqual(wrong, []);
});

Deno.test("stored: nothing is refused or lost, and what has no field stays in a hidden one", () => {
  type Fields = Record<string, unknown>;
  const left = (...addresses: string[]) => ({ addressCredentials: addresses });
  const table: [what: string, record: Fields, changed: Fields][] = [
    ["the page's", { url: AU }, { url: A, user: "u", pass: "p" }],
    ["the fields have the user", { url: AU, user: "u" }, { url: A, pass: "p" }],
    ["the fields have another", { url: AU, user: "v", pass: "q" }, { url: A, ...left(AU) }],
    ["a further password is no other user's", { url: AU, user: "v" }, { url: A, ...left(AU) }],
    [
      "two logins",
      { url: AU, morePages: "https://v:q@b.example/ 20" },
      { url: A, user: "u", pass: "p", morePages: "https://b.example/ 20", ...left("https://v:q@b.example/") },
    ],
    [
      "another site's alone",
      { url: A, morePages: "https://u:p@b.example/" },
      { morePages: "https://b.example/", ...left("https://u:p@b.example/") },
    ],
    ["a password that is longer than its field", { url: LONG }, { url: A, ...left(LONG) }],
    [
      "more sites than their field takes",
      { url: AU, morePages: "https://u:p@b.example/", loginOrigins: MANY },
      { url: A, user: "u", pass: "p", morePages: "https://b.example/", ...left("https://u:p@b.example/") },
    ],
    [
      "one that was left before",
      { url: AU, user: "v", ...left("https://w:r@c.example/") },
      { url: A, ...left("https://w:r@c.example/", AU) },
    ],
  ];
  const wrong = table.flatMap(([what, record, changed]) => {
    const { fields, problems } = storedApart(record);
    return equal(fields, { ...record, ...changed }) && equal(problems, {})
      ? []
      : [{ what, fields, problems }];
  });
  assert.deepEqual(wrong, []);
});

function equal(one: unknown, other: unknown): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}
