/** What is in Python, as far as it needs no service: what a stream's user may cost supervisord and the VNC proxy. */
import assert from "node:assert/strict";
import { root, tempDir } from "../../support/fixture.ts";

/** The lines that a script prints. @param cwd where it works. */
async function python(script: string, cwd?: string): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command("/usr/bin/python3", {
    args: ["-c", script],
    cwd,
    env: { PYTHONPATH: `${root}templates`, PYTHONDONTWRITEBYTECODE: "1" },
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim().split("\n");
}

Deno.test("supervisord: a program's output is read no faster than it may be written, and that of others all the same", async () => {
  const script = `
import os, time
now = 0.0
time.monotonic = lambda: now
import supervisor_poller

class Options:
    poller = None
    def readfd(self, fd):
        return os.read(fd, 2 << 16)

class Supervisord:
    options = Options()

supervisor_poller.use(Supervisord)
options = Supervisord.options
(flood, flooder), (calm, writer) = os.pipe(), os.pipe()
os.set_blocking(flooder, False)

def rounds(count, text):
    reads = 0
    for _ in range(count):
        try:
            os.write(flooder, text)
        except BlockingIOError:
            pass
        for fd in (flood, calm):
            options.poller.register_readable(fd)
        for fd in options.poller.poll(0)[0]:
            options.readfd(fd)
            reads += 1
    return reads

print(rounds(1000, b"x"))
os.write(writer, b"x")
print(rounds(1000, b"x"))
now = 1.0
print(rounds(1000, b"x"))
now = 1000.0
print(rounds(100, b"x" * 60000))
`;
  const [first, beside, second, long] = (await python(script)).map(Number);
  // 4 MiB at once, 1 MiB a second; 16 KiB a read
  assert.ok(first >= 250 && first <= 257, `${first} at once`);
  assert.equal(beside, 1, "the other one's");
  assert.ok(second >= 60 && second <= 66, `${second} a second later`);
  assert.ok(long >= 50 && long <= 60, `${long} long ones`);
});

Deno.test("VNC proxy: a display that sends without end takes so much memory and no more", async () => {
  const script = `
import vnc_targets
print(vnc_targets.StreamTargets("/dev/null").lookup("none"))
kept = []
try:
    for _ in range(4096):
        kept.append(b"x" * (1 << 20))
except MemoryError:
    pass
print(len(kept))
`;
  const [target, megabytes] = await python(script);
  assert.equal(target, "None");
  assert.ok(Number(megabytes) > 200 && Number(megabytes) <= 256, `${megabytes} MB`);
});

Deno.test("VNC proxy: a token leads to a socket of its folder's user alone, by no link", async () => {
  const script = `
import os, socket, vnc_targets
here = os.getcwd()
kinds = {
    "own": lambda: socket.socket(socket.AF_UNIX).bind("own"),
    "link": lambda: os.symlink("own", "link"),
    "file": lambda: open("file", "w").close(),
    "another's": lambda: (socket.socket(socket.AF_UNIX).bind("another's"), os.getuid() or os.chown("another's", 65534, 65534)),
    "missing": lambda: None,
}
with open("tokens", "w") as tokens:
    for name, make in kinds.items():
        make()
        tokens.write("%s: unix_socket:%s/%s\\n" % (name.replace("'", ""), here, name))
for name in kinds:
    kind, path = vnc_targets.StreamTargets("tokens").lookup(name.replace("'", ""))
    print(name, os.stat(path).st_ino == os.stat("own").st_ino if os.path.exists(path) else None)
`;
  await using dir = await tempDir();
  // only root makes one of another user's
  const another = Deno.uid() === 0 ? "another's None" : "another's False";
  assert.deepEqual(await python(script, dir.path), [
    "own True",
    "link None",
    "file None",
    another,
    "missing None",
  ]);
});
