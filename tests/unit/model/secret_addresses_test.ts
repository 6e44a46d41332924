import { strict as assert } from "node:assert";
import { pagePlace, pushPlaceOf, withHosts, withoutLogins } from "../../../lib/model/secret_addresses.ts";
import { wallAddress } from "../../../lib/reach/wall_address.ts";

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

Deno.test("addresses of a text lose their logins in each spelling that a browser takes, and nothing else is lost", () => {
  const table: [said: string, kept: string][] = [
    ['GET "https://u:p@h/?a=b@c" and rtsp://u:p@q@h:1/', 'GET "https://h/?a=b@c" and rtsp://h:1/'],
    ["http://u:it's@h/ and http://u:p<a>b@h/", "http://h/ and http://h/"],
    ["http:/u:p@h/ https:u:p@h/ ws:///u:p@h/", "http:/h/ https:h/ ws:///h/"],
    ["HTTP:\\\\u:p@h/ http:\\u:p@h/", "HTTP:\\\\h/ http:\\h/"],
    ['{"a":"http:\\/\\/u:p@h\\/","to":"x@y"}', '{"a":"http:\\/\\/h\\/","to":"x@y"}'],
    ['"{\\"a\\":\\"http:\\\\\\/\\\\\\/u:p@h\\"}"', '"{\\"a\\":\\"http:\\\\\\/\\\\\\/h\\"}"'],
    ["http://a.lan,http://u:p@h;x_http://u:p@h", "http://a.lan,http://h;x_http://h"],
    ["url=http:u:p@h", "url=http:h"],
    ["u:p@h anna@b.org https://h/@c file:/a@2x.png mailto:a@b.org 10:20@x", ""],
  ];
  const wrong = table.filter(([said, kept]) => withoutLogins(said) !== (kept || said));
  assert.deepEqual(wrong.map(([said]) => [said, withoutLogins(said)]), []);
});

Deno.test("a page's text of any size is looked at in linear time: this would take weeks else", () => {
  for (const part of ["a.", "a-", "a:", "http:", "http:/", "://", "a@", "@", "http:@", "http://u:", "\\/"]) {
    const text = part.repeat(2 ** 22 / part.length);
    assert.ok(withoutLogins(text).length <= text.length);
    if (!part.includes("//")) assert.equal(withHosts(text), text);
  }
});
