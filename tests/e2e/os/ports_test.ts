import assert from "node:assert/strict";
import { reserveSlot } from "../../support/slot.ts";
import { connectionOwner, portOwner, portProblems } from "../../../lib/machine/os/ports.ts";

const loopback = { hostname: "127.0.0.1", port: 0 };

/** A port nobody listens on. */
const slot = reserveSlot();
const [free] = slot.ports;
Deno.test.afterAll(() => slot[Symbol.dispose]());

Deno.test("a port's owner is named with its pid; a free port has none", async () => {
  using listener = Deno.listen(loopback);
  const { port } = listener.addr as Deno.NetAddr;
  assert.match(String(await portOwner(port)), new RegExp(`^\\S+ \\(pid ${Deno.pid}\\)$`));
  assert.equal(await portOwner(free), null);
});

Deno.test("the owner of a connection is its user, in both families; of none there is none", async () => {
  for (const [listens, connects] of [["127.0.0.1", "127.0.0.1"], ["::1", "::1"], ["::", "127.0.0.1"]]) {
    using listener = Deno.listen({ hostname: listens, port: 0 });
    const { port } = listener.addr as Deno.NetAddr;
    using own = await Deno.connect({ hostname: connects, port });
    using _accepted = await listener.accept();
    const peer = own.localAddr as Deno.NetAddr;
    assert.equal(await connectionOwner(peer.hostname, peer.port, port), Deno.uid(), connects);
    assert.equal(await connectionOwner(peer.hostname, peer.port, free), null);
    assert.equal(await connectionOwner(peer.hostname, free, port), null);
    assert.equal(await connectionOwner("no address", peer.port, port), null);
  }
});

Deno.test("a stranger's program writes no line and no sequence for terminals by its name", async () => {
  const code = `
import ctypes, socket, sys
ctypes.CDLL(None).prctl(15, b"\\x1b[2Ja\\nroot: b", 0, 0, 0)
one = socket.create_server(("127.0.0.1", 0))
print(one.getsockname()[1], flush=True)
sys.stdin.read()`;
  const args = ["-c", code];
  const child = new Deno.Command("/usr/bin/python3", { args, stdin: "piped", stdout: "piped" }).spawn();
  const said = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    const { value } = await said.read();
    assert.equal(await portOwner(Number(value)), `\ufffd[2Ja\ufffdroot: b (pid ${child.pid})`);
  } finally {
    await child.stdin.close();
    await said.read();
    await child.status;
  }
});

Deno.test("a taken port is told with its variable, its owner and another choice", async () => {
  using listener = Deno.listen(loopback);
  const { port } = listener.addr as Deno.NetAddr;
  const problems = await portProblems([
    { variable: "PORT", hostname: "127.0.0.1", port: free },
    { variable: "MEDIA_PORT", hostname: "127.0.0.1", port },
    { variable: "RTMP_PORT", hostname: "127.0.0.1", port },
  ]);
  assert.equal(problems.length, 2);
  assert.ok(problems[0].startsWith(`Port ${port} is taken by `), problems[0]);
  assert.ok(problems[0].includes(`(pid ${Deno.pid})`));
  assert.ok(problems[0].endsWith(`MEDIA_PORT=${port + 1}`));
  assert.match(problems[1], /RTMP_PORT/);
});

Deno.test("an address that is not ours is told as it is", async () => {
  const [problem] = await portProblems([{ variable: "HOST", hostname: "192.0.2.1", port: free }]);
  assert.match(problem, /^Cannot listen on 192\.0\.2\.1:\d+ \(HOST\): ./);
});

Deno.test("free ports stay free", async () => {
  const claim = { variable: "PORT", hostname: "127.0.0.1", port: free };
  assert.deepEqual([await portProblems([claim]), await portProblems([claim])], [[], []]);
});
