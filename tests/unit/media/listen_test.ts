import assert from "node:assert/strict";
import { mediaHosts, mediaListen } from "../../../lib/media/listen.ts";

const HOSTS: [string, string[], string][] = [
  ["127.0.0.1", ["127.0.0.1"], "listen 127.0.0.1:8888;"],
  ["0.0.0.0", ["127.0.0.1", "0.0.0.0"], "listen 127.0.0.1:8888; listen 0.0.0.0:8888;"],
  ["192.168.1.5", ["127.0.0.1", "192.168.1.5"], "listen 127.0.0.1:8888; listen 192.168.1.5:8888;"],
  ["::", ["127.0.0.1", "::"], "listen 127.0.0.1:8888; listen [::]:8888;"],
];

Deno.test("the media server always listens where the proxy asks it", () => {
  for (const [MEDIA_HOST, hosts, lines] of HOSTS) {
    const config = { MEDIA_HOST, MEDIA_PORT: 8888 };
    assert.deepEqual(mediaHosts(config), hosts);
    assert.equal(mediaListen(config), lines);
  }
});
