import { strict as assert } from "node:assert";
import { parsePushTarget, pushPlace, pushTargetProblem } from "../../../../lib/machine/net/push_target.ts";

const NONE = { isListener: false, path: "", latencyMs: null, streamId: "" };

Deno.test("push targets: what people type becomes a protocol, host, port and path", () => {
  const cases: [string, Record<string, unknown>][] = [
    ["rtmp://a.rtmp.youtube.com/live2", {
      protocol: "rtmp",
      host: "a.rtmp.youtube.com",
      port: 1935,
      path: "live2",
    }],
    ["RTMPS://Live.Example.org:443/rtmp/", {
      protocol: "rtmps",
      host: "live.example.org",
      port: 443,
      path: "rtmp",
    }],
    ["rtmps://h/app/name", { protocol: "rtmps", host: "h", port: 443, path: "app/name" }],
    ["rtmp://h:80/a", { protocol: "rtmp", host: "h", port: 80, path: "a" }],
    ["rtmp://[2001:db8::1]:1935/a", { protocol: "rtmp", host: "[2001:db8::1]", port: 1935, path: "a" }],
    ["rtmp://0x7f.1/a", { protocol: "rtmp", host: "127.0.0.1", port: 1935, path: "a" }],
    ["srt://10.0.0.7:9000", { protocol: "srt", host: "10.0.0.7", port: 9000 }],
    ["srt://h:9000?latency=200&streamid=a/b", {
      protocol: "srt",
      host: "h",
      port: 9000,
      latencyMs: 200,
      streamId: "a/b",
    }],
    ["srt://0.0.0.0:9000?mode=listener", { protocol: "srt", host: "0.0.0.0", port: 9000, isListener: true }],
  ];
  for (const [text, target] of cases) assert.deepEqual(parsePushTarget(text), { ...NONE, ...target }, text);
  assert.equal(pushPlace(parsePushTarget("srt://0.0.0.0:9000?mode=listener")!), "srt listener at 9000");
});

Deno.test("push targets: anything else is refused with what to do", () => {
  const cases: [string, RegExp][] = [
    ["http://h/live", /begins with rtmp/],
    ["youtube.com", /begins with rtmp/],
    ["file:///etc/passwd", /begins with rtmp/],
    ["rtmp://", /no valid host/],
    ["rtmp:///live", /no valid host|application/],
    ["rtmp://h", /needs the server's application/],
    ["rtmp://h/", /needs the server's application/],
    ["rtmp://h/a b", /no blanks/],
    ["rtmp://h/a\nb", /no blanks/],
    ["rtmp://h/live?key=1", /belongs to the stream key/],
    ["rtmp://user:pass@h/live", /no user and password/],
    ["rtmp://h:0/live", /port/],
    ["rtmp://h:99999/live", /no valid host|port/],
    ["rtmp://h/live#x", /no blanks/],
    ["rtmp://h/a|b", /application/],
    ["srt://h", /needs a port/],
    ["srt://h:9000/path", /no path/],
    ["srt://h:9000?passphrase=sesame12345", /field of its own/],
    ["srt://h:9000?mode=rendezvous", /caller or listener/],
    ["srt://h:9000?latency=1s", /milliseconds/],
    ["srt://h:9000?pkt_size=1", /no pkt_size/],
    ["srt://h:9000?mode=listener", /waits at all addresses/],
    ["srt://0.0.0.0:80?mode=listener", /1024/],
  ];
  for (const [text, says] of cases) {
    assert.match(pushTargetProblem(text) ?? "", says, text);
    assert.equal(parsePushTarget(text), null, text);
  }
  assert.equal(pushTargetProblem(""), null);
});
