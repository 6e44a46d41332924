import assert from "node:assert/strict";
import { busAddress, busCommand, busVariables, startBus } from "../../../lib/live/programs/commands/bus.ts";

Deno.test("a socket's path becomes an address as the D-Bus specification has it", () => {
  assert.equal(
    busAddress("/dev/shm/browser-stream-1a/slots/7/bus"),
    "unix:path=/dev/shm/browser-stream-1a/slots/7/bus",
  );
  assert.equal(busAddress("/a b,c=d;~/ä%"), "unix:path=/a%20b%2cc%3dd%3b%7e/%c3%a4%25");
});

Deno.test("a bus ends with its browser, not with its process group before, and listens at one place", () => {
  const argv = busCommand("/data/config/bus.xml", "/run/slots/7/bus");
  assert.deepEqual(argv.slice(0, 4), ["/usr/bin/setpriv", "--pdeathsig=KILL", "--", "/usr/bin/setsid"]);
  for (
    const word of ["--nofork", "--config-file=/data/config/bus.xml", "--address=unix:path=/run/slots/7/bus"]
  ) {
    assert.ok(argv.includes(word), word);
  }
});

Deno.test("without a bus nobody looks for one elsewhere", () => {
  assert.deepEqual(Object.values(busVariables()), ["disabled:", "disabled:"]);
  assert.deepEqual(Object.values(busVariables("unix:path=/a")), ["unix:path=/a", "unix:path=/a"]);
});

Deno.test("the address is what the bus says when it listens; a bus that cannot start holds nobody up", async () => {
  const says = (script: string) => startBus(["/bin/sh", "-c", script], { LANG: "C" });
  assert.equal(await says("printf unix:; echo path=/a,guid=$LANG; exec >&-"), "unix:path=/a,guid=C");
  assert.equal(await says("printf unix:path=/a"), null);
  assert.equal(await startBus(["/nonexistent/dbus-daemon"], {}), null);
});
