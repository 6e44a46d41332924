/** The kernel's rules for a user, which is nobody's here, and a table of the test's own. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { NOWHERE, reachRules } from "../../../lib/reach/packet_rules.ts";
import { filterProblem, PacketFilter } from "../../../lib/machine/os/packet_filter.ts";
import { run } from "../../../lib/machine/os/process.ts";
import { commandAs, numberedUser } from "../../../lib/machine/os/users.ts";
import { tempDir } from "../../support/fixture.ts";
import { listenForDatagrams } from "../../support/datagrams.ts";

const [STREAM, OTHER] = [60_600, 60_601];

/** What a user gets from this machine's ports: the answer, or why none. */
async function asks(uid: number, kind: "tcp" | "udp", host: string, port: number): Promise<string> {
  const code = `
import socket, sys
kind, host, port = sys.argv[1:]
family = socket.AF_INET6 if ":" in host else socket.AF_INET
one = socket.socket(family, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
one.settimeout(3)
try:
    one.connect((host, int(port)))
    one.send(b"?")
    print(one.recv(9).decode())
except OSError as error:
    refused = (ConnectionRefusedError, PermissionError)
    print("refused" if isinstance(error, refused) else type(error).__name__)`;
  const argv = commandAs(numberedUser(uid), ["/usr/bin/python3", "-c", code, kind, host, String(port)]);
  return (await run(argv, { timeoutMs: 20_000, cwd: "/" })).stdout.trim();
}

/** Servers that answer with what is asked of them, on a port of each kind. @param port 0: any that is free. */
async function echoes(hostname: string, port = 0) {
  const tcp = Deno.listen({ hostname, port });
  const udp = await listenForDatagrams(hostname, port, (bytes) => bytes);
  (async () => {
    for await (const connection of tcp) connection.readable.pipeTo(connection.writable).catch(() => {});
  })();
  return {
    tcp: (tcp.addr as Deno.NetAddr).port,
    udp: udp.port,
    async [Symbol.asyncDispose]() {
      tcp.close();
      await udp[Symbol.asyncDispose]();
    },
  };
}

Deno.test({
  name:
    "a restricted user reaches no port of this machine but its own, by no protocol; others do [needs root, nftables]",
  ignore: Deno.uid() !== 0 || await filterProblem() !== null,
  fn: async () => {
    const table = `browser_stream_test_${Deno.pid}`;
    const places = ["127.0.0.1", "::1"];
    await using four = await echoes("127.0.0.1");
    await using six = await echoes("::1");
    await using publish = await echoes("127.0.0.1");
    await using dir = await tempDir();
    const options = { table, folder: join(dir.path, "rules"), publishPort: publish.tcp, insiders: [0] };
    const filter = await PacketFilter.make(options, assert.fail);
    try {
      const look = async (uid: number) => ({
        publish: await asks(uid, "tcp", "127.0.0.1", publish.tcp),
        others: await Promise.all([four, six].flatMap(({ tcp, udp }, at) => [
          asks(uid, "tcp", places[at], tcp),
          asks(uid, "udp", places[at], udp),
        ])),
      });
      assert.deepEqual(await look(OTHER), { publish: "refused", others: Array(4).fill("?") });
      const neighbours = ["2001:db8:1:0:0:0:0:0/48", "2001:db8:1:2:0:0:0:0/64", "203.0.113.64/26"];
      const ownAddresses = ["127.0.0.1", "203.0.113.70", "2001:db8:1:2::5"];
      await filter!.restrict(STREAM, reachRules({ ...NOWHERE, ownAddresses, neighbours }, publish.tcp));
      assert.deepEqual(await look(STREAM), { publish: "?", others: Array(4).fill("refused") });
      // which everybody in the network hears
      assert.deepEqual(await asks(STREAM, "udp", "239.255.255.250", 1900), "refused");
      const local = [{ host: "localhost", port: six.tcp, addresses: ["::1"] }];
      await filter!.restrict(STREAM, reachRules({ ...NOWHERE, local }, publish.tcp));
      assert.deepEqual((await look(STREAM)).others, [
        ...Array(2).fill("refused"),
        ...["?", "refused"],
      ]);
    } finally {
      await filter?.remove();
    }
    const { stdout } = await run(["/usr/sbin/nft", "list", "tables"], { timeoutMs: 5000 });
    assert.ok(!stdout.includes(table));
    assert.deepEqual(await asks(STREAM, "tcp", "127.0.0.1", four.tcp), "?");
  },
});

