import assert from "node:assert/strict";
import { mediaHosts, mediaListen } from "../../../../lib/channel/media/listen.ts";

const NONE = { LOGIN: "auto", TRUSTED_USER_HEADER: "" } as const;
const HOSTS: [string, string[], string][] = [
  ["127.0.0.1", ["127.0.0.1"], "listen 127.0.0.1:8888;"],
  ["0.0.0.0", ["0.0.0.0"], "listen 0.0.0.0:8888;"],
  ["192.168.1.5", ["127.0.0.1", "192.168.1.5"], "listen 127.0.0.1:8888; listen 192.168.1.5:8888;"],
  ["::", ["127.0.0.1", "::"], "listen 127.0.0.1:8888; listen [::]:8888;"],
];

Deno.test("the media server always listens on loopback", () => {
  for (const [MEDIA_HOST, hosts, lines] of HOSTS) {
    const config = { MEDIA_HOST, MEDIA_PORT: 8888, AUTH_PASS: "", AUTH_PASS_FILE: "", ...NONE };
    assert.deepEqual(mediaHosts(config, () => false), hosts);
    assert.equal(mediaListen(config, () => false), lines);
  }
});

Deno.test("the media server has both families of what it listens on, where the machine has them", () => {
  const hosts = (MEDIA_HOST: string) =>
    mediaHosts({ MEDIA_HOST, MEDIA_PORT: 8888, AUTH_PASS: "", AUTH_PASS_FILE: "", ...NONE }, () => true);
  assert.deepEqual(hosts("127.0.0.1"), ["127.0.0.1", "::1"]);
  // each address once: nobody listens twice
  assert.deepEqual(hosts("0.0.0.0"), ["0.0.0.0", "::"]);
  assert.deepEqual(hosts("::"), ["::", "0.0.0.0"]);
  assert.deepEqual(hosts("192.168.1.5"), ["127.0.0.1", "::1", "192.168.1.5"]);
});

Deno.test("with a login, the media server is on loopback alone: it knows nothing of sessions", () => {
  const without = { AUTH_PASS: "", AUTH_PASS_FILE: "", ...NONE };
  const logins = [
    { ...without, AUTH_PASS: "x" },
    { ...without, AUTH_PASS_FILE: "/run/secrets/x" },
    { ...without, LOGIN: "on" as const },
    { ...without, TRUSTED_USER_HEADER: "Remote-User" },
  ];
  for (const login of logins) {
    for (const [MEDIA_HOST] of HOSTS) {
      const config = { MEDIA_HOST, MEDIA_PORT: 8888, ...login };
      assert.equal(mediaListen(config, () => false), "listen 127.0.0.1:8888;");
      assert.equal(mediaListen(config, () => true), "listen 127.0.0.1:8888; listen [::1]:8888;");
    }
  }
});
