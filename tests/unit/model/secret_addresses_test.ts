import { strict as assert } from "node:assert";
import { pagePlace, pushPlaceOf, withHosts } from "../../../lib/model/secret_addresses.ts";
import { wallAddress } from "../../../lib/net/wall_address.ts";

Deno.test("a sentence keeps the hosts of addresses alone", () => {
  const table: [said: string, kept: string][] = [
    [
      'cannot load "https://anna:x@a.example.org:8443/d?key=1#y", then http://b.lan/.',
      'cannot load "a.example.org:8443", then b.lan',
    ],
    ["rtmp://live.example.org/app/key is taken", "live.example.org is taken"],
    ["wss://a.example/x?token=1 and http://:x", "a.example and a page"],
    ["no address: a//b", "no address: a//b"],
  ];
  for (const [said, kept] of table) assert.equal(withHosts(said), kept);
});

Deno.test("of an address the place is its server, without user, path, query and fragment", () => {
  const table: [address: string, place: string][] = [
    ["https://anna:x@a.example.org:8443/d?key=1#y", "https://a.example.org:8443/"],
    ["http://[fd00::1]/public/0123456789abcdef", "http://[fd00::1]/"],
    // it is no secret, and says which streams are walls
    [wallAddress("lobby"), wallAddress("lobby")],
    [`${wallAddress("lobby")}&token=1`, "http://wall.browser-stream.alt/"],
    ["no address", ""],
  ];
  for (const [address, place] of table) assert.equal(pagePlace(address), place);
  const pushes: [pushTo: string, place: string][] = [
    ["rtmps://live.example.org/app/key", "rtmps://live.example.org:443"],
    ["srt://live.example.org:9000?streamid=key&latency=200", "srt://live.example.org:9000"],
    ["srt://0.0.0.0:9000?mode=listener", "srt listener at 9000"],
    ["", ""],
  ];
  for (const [pushTo, place] of pushes) assert.equal(pushPlaceOf(pushTo), place);
});
