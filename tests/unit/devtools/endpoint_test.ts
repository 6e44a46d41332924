/** Who gets to be a stream's DevTools: its browser, and nobody who takes its port. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DevTools, pageTargets } from "../../../lib/devtools/client.ts";
import { devtoolsPort } from "../../../lib/devtools/endpoint.ts";
import { tempDir } from "../../support/fixture.ts";

/** A profile as a browser leaves it that is the process `pid` and listens on `port`. */
async function profileOf(dir: string, pid: number, port: number): Promise<string> {
  const profile = join(dir, "profile");
  await Deno.mkdir(profile, { mode: 0o700 });
  await Deno.symlink(`wall-${pid}`, join(profile, "SingletonLock"));
  await Deno.writeTextFile(join(profile, "DevToolsActivePort"), `${port}\n/devtools/browser/1`);
  return profile;
}

function listen(hostname = "127.0.0.1") {
  return Deno.listen({ hostname, port: 0 });
}

/** A process of somebody: it listens, says where, and lives until its input ends. */
async function somebody(identity: { uid?: number; gid?: number } = {}) {
  const program = `import socket, sys
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print(s.getsockname()[1], flush=True)
sys.stdin.read()`;
  const command = new Deno.Command("/usr/bin/python3", {
    ...{ args: ["-c", program], stdin: "piped", stdout: "piped", stderr: "null", cwd: "/", ...identity },
  });
  const child = command.spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return {
    pid: child.pid,
    port: Number(new TextDecoder().decode(value)),
    [Symbol.asyncDispose]: async () => {
      await child.stdin.close();
      await reader.cancel();
      await child.status;
    },
  };
}

Deno.test("the browser's own listener is taken", async () => {
  await using dir = await tempDir();
  using listener = listen();
  const { port } = listener.addr;
  assert.equal(await devtoolsPort(await profileOf(dir.path, Deno.pid, port)), port);
});

Deno.test("another process that has the port is not taken for the browser", async () => {
  await using dir = await tempDir();
  await using thief = await somebody();
  const profile = await profileOf(dir.path, Deno.pid, thief.port);
  await assert.rejects(devtoolsPort(profile), /not the browser's/);
  await assert.rejects(pageTargets(profile), /not the browser's/);
  await assert.rejects(
    DevTools.to(profile, { id: "0".repeat(32), type: "page", url: "" }),
    /not the browser's/,
  );
});

Deno.test({
  name: "a process of another user is not taken for the browser, whatever the profile says",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    await using dir = await tempDir();
    await using thief = await somebody({ uid: 65534, gid: 65534 });
    await assert.rejects(devtoolsPort(await profileOf(dir.path, thief.pid, thief.port)), /not the browser's/);
  },
});

Deno.test("a port on which nobody listens, or two do, or one beyond loopback, is no browser's", async () => {
  for (const open of [[], ["0.0.0.0"], ["127.0.0.1", "127.0.0.2"]]) {
    await using dir = await tempDir();
    const first = listen(open[0]);
    const { port } = first.addr;
    const others = open.slice(1).map((hostname) => Deno.listen({ hostname, port }));
    if (open.length === 0) first.close();
    const profile = await profileOf(dir.path, Deno.pid, port);
    await assert.rejects(devtoolsPort(profile), /not the browser's/, String(open));
    for (const one of others) one.close();
    if (open.length > 0) first.close();
  }
});

for (const content of ["", "0\n", "99999\n", "80x\n", "-1\n", "x".repeat(1_000_000)]) {
  Deno.test(`the port file ${JSON.stringify(content.slice(0, 8))} is no port`, async () => {
    await using dir = await tempDir();
    const profile = await profileOf(dir.path, Deno.pid, 1);
    await Deno.writeTextFile(join(profile, "DevToolsActivePort"), content);
    await assert.rejects(devtoolsPort(profile), /no DevTools port/);
  });
}

Deno.test("a pipe or a link in the port file's place is not opened", async () => {
  await using dir = await tempDir();
  const profile = await profileOf(dir.path, Deno.pid, 1);
  const file = join(profile, "DevToolsActivePort");
  await Deno.remove(file);
  await new Deno.Command("mkfifo", { args: [file] }).output();
  await assert.rejects(devtoolsPort(profile), /no DevTools port/);
  await Deno.remove(file);
  await Deno.symlink("/etc/hostname", file);
  await assert.rejects(devtoolsPort(profile), /no DevTools port/);
});

Deno.test("without a browser's lock there is no browser", async () => {
  await using dir = await tempDir();
  using listener = listen();
  const profile = await profileOf(dir.path, Deno.pid, listener.addr.port);
  await Deno.remove(join(profile, "SingletonLock"));
  await assert.rejects(devtoolsPort(profile), /does not run/);
});
