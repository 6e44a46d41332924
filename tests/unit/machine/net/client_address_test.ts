import assert from "node:assert/strict";
import { clientAddress, clientNetwork } from "../../../../lib/machine/net/client_address.ts";

const TRUSTED = ["10.0.0.0/8", "fd00::/8"];

function addressOf(peer: string, forwardedFor?: string, trusted: string[] = TRUSTED): string {
  const headers: Record<string, string> = forwardedFor === undefined
    ? {}
    : { "x-forwarded-for": forwardedFor };
  const request = new Request("http://localhost/", { headers });
  return clientAddress(request, { remoteAddr: { transport: "tcp", hostname: peer, port: 5 } }, trusted);
}

const ADDRESSES: [peer: string, forwardedFor: string | undefined, expected: string][] = [
  ["192.168.1.5", undefined, "192.168.1.5"],
  // no trusted proxy: the header counts for nothing
  ["192.168.1.5", "1.2.3.4", "192.168.1.5"],
  ["10.0.0.1", undefined, "10.0.0.1"],
  ["10.0.0.1", "1.2.3.4", "1.2.3.4"],
  ["::ffff:10.0.0.1", "1.2.3.4", "1.2.3.4"],
  // what the client wrote itself stands before what the proxy wrote
  ["10.0.0.1", "9.9.9.9, 1.2.3.4", "1.2.3.4"],
  ["10.0.0.1", "127.0.0.1,10.0.0.9,1.2.3.4", "1.2.3.4"],
  // a chain of trusted proxies
  ["10.0.0.1", "9.9.9.9, 1.2.3.4, 10.0.0.2", "1.2.3.4"],
  ["10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["fd00::1", "2001:db8::7", "2001:db8::7"],
  ["10.0.0.1", "1.2.3.4:50000", "1.2.3.4"],
  ["10.0.0.1", "[2001:db8::7]:50000", "2001:db8::7"],
  // Azure's gateways name the port, IIS and Apache an IPv6 address as it is, some with brackets or a zone
  ["10.0.0.1", "9.9.9.9,1.2.3.4:50000,10.0.0.2:443", "1.2.3.4"],
  ["10.0.0.1", "[2001:db8::7]", "2001:db8::7"],
  ["10.0.0.1", "2001:DB8:0::7%eth0", "2001:db8:0::7"],
  ["fd00::1", " [2001:db8::7]:1 ,[fd00::9]:2", "2001:db8::7"],
  // what is no address ends the chain
  ["10.0.0.1", "1.2.3.4, unknown", "10.0.0.1"],
  ["10.0.0.1", "1.2.3.4, _hidden, 10.0.0.2", "10.0.0.2"],
  ["10.0.0.1", "", "10.0.0.1"],
  ["10.0.0.1", '1.2.3.4"<b>', "10.0.0.1"],
];

Deno.test("the client is who connects, or who trusted proxies say it is", () => {
  for (const [peer, header, expected] of ADDRESSES) {
    assert.equal(addressOf(peer, header), expected, `${peer} for ${header}`);
  }
  assert.equal(addressOf("10.0.0.1", "1.2.3.4", []), "10.0.0.1");
  assert.equal(addressOf("10.0.0.1", Array(10_000).fill("10.0.0.2").join()), "10.0.0.2");
});

Deno.test("an IPv6 client is its first 64 bits, an IPv4 one its address in whatever form", () => {
  const NETWORKS = [
    ["1.2.3.4", "1.2.3.4"],
    ["::ffff:1.2.3.4", "1.2.3.4"],
    ["::ffff:102:304", "1.2.3.4"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::1", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["fe80::1:2:3:4", "fe80:0:0:0::/64"],
    ["::1", "loopback"],
    ["::2", "0:0:0:0::/64"],
    ["127.0.0.1", "loopback"],
    ["127.255.3.4", "loopback"],
    ["::ffff:127.0.0.9", "loopback"],
    ["128.0.0.1", "128.0.0.1"],
    ["64:ff9b::192.0.2.33", "64:ff9b:0:0::/64"],
    ["local", "local"],
  ];
  for (const [address, network] of NETWORKS) assert.equal(clientNetwork(address), network, address);
});
