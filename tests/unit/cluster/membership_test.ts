import assert from "node:assert/strict";
import { nodeName, nodeUrl } from "../../../lib/cluster/membership.ts";

Deno.test("a node is called as it is told, else like its host", () => {
  assert.equal(nodeName({ NODE_NAME: "wall-1" }, "host"), "wall-1");
  assert.equal(nodeName({ NODE_NAME: "" }, "host.example.org"), "host");
  assert.equal(nodeName({ NODE_NAME: "" }, "ho\u00f6st"), "ho-st");
});

Deno.test("other nodes reach a node at NODE_URL, at HOST, or at the machine's first address", () => {
  const own = ["127.0.0.1", "::1", "169.254.1.1", "fe80::1%eth0", "10.0.0.7", "2001:db8::7"];
  const url = (HOST: string, NODE_URL = "", addresses = own) =>
    nodeUrl({ HOST, NODE_URL, PORT: 3001 }, addresses);
  assert.equal(url("0.0.0.0"), "http://10.0.0.7:3001");
  assert.equal(url("::", "", ["::1", "2001:db8::7"]), "http://[2001:db8::7]:3001");
  assert.equal(url("10.0.0.9"), "http://10.0.0.9:3001");
  assert.equal(url("127.0.0.1", "https://wall-1.lan"), "https://wall-1.lan");
  for (const host of ["127.0.0.1", "::1", "localhost"]) {
    assert.throws(() => url(host), /HOST=.* is not reached by .*Example: NODE_URL=/);
  }
  assert.throws(() => url("0.0.0.0", "", ["127.0.0.1"]), /NODE_URL/);
});
