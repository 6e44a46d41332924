/** The port of a push that is called: nobody else gets it, and only our own program gets what comes there. */
import { strict as assert } from "node:assert";
import { createSocket, type Socket } from "node:dgram";
import { HeldPort } from "../../../lib/live/programs/commands/push/held_port.ts";
import { same, until } from "../../support/same.ts";
import { reserveSlot } from "../../support/slot.ts";

async function bound(port: number, address: string, reuseAddr = false): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = createSocket({ type: address.includes(":") ? "udp6" : "udp4", reuseAddr });
  socket.on("error", reject);
  socket.bind(port, address, () => resolve());
  await promise;
  return socket;
}

Deno.test("between two receivers a listener's port is nobody else's, in either family, shared or not", async () => {
  using slot = reserveSlot();
  const [port, inner] = slot.ports;
  const held = new HeldPort(port, inner, Deno.uid()!);
  await held.hold();
  for (const address of ["0.0.0.0", "127.0.0.1", "::", "::1"]) {
    for (const isShared of [false, true]) {
      await assert.rejects(bound(port, address, isShared), `${address} ${isShared}`);
    }
  }
  await held.hold();
  held.close();
  const taken = await until("the port to be free", () => bound(port, "0.0.0.0").catch(() => null));
  await assert.rejects(held.hold(), /the port is another program's/);
  taken.close();
  await until("the port to be held again", () => held.hold().then(() => true, () => false));
  held.close();
});

Deno.test("a call reaches our program, and another user's at the inner port never", async () => {
  using slot = reserveSlot();
  for (const isOurs of [true, false]) {
    const [port, inner] = isOurs ? slot.ports : slot.ports.slice(2);
    const held = new HeldPort(port, inner, isOurs ? Deno.uid()! : 65_534);
    await held.hold();
    const program = await bound(inner, "127.0.0.1");
    const caller = await bound(0, "127.0.0.1");
    const other = await bound(0, "127.0.0.1");
    const heard: string[] = [];
    program.on("message", (data: Uint8Array, from: { address: string; port: number }) => {
      heard.push(new TextDecoder().decode(data));
      program.send(new TextEncoder().encode("answer"), from.port, from.address, () => {});
    });
    const answered: string[] = [];
    for (const [name, socket] of Object.entries({ caller, other })) {
      socket.on("message", () => answered.push(name));
    }
    const call = (socket: Socket, text: string) =>
      socket.send(new TextEncoder().encode(text), port, "127.0.0.1", () => {});
    if (isOurs) {
      await until("an answer", () => {
        call(caller, "call");
        return Promise.resolve(answered.length > 0);
      });
      call(other, "other");
      const before = heard.length;
      await same(() => {
        call(caller, "last");
        return heard.slice(before).includes("last");
      }, true);
      assert.ok(!heard.includes("other") && !answered.includes("other"));
    } else {
      // as often as a caller of SRT asks
      for (let tries = 0; tries < 20; tries++) call(caller, "call");
      // what is sent afterwards and arrives shows that the calls did not
      other.send(new TextEncoder().encode("direct"), inner, "127.0.0.1", () => {});
      await same(() => heard.includes("direct"), true);
      assert.deepEqual(heard, ["direct"]);
    }
    for (const socket of [program, caller, other]) socket.close();
    held.close();
  }
});
