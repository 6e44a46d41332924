import assert from "node:assert/strict";
import { enteredPage } from "../../../components/form/several/entered.ts";

const ONE: Record<string, [url: string, name: string]> = {
  "https://grafana.example.org/d/x": ["https://grafana.example.org/d/x", "grafana.example.org"],
  "grafana.local:3000/d/abc": ["http://grafana.local:3000/d/abc", "grafana.local"],
  "www.example.org": ["https://www.example.org", "example.org"],
  "grafana": ["http://grafana/", "grafana"],
  " http://gra fana.local/ ": ["http://grafana.local/", "grafana.local"],
  "http://gra local:3000/d": ["http://gralocal:3000/d", "gralocal"],
  "grafana. local": ["http://grafana.local", "grafana.local"],
  "10.0.0 .5": ["http://10.0.0.5", "10.0.0.5"],
  "http:// grafana.local": ["http://grafana.local", "grafana.local"],
  "http://x.example/my page": ["http://x.example/my%20page", "x.example"],
  "http://x.example/a,b;c=1": ["http://x.example/a,b;c=1", "x.example"],
  "http://ann:pa ss@x.example:8/": ["http://ann:pa%20ss@x.example:8/", "x.example"],
  "münchen.de": ["https://münchen.de", "münchen.de"],
  "[::1]:3000": ["http://[::1]:3000", "[::1]"],
  // the service says what is wrong with them
  "hello world foo": ["hello world foo", "hello world foo"],
  "file:///etc/passwd": ["file:///etc/passwd", "file:///etc/passwd"],
};

for (const [typed, [url, name]] of Object.entries(ONE)) {
  Deno.test(`one page: ${typed}`, () => {
    assert.deepEqual(enteredPage(typed, []), { url, name, nameFollowsTitle: true });
  });
}

Deno.test("a name that is taken gets a number", () => {
  assert.equal(enteredPage("grafana.local", ["grafana.local", "grafana.local 2"])?.name, "grafana.local 3");
});

for (const typed of ["Sales, http://x.example/", "Sales\thttp://x.example/", "Sales http://x.example/"]) {
  Deno.test(`a name beside an address is its own: ${typed}`, () => {
    assert.deepEqual(enteredPage(typed, []), { url: "http://x.example/", name: "Sales" });
  });
}

for (
  const typed of [
    "http://a.example http://b.example",
    "a.example b.example",
    "a.example\nb.example",
    "#EXTM3U",
    "https://a.example/x, https://b.example/y",
  ]
) {
  Deno.test(`a list: ${JSON.stringify(typed)}`, () => assert.equal(enteredPage(typed, []), null));
}
