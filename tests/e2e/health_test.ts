/** How a stream's page is: every fault is said within 15 s, and over as soon as the page is back. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { type Certificate, type Issuer, makeIssuer } from "../support/certificates.ts";
import { type FaultyServer, type FaultyServers, faultyServers } from "../support/faulty_server.ts";
import { ownPolicies } from "../support/own_policies.ts";
import { RemoteBrowser } from "../support/remote_browser.ts";
import { same, until } from "../support/same.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { inSoak } from "../support/soak.ts";
import type { PageHealth } from "../../lib/model/answers/shapes.ts";

// a folder of policies that no other browser of the machine sees
const folder = Deno.makeTempDirSync({ prefix: "bs-ca-" });
const [policies, authorities] = ["chromium", "ca"].map((name) => join(folder, name));
for (const path of [policies, authorities]) Deno.mkdirSync(path);
const { program, env } = ownPolicies(policies);

let issuer: Issuer;
let servers: FaultyServers;
let server: FaultyServer;
let known: Certificate;
Deno.test.beforeAll(async () => {
  issuer = await makeIssuer(await Deno.makeTempDir({ dir: folder }));
  await Deno.writeTextFile(join(authorities, "own.pem"), issuer.ca);
  known = await issuer.issue("127.0.0.1");
  servers = await faultyServers();
  server = await servers.start(known);
});
Deno.test.afterAll(async () => {
  servers[Symbol.dispose]();
  await Deno.remove(folder, { recursive: true });
});

const serviceTest = sharedService({
  program,
  env: { ...env, CA_DIR: authorities },
  timings: {
    pageLookMs: 700,
    pageSilentMs: 1500,
    pageCheckMs: 3000,
    pageAwayMs: 1000,
    pageAnswerMs: 1500,
    pageGiveUpMs: 3000,
    pageRetryMs: 500,
    pageLongestRetryMs: 1000,
    pageSlowRetryMs: 1000,
    pageLongestSlowRetryMs: 1500,
    statusCacheMs: 200,
    encoderCheckMs: 800,
  },
});

const SMALL = { resolution: "320x180", scale: "320x180", fps: 5, audio: false };

async function untilPage(
  service: TestService,
  id: string,
  state: string,
): Promise<PageHealth> {
  let page: PageHealth | undefined;
  await until(`the page of ${id} to be ${state}`, async () => {
    page = (await service.status(id))?.page;
    return page?.state === state;
  }).catch(async (error) => {
    const events = await (await service.api("GET", `/api/streams/${id}/events`)).text();
    throw new Error(
      `${error.message}; it is ${JSON.stringify(page)}, and its last events are ${events.slice(-2000)}`,
    );
  });
  return page!;
}

/** The shared stream, whose page's server has this certificate, and no other is accepted. It is on its page. */
async function stream(service: TestService, certificate = known): Promise<string> {
  await server.set("none", certificate);
  // uncovered: what the browser shows is looked at
  const fields = { url: server.url, ...SMALL, whileBroken: "page" };
  const { id } = await service.sharedStream({ name: "Wall", ...fields });
  await patch(service, id, { acceptedCertificates: "" });
  return id;
}

/** The shared stream, on the page as it should be. */
async function wall(service: TestService): Promise<string> {
  const id = await stream(service);
  await untilPage(service, id, "ok");
  return id;
}

/** The shared stream, with this certificate. */
async function vault(service: TestService, certificate: Certificate): Promise<string> {
  const id = await stream(service, certificate);
  await reopen(service, id);
  return id;
}

async function patch(service: TestService, id: string, fields: Record<string, unknown>): Promise<void> {
  const answer = await service.api("PATCH", `/api/streams/${id}`, fields);
  assert.equal(answer.status, 200, await answer.text());
}

/** Opens the page again, as an operator does. */
async function reopen(service: TestService, id: string): Promise<void> {
  await until("the page to be opened again", async () => {
    return (await service.api("POST", `/api/streams/${id}/home`)).ok;
  });
}

serviceTest(
  `a page that is broken says so, and is back by itself`,
  async (service) => {
    const id = await wall(service);
    await server.set("hangs");
    await reopen(service, id);
    await untilPage(service, id, "hung");
    const { state: whole, reason, trouble } = await service.status(id);
    assert.deepEqual([whole, trouble], ["degraded", "hung"]);
    assert.ok(reason);
    await server.set("none");
    await untilPage(service, id, "ok");
    assert.equal((await service.status(id)).state, "running");
  },
);

serviceTest("a login in the page's address is what its server gets, and nobody reads it", async (service) => {
  const id = await wall(service);
  await server.set("401");
  await patch(service, id, { url: server.url.replace("//", "//ops:s3cret%40x@") });
  const browser = new RemoteBrowser(service, id);
  await until("the page", async () => {
    return await browser.evaluate("document.body.innerText").catch(() => "") === "The page";
  });
  await untilPage(service, id, "ok");
  const { url, user, passSet, ...others } = await (await service.api("GET", `/api/streams/${id}`)).json();
  assert.deepEqual([url, user, passSet], [server.url, "ops", true]);
  assert.doesNotMatch(JSON.stringify(others), /s3cret/);
  await server.set("none");
  await patch(service, id, { user: "", pass: "" });
  await service.settled(); // it has another browser
});

