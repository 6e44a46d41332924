import assert from "node:assert/strict";
import { parseConfig } from "../../../../lib/config.ts";
import { portClaims, socketSettings } from "../../../../lib/run/checks/ports.ts";

Deno.test("each shared program listens on its own addresses; the other family's is held where nothing of ours answers", () => {
  const config = parseConfig({
    HOST: "127.0.0.1",
    PORT: "3001",
    MEDIA_HOST: "127.0.0.1",
    MEDIA_PORT: "3002",
    RTMP_PORT: "3003",
    VNC_PROXY_PORT: "3004",
  });
  const settings = (hasIPv6: boolean) => {
    const claims = portClaims(config, () => hasIPv6);
    return (["front", "media", "vnc-proxy"] as const).map((program) => socketSettings(claims, program));
  };
  assert.deepEqual(settings(false), [
    'LISTEN_ON="127.0.0.1:3001",HELD="",UNTAKEN_MS="15000"',
    'LISTEN_ON="127.0.0.1:3002 127.0.0.1:3003",HELD=""',
    'LISTEN_ON="127.0.0.1:3004",HELD=""',
  ]);
  assert.deepEqual(settings(true), [
    'LISTEN_ON="127.0.0.1:3001 [::1]:3001",HELD="",UNTAKEN_MS="15000"',
    'LISTEN_ON="127.0.0.1:3002 [::1]:3002 127.0.0.1:3003",HELD="[::1]:3003"',
    'LISTEN_ON="127.0.0.1:3004",HELD="[::1]:3004"',
  ]);
});
