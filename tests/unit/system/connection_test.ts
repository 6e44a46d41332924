import { strict as assert } from "node:assert";
import { endConnection, socketInode } from "../../../lib/system/tcp_shutdown.ts";

const HEAD =
  "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const REST = "01 00000000:00000000 00:00000000 00000000     0        0";

Deno.test("a connection is found by our port and the peer, in either table", () => {
  const v4 = `${HEAD}   0: 0100007F:0BB8 0A00A8C0:C350 ${REST} 77 1 0\n` +
    `   1: 0100007F:0BB8 0100007F:C350 ${REST} 78 1 0\n   2: 0100007F:0BB8 0100007F:C351 ${REST} 0 1 0\n`;
  const v6 =
    `${HEAD}   0: 00000000000000000000000001000000:0BB8 00000000000000000000000001000000:C350 ${REST} 79 1 0\n` +
    `   1: 0000000000000000FFFF00000100007F:0BB8 0000000000000000FFFF00000A00A8C0:C350 ${REST} 80 1 0\n` +
    `   2: 0000000000000000FFFF00000100007F:0BB8 B80D01200000000000000000EFBEADDE:C350 ${REST} 81 1 0\n`;
  const peer = (hostname: string, port = 50000): Deno.NetAddr => ({ transport: "tcp", hostname, port });
  const cases: [string, Deno.NetAddr, number, string | null][] = [
    [v4, peer("192.168.0.10"), 3000, "77"],
    [v4, peer("127.0.0.1"), 3000, "78"],
    [v4, peer("::ffff:127.0.0.1"), 3000, "78"],
    [v4, peer("127.0.0.1", 50001), 3000, null], // closed already
    [v4, peer("127.0.0.1"), 3001, null],
    [v4, peer("127.0.0.2"), 3000, null],
    [v6, peer("::1"), 3000, "79"],
    [v6, peer("192.168.0.10"), 3000, "80"],
    [v6, peer("2001:db8:0:0:0:0:dead:beef"), 3000, "81"],
    ["", peer("::1"), 3000, null],
  ];
  for (const [table, remote, port, inode] of cases) {
    assert.equal(socketInode(table, port, remote), inode, `${remote.hostname}:${remote.port}`);
  }
});

Deno.test("both ends of a connection that was ended see its end", async () => {
  for (const hostname of ["127.0.0.1", "::1"]) {
    let listener: Deno.TcpListener;
    try {
      listener = Deno.listen({ hostname, port: 0 });
    } catch {
      continue; // no IPv6 here
    }
    const [peer, ours] = await Promise.all([
      Deno.connect({ hostname, port: listener.addr.port }),
      listener.accept(),
    ]);
    assert.equal(endConnection(listener.addr.port, ours.remoteAddr as Deno.NetAddr), true);
    assert.equal(await ours.read(new Uint8Array(1)), null);
    assert.equal(await peer.read(new Uint8Array(1)), null);
    ours.close();
    peer.close();
    listener.close();
    assert.equal(endConnection(listener.addr.port, { transport: "tcp", hostname, port: 1 }), false);
  }
});
