import { strict as assert } from "node:assert";
import { DEVICE_TYPE, deviceUuid } from "../../../../lib/channel/tuner/device.ts";
import { searchAnswer, soughtKinds } from "../../../../lib/channel/tuner/ssdp.ts";

const device = { id: "1012AB3C" };
const uuid = `uuid:${deviceUuid(device)}`;

function search(target: string, man = '"ssdp:discover"', first = "M-SEARCH * HTTP/1.1"): Uint8Array {
  return new TextEncoder().encode(
    `${first}\r\nHost: 239.255.255.250:1900\r\nMan: ${man}\r\nST: ${target}\r\nMX: 3\r\n\r\n`,
  );
}

Deno.test("tuner search: what is sought of this device is answered, anything else is not", () => {
  const cases: [Uint8Array, string[]][] = [
    [search("ssdp:all"), ["upnp:rootdevice", DEVICE_TYPE, uuid]],
    [search("upnp:rootdevice"), ["upnp:rootdevice"]],
    [search(DEVICE_TYPE), [DEVICE_TYPE]],
    [search(uuid), [uuid]],
    [search("urn:schemas-upnp-org:device:Printer:1"), []],
    [search("ssdp:all", '"ssdp:other"'), []],
    [search("ssdp:all", '"ssdp:discover"', "NOTIFY * HTTP/1.1"), []],
    [new Uint8Array([0xff, 0xfe, 0]), []],
    [new Uint8Array(), []],
  ];
  for (const [datagram, kinds] of cases) assert.deepEqual(soughtKinds(datagram, device), kinds);
});

Deno.test("tuner search: the answer names the description and the kind, and nothing of the client", () => {
  const text = new TextDecoder().decode(searchAnswer(device, "upnp:rootdevice", "http://h:3000/hdhr"));
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(text, /\r\nLOCATION: http:\/\/h:3000\/hdhr\/device\.xml\r\n/);
  assert.ok(text.includes(`\r\nUSN: ${uuid}::upnp:rootdevice\r\n`), text);
  assert.match(text, /\r\n\r\n$/);
});
