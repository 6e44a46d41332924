/** A service with all that is secret, and one stream, for the tests of the login and of secrets: these run together. */
import { strict as assert } from "node:assert";
import { HOST } from "./reverse_proxy.ts";
import { askApi, logIn, sharedService, SMALLEST, type TestService } from "./service.ts";

/** No word of it stands anywhere by chance. */
export const MARK = crypto.randomUUID().slice(0, 8);

/** Its password is entered in its page's address. */
export const STREAM = {
  name: "Secrets",
  pass: `pass-${MARK}`,
  token: `tool-${MARK}`, // another tool's
  autoReload: true,
  ...SMALLEST,
};

export const LOGIN = { AUTH_USER: "anna-of-the-login", AUTH_PASS: `login-${MARK}` };

/** Nobody listens there: each message fails, and the log says so. */
export const WEBHOOK = {
  WEBHOOK_URL: `http://user:hook-${MARK}@127.0.0.1:1/topic-${MARK}?token=key-${MARK}`,
  WEBHOOK_SECRET: `sign-${MARK}`,
  WEBHOOK_AFTER_SECONDS: "0",
};

/** No page asks it: all are on this machine. */
const PROXY = { HTTPS_PROXY: `http://proxy:proxy-${MARK}@127.0.0.1:1` };

export const METRICS = { METRICS_TOKEN: `metrics-token-${MARK}` };

/** In front of it, and what it must not listen on. */
const PLACE = { MEDIA_HOST: "0.0.0.0", TRUSTED_PROXIES: "127.0.0.1", ALLOWED_HOSTS: HOST };

const serviceTest = sharedService({
  env: { ...LOGIN, ...WEBHOOK, ...METRICS, ...PROXY, ...PLACE, LOG_FORMAT: "json" },
});

let prepared: Promise<void> | undefined;
let session: Promise<string> | undefined;
/** An app's token, made and used once, so that the logs could have it. */
let appToken = "";

/** Registers a test of the service, whose stream runs. */
export function secretTest(name: string, test: (service: TestService) => Promise<void> | void): void {
  serviceTest(name, async (service) => {
    await (prepared ??= prepare(service));
    await test(service);
  });
}

/** The cookie of a session. */
export function sessionOf(service: TestService): Promise<string> {
  return session ??= logIn(service.url, LOGIN.AUTH_USER, LOGIN.AUTH_PASS);
}

/** After everybody is logged out: the next session is another one. */
export function forgetSession(): void {
  session = undefined;
}

/** Asks the API with the session. */
export async function asks(service: TestService, method: string, path: string, body?: unknown) {
  return await askApi(service.url, await sessionOf(service), method, path, body);
}

export function tokenOfApp(): string {
  return appToken;
}

async function makeAppToken(service: TestService): Promise<string> {
  const { token } = await (await asks(service, "POST", "/api/access-tokens", { name: "TV" })).json();
  const playlist = await fetch(`${service.url}/t/${token}/playlist.m3u`);
  await playlist.body?.cancel();
  assert.equal(playlist.status, 200);
  return token;
}

/** The stream runs, and all programs have had what makes them talk. */
async function prepare(service: TestService): Promise<void> {
  const { pass, ...fields } = STREAM;
  const page = `${service.pageUrl}login.html?key=query-${MARK}`.replace("//", `//operator:${pass}@`);
  const { id } = await service.create({ ...fields, url: page });
  await service.untilState(id, "running");
  appToken = await makeAppToken(service);
  const test = await asks(service, "POST", "/api/webhook/test");
  assert.equal((await test.json()).isDelivered, false);
  for (const [token, status] of [[METRICS.METRICS_TOKEN, 200], [`${METRICS.METRICS_TOKEN}x`, 401]] as const) {
    const metrics = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    await metrics.body?.cancel();
    assert.equal(metrics.status, status);
  }
}