serviceTest("a page that crashes says so among the events, and is replaced", async (service) => {
  const id = await wall(service);
  {
    await using page = await new RemoteBrowser(service, id).page();
    page.send("Page.crash").catch(() => {}); // nobody is there to answer
    await until("the crash to be told", async () => {
      const answer = await service.api("GET", `/api/streams/${id}/events`);
      return /The page crashed\./.test(await answer.text());
    });
  }
  await untilPage(service, id, "ok");
});

serviceTest("what a page logs is not kept in its browser's memory", async (service) => {
  const id = await wall(service);
  await using page = await new RemoteBrowser(service, id).page();
  await page.evaluate(`logged = [];
    for (let n = 0; n < 40; n++) { const one = { n }; logged.push(new WeakRef(one)); console.log(one); }`);
  await until("the objects to be let go", async () => {
    await page.send("HeapProfiler.collectGarbage");
    return await page.evaluate<number>("logged.filter((one) => one.deref()).length") === 0;
  });
});

inSoak(serviceTest)(
  "a page that takes more memory than its stream may says so, and is back",
  async (service) => {
    const id = await wall(service);
    await patch(service, id, { memoryLimitMb: 800 });
    await server.set("memory");
    await reopen(service, id);
    await untilPage(service, id, "out-of-memory"); // it takes 800 MB before, beside other tests
    const { state, reason } = await service.status(id);
    assert.deepEqual([state, reason], ["degraded", "The page ran out of memory."]);
    await server.set("none");
    await untilPage(service, id, "ok");
    const answer = await service.api("GET", `/api/streams/${id}/events`);
    assert.match(await answer.text(), /The page ran out of memory\./);
  },
);

inSoak(serviceTest)(
  "an encoder that cannot keep up is said, and over with lighter settings",
  async (service) => {
    const id = await wall(service);
    await server.set("moves"); // what stands still is no work
    await reopen(service, id);
    await patch(service, id, { scale: "3840x2160", fps: 60, preset: "medium" });
    const trouble = async () => (await service.status(id)).trouble;
    await until("the encoder to be too slow", async () => await trouble() === "encoder-slow");
    assert.equal((await service.status(id)).state, "degraded");
    await patch(service, id, { scale: SMALL.scale, fps: SMALL.fps, preset: "superfast" });
    await until("the encoder to keep up", async () => await trouble() === undefined);
  },
);

inSoak(serviceTest)(
  "a web app that is started again finds out about pages that are open",
  async (service) => {
    const id = await wall(service);
    await server.set("502");
    await reopen(service, id);
    await untilPage(service, id, "server-error");
    for (const pid of service.processes(/ serve$/)) Deno.kill(pid, "SIGKILL");
    await until("another web app to say so", async () => {
      const status = await service.status(id).catch(() => null);
      return status?.page?.state === "server-error" && status.state === "degraded";
    });
    await server.set("none");
    await untilPage(service, id, "ok");
  },
);

inSoak(serviceTest)(
  "certificates: those of own issuers are good, for their name and while they are valid",
  async (service) => {
    const id = await vault(service, known);
    await untilPage(service, id, "ok");
    for (
      const [certificate, state] of [
        [await issuer.issue("127.0.0.1", true), "certificate-expired"],
        [await issuer.issue("other.test"), "certificate-name"],
      ] as const
    ) {
      await server.set("none", certificate);
      await reopen(service, id);
      await untilPage(service, id, state);
    }
  },
);

serviceTest(
  // that of a page that is tried: tests/app/trial_test.ts
  "certificates: one that is not trusted is shown, accepted by its fingerprint, and no other",
  async (service) => {
    const own = await issuer.selfSigned("127.0.0.1");
    const id = await vault(service, own);
    const { certificate } = await untilPage(service, id, "certificate-issuer");
    const { validTo } = certificate!;
    assert.equal(certificate!.fingerprint, own.fingerprint);
    assert.equal(certificate!.issuer, "127.0.0.1");
    await patch(service, id, { acceptedCertificates: own.fingerprint });
    await untilPage(service, id, "ok");
    await same(async () => (await service.status(id)).page?.certificateEndsAt, validTo);

    // whoever is in between has the accepted certificate, too, but not its key
    const forged = await issuer.selfSigned("127.0.0.1");
    await server.set("none", { cert: forged.cert + own.cert, key: forged.key });
    await reopen(service, id);
    await untilPage(service, id, "certificate-changed");
    assert.match((await service.status(id)).reason!, /has changed/);
    await server.set("none", own);
    await reopen(service, id);
    await untilPage(service, id, "ok");
  },
);
