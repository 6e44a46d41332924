/** Datagrams by real sockets: a search by multicast and by address, and a port that two programs share. */
import { strict as assert } from "node:assert";
import { Buffer } from "node:buffer";
import { createSocket } from "node:dgram";
import { Datagrams } from "../../../lib/machine/net/datagrams.ts";
import { until } from "../../support/same.ts";
import { reserveSlot } from "../../support/slot.ts";

const OWN = () => [{ address: "127.0.0.1", netmask: "255.0.0.0" }];
const ELSEWHERE = () => [{ address: "10.9.9.9", netmask: "255.255.255.0" }];
const GROUP = "239.255.77.77";

Deno.test("datagrams: a search is answered by whom it was sent to, by address and by group", async () => {
  using slot = reserveSlot();
  const [port] = slot.ports;
  const heard: string[] = [];
  const service = new Datagrams({ port, group: GROUP }, (datagram, towards) => {
    heard.push(`${Buffer.from(datagram)} at ${towards}`);
    return [Buffer.from("here")];
  }, OWN);
  // another program on the same port, as UPnP's is shared; it knows none of the senders
  const other = new Datagrams({ port, group: GROUP }, () => [Buffer.from("other")], ELSEWHERE);
  service.start();
  other.start();
  const answers: string[] = [];
  const client = createSocket("udp4");
  client.on("message", (bytes: Uint8Array) => answers.push(Buffer.from(bytes).toString()));
  await new Promise<void>((done) => client.bind(0, "127.0.0.1", () => done()));
  client.setMulticastInterface("127.0.0.1");
  try {
    await until("an answer to the group", () => {
      if (answers.length === 0) client.send("search", port, GROUP);
      return answers.length > 0;
    });
    assert.ok(answers.every((text) => text === "here"), String(answers));
    assert.equal(heard[0], "search at 127.0.0.1");
    const before = heard.length;
    client.send(Buffer.alloc(3000), port, GROUP);
    client.send("again", port, GROUP);
    await until("the next one", () => heard.length > before && heard.at(-1) === "again at 127.0.0.1");
    assert.ok(!heard.some((text) => text.length > 2000), "a datagram of 3000 bytes was passed on");
  } finally {
    await Promise.all([service.stop(), other.stop()]);
    client.close();
  }
});

Deno.test("datagrams: of a flood 200 are looked at in a second", async () => {
  using slot = reserveSlot();
  const [port] = slot.ports;
  let [looks, answers] = [0, 0];
  const own = () => {
    looks++;
    return OWN();
  };
  const service = new Datagrams({ port, group: null }, () => {
    answers++;
    return [];
  }, own);
  const client = createSocket("udp4");
  await new Promise<void>((done) => client.bind(0, "127.0.0.1", () => done()));
  service.start();
  const FLOOD = 2000;
  const startedAt = performance.now();
  try {
    for (let sent = 0; sent < FLOOD; sent++) {
      await new Promise<void>((done) => client.send("search", port, "127.0.0.1", () => done()));
    }
    await until("the flood to be over, and the next search", () => {
      client.send("again", port, "127.0.0.1");
      return answers > 200;
    });
    const seconds = (performance.now() - startedAt) / 1000;
    assert.ok(looks <= 200 + 200 * (seconds + 1), `${looks} looks in ${seconds} s`);
  } finally {
    await service.stop();
    client.close();
  }
});
