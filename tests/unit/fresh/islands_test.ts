import assert from "node:assert/strict";
import { signal } from "@preact/signals";
import { unflatten } from "devalue";
import { serializeProps } from "../../../lib/fresh/island_props.ts";
import { buildFixture, captureErrors } from "./fixture.ts";

const { fetch } = await buildFixture();
const html = async (path: string) => await (await fetch(path)).text();

function bootData(text: string) {
  const [, json] = /<script type="application\/json" id="__FRSH_STATE">(.*?)<\/script>/.exec(text)!;
  return JSON.parse(json);
}

Deno.test("islands stand between comment markers, without a wrapper element", async () => {
  const text = await html("/islands");
  assert.match(
    text,
    /<p>Static text<\/p><!--frsh:island:0--><button [^>]*>5<\/button>.*?<!--\/frsh:island:0--><ul>/,
  );
  assert.match(text, /<ul><!--frsh:island:1-->.*<!--\/frsh:island:1--><li>last<\/li><\/ul>/);
});

Deno.test("an island inside of an island is a plain component", async () => {
  const text = await html("/islands");
  assert.match(text, /<!--frsh:island:2--><output id="holder">0 <button[^>]*>100<\/button>/);
  assert.doesNotMatch(text, /frsh:island:3/);
  assert.equal(bootData(text).islands.length, 3);
});

Deno.test("no inline script: the page works under script-src 'self'", async () => {
  const response = await fetch("/islands");
  const text = await response.text();
  assert.equal((response as unknown as Record<symbol, unknown>)[Symbol.for("__freshNonce")], undefined);
  const scripts = text.match(/<script[^>]*>/g)!;
  assert.equal(scripts.length, 2);
  assert.match(scripts[0], /type="application\/json"/);
  assert.match(scripts[1], /^<script type="module" src="\/_fresh\/js\/fresh-boot-\w+\.js">$/);
});

for (const page of ["/islands", "/apart"]) {
  Deno.test(`every client file of ${page} is preloaded and served`, () => assertPreloaded(page));
}

async function assertPreloaded(page: string): Promise<void> {
  const text = await html(page);
  const preloaded = [...text.matchAll(/<link rel="modulepreload" href="([^"]+)">/g)].map(([, url]) => url);
  assert.equal(new Set(preloaded).size, preloaded.length);
  const data = bootData(text);
  for (const [url] of data.islands) assert.ok(preloaded.includes(url));
  for (const url of preloaded) {
    const response = await fetch(url);
    assert.equal(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
    for (const [, chunk] of (await response.text()).matchAll(/from"\.\/([^"]+)"/g)) {
      assert.ok(preloaded.includes(`/_fresh/js/${chunk}`), `${chunk} is imported but not preloaded`);
    }
  }
}

Deno.test("islands of one page are bundled together, and one that is alone on its page is apart", async () => {
  const bootOf = (text: string) => /<script type="module" src="([^"]+)">/.exec(text)![1];
  const [together, apart] = [await html("/islands"), await html("/apart")];
  const filesOf = (text: string) =>
    [...text.matchAll(/"modulepreload" href="([^"]+)"/g)].map(([, url]) => url);
  assert.ok(filesOf(apart).length <= 3, "the island, what starts it, and what both share");
  assert.deepEqual(filesOf(apart).filter((url) => /Counter|Holder/.test(url)), []);
  assert.notEqual(bootOf(apart), bootOf(together));
  assert.equal(
    filesOf(together).filter((url) => url.includes("fresh-boot")).length,
    1,
    "one for both islands",
  );
});

Deno.test("markup in props cannot end the data block", async () => {
  const text = await html("/islands");
  assert.doesNotMatch(text, /<\/script><b>/);
  assert.match(JSON.stringify(bootData(text).props), /<\/script><b>/);
});

const ISLAND = {
  name: "A",
  exportName: "default",
  file: { name: "A", module: {}, url: "/a.js", imports: [], boot: { url: "/b.js", imports: [] } },
};

Deno.test("props arrive as they were, and a shared object stays one", () => {
  const shared = Object.assign(Object.create(null), { level: 1 });
  const uses = [{ shared, at: new Date(0), big: 5n, none: undefined }, { list: [shared] }];
  const wire = JSON.stringify(serializeProps(uses.map((props) => ({ island: ISLAND, props }))));
  const [one, two] = unflatten(JSON.parse(wire));
  assert.equal(one.shared, two.list[0]);
  assert.deepEqual({ ...one.shared }, { level: 1 });
  assert.deepEqual([one.at, one.big, one.none], [new Date(0), 5n, undefined]);
});

Deno.test("a signal as prop is refused, and is not called JSX", () => {
  const uses = [{ island: ISLAND, props: { level: signal(1) } }];
  assert.throws(() => serializeProps(uses), /Island <A>: the prop "level" cannot be sent.*non-POJO/);
});

const UNSERIALIZABLE: [kind: string, prop: string, reason: RegExp][] = [
  ["function", "onChange", /it is a function; define it inside the island/],
  ["nested", "list", /Symbol/],
  ["slot", "children", /JSX element; render it inside the island/],
];

for (const [kind, prop, reason] of UNSERIALIZABLE) {
  Deno.test(`a ${kind} as prop is refused, naming island and prop`, async () => {
    const { result, logged } = await captureErrors(() => fetch(`/broken?kind=${kind}`));
    assert.equal(result.status, 500);
    const { message } = logged[0] as Error;
    assert.ok(message.startsWith(`Island <Holder.Holder>: the prop "${prop}" cannot be sent`), message);
    assert.match(message, reason);
  });
}
