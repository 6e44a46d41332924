import assert from "node:assert/strict";
import { methodCall, parseResponse, XmlRpcFault, type XmlValue } from "../../../lib/supervisor/xmlrpc.ts";

/** As Python's xmlrpc.client writes it, line breaks and all; the newer parts of supervisord leave them out. */
const SUPERVISORD = `<?xml version='1.0'?>
<methodResponse>
<params>
<param>
<value><array><data>
<value><struct>
<member>
<name>name</name>
<value><string>browser-a</string></value>
</member>
<member>
<name>pid</name>
<value><int>812</int></value>
</member>
<member>
<name>spawnerr</name>
<value><string>can't find command &#x27;a&lt;b&#39; &amp;amp;</string></value>
</member>
<member>
<name>stdout_logfile</name>
<value><string></string></value>
</member>
</struct></value>
<value><struct></struct></value>
</data></array></value>
</param>
</params>
</methodResponse>
`;

const response = (value: string) =>
  `<?xml version="1.0"?><methodResponse><params><param>${value}</param></params></methodResponse>`;

Deno.test("a response of supervisord", () => {
  const [program, empty] = parseResponse(SUPERVISORD) as Record<string, XmlValue>[];
  assert.deepEqual({ ...program }, {
    name: "browser-a",
    pid: 812,
    spawnerr: "can't find command 'a<b' &amp;",
    stdout_logfile: "",
  });
  assert.deepEqual(Object.keys(empty), []);
});

const VALUES: [xml: string, value: XmlValue][] = [
  ["<value/>".replace("/>", "></value>"), ""],
  ["<value>bare</value>", "bare"],
  ["<value>  </value>", "  "],
  ["<value><string>  two  </string></value>", "  two  "],
  ["<value>\n  <i4>-7</i4>\n</value>", -7],
  ["<value><double>1.5</double></value>", 1.5],
  ["<value><boolean>1</boolean></value>", true],
  ["<value><boolean>0</boolean></value>", false],
  ["<value><array><data></data></array></value>", []],
  [
    "<value><string>&lt;value&gt; &#228; &#x1F600; &quot;&apos; &nbsp; &constructor;</string></value>",
    "<value> ä 😀 \"' &nbsp; &constructor;",
  ],
];

for (const [xml, value] of VALUES) {
  Deno.test(`${xml} is ${JSON.stringify(value)}`, () =>
    assert.deepEqual(parseResponse(response(xml)), value));
}

Deno.test("a member named __proto__ is data", () => {
  const member = "<member><name>__proto__</name><value><int>1</int></value></member>";
  const struct = parseResponse(response(`<value><struct>${member}</struct></value>`));
  assert.deepEqual(Object.entries(struct), [["__proto__", 1]]);
});

Deno.test("a fault is thrown with the server's words", () => {
  const fault = `<?xml version='1.0'?><methodResponse><fault><value><struct>
    <member><name>faultCode</name><value><int>10</int></value></member>
    <member><name>faultString</name><value><string>BAD_NAME: x&gt;y</string></value></member>
    </struct></value></fault></methodResponse>`;
  assert.throws(
    () => parseResponse(fault),
    (error) => error instanceof XmlRpcFault && error.message === "BAD_NAME: x>y",
  );
});

Deno.test("a truncated response is a SyntaxError, wherever it ends", () => {
  const whole = SUPERVISORD.lastIndexOf("</value>") + "</value>".length;
  for (let length = 0; length < whole; length++) {
    assert.throws(
      () => parseResponse(SUPERVISORD.slice(0, length)),
      SyntaxError,
      `after ${length} characters`,
    );
  }
});

const MALFORMED = [
  "",
  "502 Bad Gateway",
  "<html><body>no</body></html>",
  "<value><int>1</value>",
  "<value><array><value>1</value></array></value>",
  "<value><struct><name>a</name></struct></value>",
  "<value><nil/></value>",
  "<value><string>a<b></b></string></value>",
];

Deno.test("what is no XML-RPC is a SyntaxError", () => {
  for (const text of MALFORMED) assert.throws(() => parseResponse(text), SyntaxError, text);
});

/** A small reproducible generator (mulberry32). */
function randomizer(seed: number): (below: number) => number {
  return (below) => {
    seed = seed + 0x6D2B79F5 | 0;
    let mixed = Math.imul(seed ^ seed >>> 15, 1 | seed);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) % below;
  };
}

function randomValue(random: (below: number) => number, depth: number): XmlValue {
  const text = () => Array.from({ length: random(6) }, () => "a<>&\"' \näß😀]"[random(10)] ?? "x").join("");
  const kind = random(depth > 0 ? 6 : 4);
  if (kind < 2) return text();
  if (kind === 2) return random(2 ** 31) - 2 ** 30;
  if (kind === 3) return random(2) === 1;
  const items = Array.from({ length: random(4) }, () => randomValue(random, depth - 1));
  return kind === 4 ? items : Object.fromEntries(items.map((item, at) => [`${text()}${at}`, item]));
}

function toXml(value: XmlValue, random: (below: number) => number): string {
  const space = () => ["", " ", "\n"][random(3)];
  const escape = (text: string) => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
  const inner = () => {
    if (typeof value === "string") return `<string>${escape(value)}</string>`;
    if (typeof value === "number") return `<int>${value}</int>`;
    if (typeof value === "boolean") return `<boolean>${Number(value)}</boolean>`;
    if (Array.isArray(value)) {
      return `<array>${space()}<data>${
        value.map((v) => space() + toXml(v, random)).join("")
      }${space()}</data></array>`;
    }
    const members = Object.entries(value).map(([name, v]) =>
      `${space()}<member>${space()}<name>${escape(name)}</name>${space()}${
        toXml(v, random)
      }${space()}</member>`
    );
    return `<struct>${members.join("")}${space()}</struct>`;
  };
  return `<value>${inner()}</value>`;
}

Deno.test("any nested value comes out as it went in", () => {
  const random = randomizer(20250101);
  const plain = (value: XmlValue) => JSON.parse(JSON.stringify(value));
  for (let round = 0; round < 500; round++) {
    const value = randomValue(random, 4);
    const xml = response(toXml(value, random));
    assert.deepEqual(plain(parseResponse(xml)), plain(value), xml);
  }
});

Deno.test("a call", () => {
  assert.equal(
    methodCall("supervisor.getState"),
    '<?xml version="1.0"?><methodCall><methodName>supervisor.getState</methodName><params/></methodCall>',
  );
});
