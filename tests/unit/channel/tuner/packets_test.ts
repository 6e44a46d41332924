import { strict as assert } from "node:assert";
import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { discoveryReply, isAskedFor } from "../../../../lib/channel/tuner/packets.ts";

const ID = "1012AB3C";
/** What hdhomerun_config 20230323 of Debian sends for "discover". */
const DISCOVER = "0002000c0104ffffffff0204ffffffff73cc7d8f";

/** A request with these fields, and a right checksum. */
function request(fields: string, type = "0002"): Buffer {
  const size = (fields.length / 2).toString(16).padStart(4, "0");
  const body = Buffer.from(type + size + fields, "hex");
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(body));
  return Buffer.concat([body, checksum]);
}

Deno.test("tuner packets: a real client's request, and those for tuners or for this one", () => {
  const asked: [string, Buffer, boolean][] = [
    ["a real one", Buffer.from(DISCOVER, "hex"), true],
    ["tuners", request("010400000001"), true],
    ["storage servers", request("010400000005"), false],
    ["storage servers and tuners, as newer clients ask", request("2d080000000500000001"), true],
    ["storage servers alone, likewise", request("2d0400000005"), false],
    ["this one", request(`01040000000102041012ab3c`), true],
    ["another one", request("01040000000102041012ab3d"), false],
    ["an unknown field", request("ee0401020304"), true],
    ["a reply", request("010400000001", "0003"), false],
    ["a field that is longer than the packet", request("01ff00"), false],
    ["a length without its second byte", request("0184"), false],
    ["no field", request(""), true],
    ["nothing", Buffer.alloc(0), false],
    ["a wrong checksum", Buffer.from(DISCOVER.replace(/8f$/, "8e"), "hex"), false],
    ["half of one", Buffer.from(DISCOVER, "hex").subarray(0, 12), false],
  ];
  for (const [name, packet, isForUs] of asked) assert.equal(isAskedFor(packet, ID), isForUs, name);
});

Deno.test("tuner packets: the reply has ID, tuners and addresses, long ones too", () => {
  for (const base of ["http://h:3000/hdhr", `http://${"h".repeat(200)}:3000/hdhr`]) {
    const reply = discoveryReply({ id: ID, tuners: 8 }, base);
    assert.equal(reply.readUInt16BE(0), 3);
    assert.equal(reply.readUInt16BE(2), reply.length - 8);
    assert.equal(reply.readUInt32LE(reply.length - 4), crc32(reply.subarray(0, -4)));
    const text = reply.toString("latin1");
    assert.ok(text.includes(base) && text.includes(`${base}/lineup.json`));
    assert.ok(reply.includes(Buffer.from("02041012ab3c100108", "hex")));
  }
});
