/** The VNC proxy, websockify, with our part of it, and a display that greets. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { allProcesses } from "../../../lib/machine/os/process_table.ts";
import { writeAll } from "../../../lib/machine/tools/write_all.ts";
import { root, tempDir } from "../../support/fixture.ts";
import { same, until } from "../../support/same.ts";
import { reserveSlot } from "../../support/slot.ts";
import { inSoak } from "../../support/soak.ts";

const TOKEN = "a".repeat(32);
const HALF = "GET / HTTP/1.1\r\nHost: x\r\n";
const WHOLE = [
  "GET / HTTP/1.1",
  `Host: ${TOKEN}`,
  "Upgrade: websocket",
  "Connection: Upgrade",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  "Sec-WebSocket-Protocol: binary",
].join("\r\n") + "\r\n\r\n";

interface Proxy extends AsyncDisposable {
  /** Connects, and says something. */
  ask(text: string): Promise<Deno.Conn>;
  /** Its processes for connections. */
  connections(): number;
}

/** A VNC proxy that knows one token. */
async function aProxy(dir: string): Promise<Proxy> {
  const slot = reserveSlot();
  const [port] = slot.ports;
  const tokens = join(dir, "tokens");
  await Deno.writeTextFile(tokens, `${TOKEN}: unix_socket:${join(dir, "rfb")}\n`);
  const plugin = ["--host-token", "--token-plugin", "vnc_targets.StreamTargets", "--token-source", tokens];
  const child = new Deno.Command("/usr/bin/websockify", {
    args: [...plugin, `127.0.0.1:${port}`],
    env: { PYTHONPATH: `${root}templates`, PYTHONDONTWRITEBYTECODE: "1" },
    stdout: "null",
    stderr: "null",
  }).spawn();
  const ask = async (text: string) => {
    const one = await Deno.connect({ hostname: "127.0.0.1", port });
    await writeAll(one, new TextEncoder().encode(text));
    return one;
  };
  await until("the proxy", () => ask("x").then((one) => (one.close(), true), () => false));
  return {
    ask,
    connections: () => [...allProcesses().values()].filter(({ parent }) => parent === child.pid).length,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      slot[Symbol.dispose]();
    },
  };
}

/** Reads until a text has come. */
async function readsUntil(connection: Deno.Conn, wanted: string): Promise<void> {
  const part = new Uint8Array(4096);
  for (let said = ""; !said.includes(wanted);) {
    const length = await connection.read(part);
    assert.notEqual(length, null, said);
    said += new TextDecoder().decode(part.subarray(0, length!));
  }
}

inSoak(Deno.test)(
  "half requests hold few processes of the VNC proxy, for seconds, and no viewer up",
  async () => {
    await using dir = await tempDir();
    using display = Deno.listen({ transport: "unix", path: join(dir.path, "rfb") });
    await using proxy = await aProxy(dir.path);
    const halves: Deno.Conn[] = [];
    try {
      for (let at = 0; at < 150; at++) halves.push(await proxy.ask(HALF));
      using viewer = await proxy.ask(WHOLE);
      using server = await display.accept();
      await writeAll(server, new TextEncoder().encode("RFB 003.008\n"));
      await readsUntil(viewer, "RFB 003.008");
      assert.ok(proxy.connections() <= 65, `${proxy.connections()} processes`);
      await same(() => proxy.connections(), 1, "the viewer's alone");
      await writeAll(server, new TextEncoder().encode("goes on"));
      await readsUntil(viewer, "goes on");
    } finally {
      for (const half of halves) half.close();
    }
  },
);
