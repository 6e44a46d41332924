import { strict as assert } from "node:assert";
import {
  deviceIdOf,
  deviceUuid,
  deviceXml,
  isDeviceId,
  lineup,
} from "../../../../lib/channel/tuner/device.ts";

const device = { id: "1012AB3C", name: 'Wall <"1">', tuners: 8 };

Deno.test("tuner: a device ID is one that HDHomeRun clients accept", () => {
  // libhdhomerun's own answers: hdhomerun_config says "invalid device id" of the false ones
  for (const [id, isValid] of [["10A1B2C3", false], ["1020ABC", false], ["FFFFFFFG", false]] as const) {
    assert.equal(isDeviceId(id), isValid, id);
  }
  for (const seed of ["a", "b", "c", "another wall"]) {
    assert.ok(isDeviceId(deviceIdOf(seed)), deviceIdOf(seed));
    assert.match(deviceIdOf(seed), /^10[0-9A-F]{6}$/);
  }
  assert.notEqual(deviceIdOf("a"), deviceIdOf("b"));
});

Deno.test("tuner: the description escapes what stands in it, and its UUID stays", () => {
  const xml = deviceXml(device, "http://h:3000");
  assert.ok(xml.includes("<friendlyName>Wall &lt;&quot;1&quot;&gt;</friendlyName>"), xml);
  assert.ok(xml.includes(`<UDN>uuid:${deviceUuid(device)}</UDN>`));
  assert.match(deviceUuid(device), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
});

Deno.test("tuner: the lineup has numbers, names on one line, and addresses below the base", () => {
  const channel = {
    id: "clock",
    name: "A\nclock",
    group: "",
    number: 3,
    pageHosts: "",
    logo: "",
    logoOf: 0,
    isOn: true,
    isOnDemand: false,
    pastHours: 0,
    timetable: () => null,
  };
  assert.deepEqual(lineup([channel], "http://h:3000/t/secret"), [{
    GuideNumber: "3",
    GuideName: "A clock",
    VideoCodec: "H264",
    AudioCodec: "AAC",
    HD: 1,
    URL: "http://h:3000/t/secret/hdhr/tune/clock",
  }]);
});
