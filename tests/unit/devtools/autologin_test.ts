import assert from "node:assert/strict";
import { mayLogIn } from "../../../lib/devtools/autologin.ts";

const GRAFANA = "https://grafana.example.org/d/x";

const YES: [meant: string, shown: string][] = [
  [GRAFANA, "https://grafana.example.org/login?redirect=/d/x"],
  [GRAFANA, "https://sso.grafana.example.org/login"],
  ["http://grafana.lan:3000/", "http://grafana.lan:3000/login"],
  ["http://grafana.lan/", "https://grafana.lan/login"],
  ["http://10.0.0.7/", "http://10.0.0.7/login"],
  ["https://EXAMPLE.org/", "https://example.org/"],
];

const NO: [meant: string, shown: string][] = [
  [GRAFANA, "https://evil.example/"],
  [GRAFANA, "https://example.org/login"],
  [GRAFANA, "https://evilgrafana.example.org/"],
  [GRAFANA, "https://grafana.example.org.evil.example/"],
  [GRAFANA, "https://grafana.example.org@evil.example/"],
  [GRAFANA, "https://evil.example/?grafana.example.org"],
  [GRAFANA, "http://grafana.example.org/login"],
  [GRAFANA, "http://sso.grafana.example.org/login"],
  ["http://grafana.lan/", "http://sso.grafana.lan/"],
  ["http://grafana.lan:3000/", "http://grafana.lan:8080/"],
  ["http://10.0.0.7/", "http://110.0.0.7/"],
  [GRAFANA, "about:blank"],
  [GRAFANA, "chrome-error://chromewebdata/"],
  [GRAFANA, "data:text/html,grafana.example.org"],
  [GRAFANA, "file:///etc/passwd"],
];

Deno.test("credentials are typed at the page they are for", () => {
  for (const [meant, shown] of YES) assert.equal(mayLogIn(meant, shown), true, shown);
});

Deno.test("a page that wandered off gets none", () => {
  for (const [meant, shown] of NO) assert.equal(mayLogIn(meant, shown), false, shown);
});
