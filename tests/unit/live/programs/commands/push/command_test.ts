import { strict as assert } from "node:assert";
import { parsePushTarget } from "../../../../../../lib/machine/net/push_target.ts";
import {
  presetText,
  pushCommand,
  pushSecrets,
} from "../../../../../../lib/live/programs/commands/push/command.ts";
import { plainProblem } from "../../../../../../lib/live/programs/commands/push/pusher.ts";

const target = (text: string) => parsePushTarget(text)!;

Deno.test("push command: picture and sound as they are, and no key or name in the command line", () => {
  const argv = pushCommand(
    target("rtmps://live.example.org/rtmp/secret"),
    { name: "192.0.2.7", port: 443 },
    "/tmp/preset",
    "/run/issuers.pem",
  );
  const after = (flag: string) => argv[argv.indexOf(flag) + 1];
  assert.deepEqual([after("-c"), after("-tls_verify"), after("-fpre")], ["copy", "1", "/tmp/preset"]);
  assert.equal(argv.at(-1), "rtmps://live.example.org:443/");
  assert.ok(!argv.join(" ").includes("secret"));
  const srt = pushCommand(
    target("srt://h:9000?streamid=secret&latency=120"),
    { name: "2001:db8::7", port: 9000 },
    "/tmp/preset",
    "/run/issuers.pem",
  );
  assert.equal(srt[srt.indexOf("-latency") + 1], "120000", "microseconds");
  assert.deepEqual([srt.at(-1), srt.join(" ").includes("secret")], ["srt://[2001:db8::7]:9000", false]);
});

Deno.test("push command: the preset has application, name and passphrase, each on its line", () => {
  const cases: [string, string, string][] = [
    [
      "rtmp://h/live2",
      "abc-1?x=1",
      "rtmp_app=live2\nrtmp_playpath=abc-1?x=1\nrtmp_tcurl=rtmp://h:1935/live2\n",
    ],
    ["rtmp://h/app/inst", "k", "rtmp_app=app/inst\nrtmp_playpath=k\nrtmp_tcurl=rtmp://h:1935/app/inst\n"],
    ["rtmp://h/app/name", "", "rtmp_app=app\nrtmp_playpath=name\nrtmp_tcurl=rtmp://h:1935/app\n"],
    ["srt://h:9000?streamid=s", "sesame12345", "srt_streamid=s\npassphrase=sesame12345\n"],
    ["srt://h:9000", "", ""],
  ];
  for (const [text, key, preset] of cases) assert.equal(presetText(target(text), key), preset);
  assert.throws(() => presetText(target("rtmp://h/live2"), ""), /key is missing/);
  assert.throws(() => presetText(target("srt://h:9000"), "short"), /10 to 64/);
});

Deno.test("push problems: ffmpeg's words become plain ones, without addresses", () => {
  const cases: [string, boolean, RegExp][] = [
    ["rtmp://h:1/: Connection refused", false, /does not run/],
    ["Error closing file rtmp://h:1/: Broken pipe", true, /^the receiver has ended the connection$/],
    ["srt://h:9: Input/output error", false, /refused the stream \(Input\/output error\)/],
    ["Failed to resolve hostname h: Name or service not known", false, /no address/],
    [
      "[tls] Peer certificate failed verification\n[rtmps] Cannot open connection tls://h:1\nrtmps://h:1/: Input/output error",
      false,
      /certificate is not valid/,
    ],
    [
      "[tls] The certificate's owner does not match hostname h\nrtmps://h:1/: Input/output error",
      false,
      /another name/,
    ],
    ["[tls] IO error: Connection timed out\nrtmps://h:1/: Connection timed out", false, /does not answer$/],
    [
      "[tls] An unexpected TLS packet was received.\nrtmps://h:1/: Input/output error",
      false,
      /does not speak TLS/,
    ],
    [
      "[rtmp] Cannot read RTMP handshake response\nrtmp://h:1/: Connection timed out",
      false,
      /does not answer$/,
    ],
    ["[rtmp] Cannot read RTMP handshake response\nrtmp://h:1/: End of file", false, /does not speak RTMP/],
    ["", false, /no reason/],
  ];
  for (const [line, hasBegun, says] of cases) assert.match(plainProblem(line, hasBegun, []), says, line);
});

Deno.test("push command: what a receiver repeats of a key is not told", () => {
  const cases: [address: string, key: string, said: string, told: string][] = [
    ["rtmp://h/app", "k3y-1?sign=s1gn", "Server error: k3y-1 is taken, s1gn", "Server error: … is taken, …"],
    ["rtmp://h/app/k3y-1", "", "Server error: no app/k3y-1", "Server error: no app/…"],
    ["srt://h:9000?streamid=%23!::u=anna,s=s1gn", "passphrase-1", "rejected u=anna s1gn", "rejected u=… …"],
    ["srt://h:9000", "passphrase-1", "wrong: passphrase-1", "wrong: …"],
  ];
  for (const [address, key, said, told] of cases) {
    const problem = plainProblem(`[rtmp @ 0x1] x\n${said}`, false, pushSecrets(target(address), key));
    assert.equal(problem, `the receiver refused the stream (${told})`);
  }
});
