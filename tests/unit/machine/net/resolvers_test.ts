import assert from "node:assert/strict";
import { resolversOf } from "../../../../lib/machine/net/resolvers.ts";

Deno.test("the name servers of resolv.conf are its addresses, of both families, and loopback without any", () => {
  const FILES: Record<string, string[]> = {
    "nameserver 10.0.0.2\nsearch lan\noptions ndots:0\n": ["10.0.0.2"],
    "# nameserver 1.1.1.1\n;nameserver 9.9.9.9\n nameserver\t127.0.0.53 # stub\n": ["127.0.0.53"],
    "nameserver fe80::1%eth0\nnameserver 2001:db8::53\nnameserver 10.0.0.2\nnameserver 10.0.0.2": [
      ...["fe80::1", "2001:db8::53", "10.0.0.2"],
    ],
    "nameserver 169.254.169.254\n": ["169.254.169.254"],
    "": ["127.0.0.1", "::1"],
    "nameserver\nnameserver dns.example.org\nnameserver 1.2.3.4}; accept\nnameservers 8.8.8.8\n": [
      "127.0.0.1",
      "::1",
    ],
  };
  for (const [text, servers] of Object.entries(FILES)) assert.deepEqual(resolversOf(text), servers, text);
});
