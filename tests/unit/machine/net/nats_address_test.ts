import assert from "node:assert/strict";
import { parseNatsAddress } from "../../../../lib/machine/net/nats_address.ts";

Deno.test("addresses of NATS servers have a host, and 4222 where they name no port", () => {
  assert.deepEqual(parseNatsAddress("nats://10.0.0.1:4223"), { name: "10.0.0.1", port: 4223, isTls: false });
  assert.deepEqual(parseNatsAddress("tls://Nats.lan"), { name: "nats.lan", port: 4222, isTls: true });
  assert.deepEqual(parseNatsAddress("nats://[fd00::1]/"), { name: "fd00::1", port: 4222, isTls: false });
});

Deno.test("what has a login, a path or another scheme is no address of a server", () => {
  const wrong = [
    "10.0.0.1",
    "http://10.0.0.1",
    "nats://a:b@10.0.0.1",
    "nats://10.0.0.1/x",
    "nats://",
    "nats://a:0",
  ];
  assert.deepEqual(wrong.map(parseNatsAddress), wrong.map(() => null));
});