Deno.test({
  name: "a restricted user reaches port 53 of the machine's name servers alone [needs root, nftables]",
  ignore: Deno.uid() !== 0 || await filterProblem() !== null,
  fn: async () => {
    const table = `browser_stream_names_${Deno.pid}`;
    // addresses that no name server of a machine has
    const hosts = ["127.77.0.1", "127.77.0.2"];
    await using _first = await echoes(hosts[0], 53);
    await using _second = await echoes(hosts[1], 53);
    await using dir = await tempDir();
    const options = { table, folder: join(dir.path, "rules"), publishPort: 9, insiders: [0] };
    const filter = await PacketFilter.make(options, assert.fail);
    const look = () =>
      Promise.all(
        hosts.flatMap((host) => [asks(STREAM, "tcp", host, 53), asks(STREAM, "udp", host, 53)]),
      );
    try {
      await filter!.restrict(STREAM, reachRules(NOWHERE, 9));
      assert.deepEqual(await look(), Array(4).fill("refused"));
      await filter!.allowResolvers([hosts[0], "2001:db8::53"]);
      assert.deepEqual(await look(), [...Array(2).fill("?"), ...Array(2).fill("refused")]);
      await filter!.allowResolvers([hosts[1]]);
      assert.deepEqual(await look(), [...Array(2).fill("refused"), ...Array(2).fill("?")]);
    } finally {
      await filter?.remove();
    }
  },
});

/** What root, or a tool of root's, may do to a table; `T` is the table. */
const UNDOINGS: readonly string[] = [
  "delete table inet T",
  "flush table inet T",
  "flush chain inet T out",
  "flush map inet T users",
  `delete element inet T users { ${STREAM} : jump user${STREAM} }`,
  `flush chain inet T user${STREAM}`,
  `insert rule inet T user${STREAM} accept`,
  "insert rule inet T out accept",
  "add table inet T { flags dormant; }",
];

Deno.test({
  name:
    "whatever is done to the rules is undone, and no full or missing temporary folder keeps them away [needs root, nftables]",
  ignore: Deno.uid() !== 0 || await filterProblem() !== null,
  fn: async () => {
    const table = `browser_stream_undone_${Deno.pid}`;
    await using dir = await tempDir();
    await using echo = await echoes("127.0.0.1");
    const options = { table, folder: join(dir.path, "rules"), publishPort: 9, insiders: [0] };
    const before = Deno.env.get("TMPDIR");
    Deno.env.set("TMPDIR", "/nonexistent"); // as a full one: no file can be made there
    const filter = await PacketFilter.make(options, assert.fail);
    try {
      for (let uid = STREAM; uid < STREAM + 40; uid++) await filter!.restrict(uid, reachRules(NOWHERE, 9));
      assert.equal(await filter!.look(), false);
      const wrong: string[] = [];
      for (const undoing of UNDOINGS) {
        const argv = ["/usr/sbin/nft", ...undoing.replace("T", table).split(" ")];
        const { code, stderr } = await run(argv, { timeoutMs: 5000 });
        assert.equal(code, 0, `${undoing}: ${stderr}`);
        const looks = [await filter!.look(), await filter!.look()];
        const reached = await asks(STREAM, "tcp", "127.0.0.1", echo.tcp);
        if (String(looks) !== "true,false" || reached !== "refused") {
          wrong.push(`${undoing}: ${looks} ${reached}`);
        }
      }
      assert.deepEqual(wrong, []);
    } finally {
      if (before === undefined) Deno.env.delete("TMPDIR");
      else Deno.env.set("TMPDIR", before);
      await filter?.remove();
    }
  },
});
