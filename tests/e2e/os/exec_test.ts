import assert from "node:assert/strict";
import { needsRoot } from "../../support/needs_root.ts";
import { inOwnProcess } from "../../support/own_process.ts";

const A = { name: "60601", uid: 60_601, gid: 60_601 };
const B = { name: "60602", uid: 60_602, gid: 60_602 };

const inProcess = (code: string) => inOwnProcess("lib/machine/os/exec.ts", code);

needsRoot(
  "a process that became a user has its rights alone, and so has every program after it",
  async () => {
    const status = await inProcess(`
    Deno.openSync("/etc/shadow"); // not closed: the next program must not get it
    m.becomeUser(${JSON.stringify(A)}, { processes: 77 });
    m.execve(["/bin/sh", "-c", "cat /proc/self/status /proc/self/limits; ls /proc/self/fd; echo end"], { A: "1" });
  `);
    assert.match(status, /^Uid:(\s60601){4}$/m);
    assert.match(status, /^Gid:(\s60601){4}$/m);
    assert.match(status, /^Groups:\s*$/m);
    assert.match(status, /^Cap(Prm|Eff|Inh|Amb):\s0+$/m);
    assert.match(status, /^NoNewPrivs:\s1$/m);
    assert.match(status, /^Max core file size\s+0\s+0\s/m);
    assert.match(status, /^Max processes\s+77\s+77\s/m);
    // ls has its folder open as 3
    assert.match(status, /\n0\n1\n2\n3\nend\n$/);
  },
);

needsRoot("who became a user cannot go back", async () => {
  const said = await inProcess(`
    m.becomeUser(${JSON.stringify(A)}, { processes: null });
    try { m.actAs({ name: "root", uid: 0, gid: 0 }, () => console.log("root")); } catch (error) { console.log(error.message); }
    try { console.log(Deno.readTextFileSync("/etc/shadow")); } catch (error) { console.log(error.name); }
  `);
  assert.equal(said, "cannot act as user root\nPermissionDenied\n");
});

needsRoot("root acts as a user for a moment, with that user's rights alone, and is root again", async () => {
  const said = await inProcess(`
    const read = () => { try { return Deno.readTextFileSync("/etc/shadow").length > 0; } catch { return false; } };
    const file = Deno.makeTempFileSync();
    Deno.chmodSync(file, 0o666);
    console.log(read(), m.actAs(${JSON.stringify(A)}, read), read());
    try { m.actAs(${JSON.stringify(A)}, () => { throw new Error("x"); }); } catch { console.log(read()); }
    const made = Deno.makeTempDirSync(); Deno.chmodSync(made, 0o777);
    m.actAs(${JSON.stringify(A)}, () => Deno.writeTextFileSync(made + "/f", ""));
    const { uid, gid } = Deno.statSync(made + "/f");
    console.log(uid, gid);
    Deno.removeSync(made, { recursive: true }); Deno.removeSync(file);
  `);
  assert.equal(said, "true false true\ntrue\n60601 60601\n");
});

needsRoot("a kept user can be acted as until it is forgotten, and root never", async () => {
  const [a, b] = [A, B].map((user) => JSON.stringify(user));
  const said = await inProcess(`
    const uid = () => /^Uid:\\s+\\d+\\s+(\\d+)/m.exec(Deno.readTextFileSync("/proc/thread-self/status"))[1];
    const tryTo = (user) => { try { return m.actAs(user, uid); } catch { return "refused"; } };
    m.becomeUser(${a}, { processes: null }, ${b});
    console.log(uid(), tryTo(${b}), uid(), tryTo({ name: "root", uid: 0, gid: 0 }));
    m.forgetKept(${a});
    console.log(uid(), tryTo(${b}), uid());
  `);
  assert.equal(said, "60601 60602 60601 refused\n60601 refused 60601\n");
});

Deno.test("without root nobody is changed, and the limits hold all the same", async () => {
  const drop = Deno.uid() === 0
    ? `m.becomeUser(${JSON.stringify(B)}, { processes: null, mayGainRights: true });`
    : "";
  const status = await inProcess(`
    ${drop}
    m.becomeUser(${JSON.stringify(A)}, { processes: null });
    m.execve(["/bin/cat", "/proc/self/status", "/proc/self/limits"], {});
  `);
  assert.doesNotMatch(status, /^Uid:.*60601/m);
  assert.match(status, /^NoNewPrivs:\s1$/m);
  assert.match(status, /^Max core file size\s+0\s+0\s/m);
});

Deno.test("memory is limited to so much more than a process has, and what it needs to run is left", async () => {
  const said = await inProcess(`
    m.limitMemory(200e6);
    const take = (bytes) => { try { return new Uint8Array(bytes).fill(1).length; } catch (error) { return error.name; } };
    console.log(take(100e6), take(300e6));
  `);
  assert.equal(said, "100000000 RangeError\n");
});
