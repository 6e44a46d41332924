/** A server that wants a certificate of its visitors, which is OpenSSL's, and whose own certificate was accepted. */
import { join } from "node:path";
import { loadBehind } from "../../../lib/live/page/open_behind.ts";
import { problemOfSeen } from "../../../lib/model/answers/page_health.ts";
import { makeIssuer } from "../../support/certificates.ts";
import { tempDir } from "../../support/fixture.ts";
import { sharedBrowser } from "../../support/lone_browser.ts";
import { same, until } from "../../support/same.ts";
import { reserveSlot } from "../../support/slot.ts";

const slot = reserveSlot();
const VERSIONS = ["-tls1_2", "-tls1_3"];
let accepted = "";
const browser = sharedBrowser(async (after) => {
  after.use(slot);
  const dir = after.use(await tempDir());
  const { cert, key, fingerprint } = await (await makeIssuer(dir.path)).selfSigned("wall.test");
  accepted = fingerprint;
  const [certFile, keyFile] = [join(dir.path, "server.pem"), join(dir.path, "server.key")];
  await Deno.writeTextFile(certFile, cert);
  await Deno.writeTextFile(keyFile, key);
  for (const [at, version] of VERSIONS.entries()) {
    const server = new Deno.Command("openssl", {
      args: [
        ...["s_server", "-accept", `127.0.0.1:${slot.ports[at]}`, "-cert", certFile, "-key", keyFile],
        ...["-Verify", "1", "-www", version],
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    after.defer(async () => {
      server.kill("SIGTERM");
      await server.status;
    });
  }
  return { "wall.test": VERSIONS.map((_, at) => ({ port: slot.ports[at], space: "public" as const })) };
});

/** What a stream's card would say of an address. */
async function problemAt(url: string): Promise<string | null | undefined> {
  const tab = await browser().control.openTab(true);
  const { look } = await loadBehind(browser().control, tab, {
    url,
    login: { url, loginOrigins: "", user: "", pass: "" },
    accepted: [accepted],
    dress: () => Promise.resolve(),
    answered: () => {},
    elapsed: () => performance.now(),
    limits: { answerMs: 60_000, loadMs: 60_000, lookMs: 50, settleMs: 500 },
  }, new AbortController().signal);
  await browser().control.closeTab(tab.id);
  return look && problemOfSeen(look, [new URL(url).origin]);
}

Deno.test("a server that wants a certificate of its visitors is said to, although its own is accepted", async () => {
  const says = "The page's server wants a certificate of its visitors (ERR_BAD_SSL_CLIENT_AUTH_CERT).";
  for (const [at] of VERSIONS.entries()) {
    const url = `https://wall.test:${slot.ports[at]}/`;
    await until(
      "the server",
      () =>
        Deno.connect({ port: slot.ports[at] }).then((connection) => (connection.close(), true), () => false),
    );
    // of TLS 1.3 Chromium may see the closed socket before the server's reason; the stream's next try asks again
    await same(() => problemAt(url), says);
  }
});
