/** Every header that the gate trusts, when it comes twice or empty: it then gives no more than without it. */
import assert from "node:assert/strict";
import { MetricsToken } from "../../../lib/door/access/metrics_token.ts";
import { Passes } from "../../../lib/door/access/pass.ts";
import { createGate } from "../../../lib/door/gate.ts";

const PROXY = "10.0.0.5";
const OWN = "http://tv.local";
const TOKEN = "0123456789abcdef";
const CONFIG = { PUBLIC_URL: "", ALLOWED_HOSTS: [], TRUSTED_PROXIES: [PROXY] };
const passes = new Passes(new Uint8Array(32), "b", () => 0);
const PASS = passes.make("b", "POST", "/x", {
  client: "1.2.3.4",
  publicUrl: `${OWN}/`,
  addressBase: OWN,
  isFromOwnPage: true,
  mayReadSecrets: true,
  role: "admin",
});

type Lines = [name: string, value: string][];

/** What the gate makes of a request: a refusal's status, or what was let in, in short. */
function found(lines: Lines, method: string, peer: string): string {
  const metrics = new MetricsToken(TOKEN, () => 0);
  const gate = createGate(CONFIG, "machine", null, { metrics, passes });
  const host: Lines = lines.some(([name]) => name === "Host") ? [] : [["Host", "tv.local"]];
  const path = method === "GET" ? "/metrics" : "/x";
  const request = new Request(`http://localhost${path}`, { method, headers: [...host, ...lines] });
  const admitted = gate(request, { remoteAddr: { transport: "tcp", hostname: peer, port: 5 } });
  if (admitted instanceof Response) return String(admitted.status);
  const { access, publicUrl, client, isFromOwnPage, mayReadSecrets } = admitted;
  const more = [...isFromOwnPage ? ["own"] : [], ...mayReadSecrets ? ["secrets"] : []];
  return [access, publicUrl.origin, client, ...more].join(" ");
}

const ANYBODY = `all ${OWN} 1.2.3.4`;
const PLAIN = `all ${OWN} ${PROXY}`;
const SCRIPT: Lines = [["Origin", OWN], ["X-Requested-With", "browser-stream"]];

const ROWS: [lines: Lines, wanted: string, method?: string, peer?: string][] = [
  [[], ANYBODY],
  [[["Host", "tv.local"], ["Host", "evil.example"]], "400"],
  [[["Host", ""]], "400"],
  // a page's
  [SCRIPT, `${ANYBODY} own secrets`],
  [[["Origin", OWN], ["Origin", OWN]], "403"],
  [[["Origin", "http://evil.example"], ["Origin", OWN]], "403"],
  [[["Origin", ""], ["Origin", OWN]], "403"],
  [[["Origin", OWN], ["Origin", ""]], "403"],
  [[["Origin", ""]], "403"],
  [[["Sec-Fetch-Site", "same-origin"], ["Sec-Fetch-Site", "cross-site"]], "403"],
  [[["Sec-Fetch-Site", ""], ["Sec-Fetch-Site", "same-origin"]], "403"],
  [[["Sec-Fetch-Site", ""]], "403"],
  [[...SCRIPT, ["X-Requested-With", "browser-stream"]], `${ANYBODY} own`],
  [[["Origin", OWN], ["X_Requested_With", "browser-stream"]], `${ANYBODY} own`],
  // a token's
  [[["Authorization", `Bearer ${TOKEN}`]], `metrics ${OWN} 1.2.3.4`, "GET"],
  [[["Authorization", `Bearer ${TOKEN}`], ["Authorization", `Bearer ${TOKEN}`]], ANYBODY, "GET"],
  [[["Authorization", ""], ["Authorization", `Bearer ${TOKEN}`]], ANYBODY, "GET"],
  [[["Authorization", `Bearer ${TOKEN}`], ["Authorization", ""]], ANYBODY, "GET"],
  // a node's
  [[["X-Browser-Stream-Pass", PASS], ["X-Browser-Stream-Pass", PASS]], "403"],
  [[["X-Browser-Stream-Pass", ""], ["X-Browser-Stream-Pass", PASS]], "403"],
  [[["X_Browser_Stream_Pass", PASS]], ANYBODY],
  [[["X-Browser-Stream-Pass", PASS]], `${ANYBODY} own secrets`],
  // a proxy's: the one next to the client says first how it was reached, the one next to us last by whom
  [[["X-Forwarded-Proto", "https"]], `all https://tv.local ${PROXY}`, "POST", PROXY],
  [[["X-Forwarded-Proto", "http"], ["X-Forwarded-Proto", "https"]], PLAIN, "POST", PROXY],
  [[["X-Forwarded-Proto", ""], ["X-Forwarded-Proto", "https"]], PLAIN, "POST", PROXY],
  [[["X-Forwarded-Proto", "https"]], ANYBODY],
  [[["X-Forwarded-Host", "evil.example"], ["X-Forwarded-Host", "tv.local"]], "421", "POST", PROXY],
  [[["X-Forwarded-Host", ""], ["X-Forwarded-Host", "evil.example"]], PLAIN, "POST", PROXY],
  [[["X-Forwarded-Host", "evil.example"]], ANYBODY],
  [[["X-Forwarded-Port", "8080"], ["X-Forwarded-Port", "81"]], `all ${OWN}:8080 ${PROXY}`, "POST", PROXY],
  [[["X-Forwarded-Port", "8080"]], ANYBODY],
  [[["X-Forwarded-For", "9.9.9.9"], ["X-Forwarded-For", "5.6.7.8"]], `all ${OWN} 5.6.7.8`, "POST", PROXY],
  [[["X-Forwarded-For", "5.6.7.8"], ["X-Forwarded-For", ""]], PLAIN, "POST", PROXY],
  [[["X-Forwarded-For", ""], ["X-Forwarded-For", "5.6.7.8"]], `all ${OWN} 5.6.7.8`, "POST", PROXY],
  [[["X_Forwarded_For", "9.9.9.9"]], PLAIN, "POST", PROXY],
  [[["X-Forwarded-For", "9.9.9.9"]], ANYBODY],
  // nobody's here
  [
    [["Forwarded", "for=9.9.9.9;host=evil.example;proto=https"], ["X-Real-IP", "9.9.9.9"]],
    PLAIN,
    "POST",
    PROXY,
  ],
  [[["X-Forwarded-Prefix", "/evil"], ["X-Original-URL", "/evil"], ["X-Rewrite-URL", "/evil"]], ANYBODY],
  [[["X-HTTP-Method-Override", "GET"], ["Origin", "http://evil.example"]], "403"],
];

Deno.test("a trusted header that comes twice, empty, by another name or from elsewhere gives nothing", () => {
  const wrong = ROWS.map(([lines, wanted, method = "POST", peer = "1.2.3.4"]) => ({
    lines,
    wanted,
    found: found(lines, method, peer),
  })).filter((row) => row.found !== row.wanted);
  assert.deepEqual(wrong, []);
});
