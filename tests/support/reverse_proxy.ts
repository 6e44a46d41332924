/** Reverse proxies with https in front of a service, from the examples in docs/proxies/. */
import { strict as assert } from "node:assert";
import { request } from "node:https";
import { join } from "node:path";
import { Readable } from "node:stream";
import { makeIssuer } from "./certificates.ts";
import { tempDir } from "./fixture.ts";
import { answerTo, type RawAnswer, TIMEOUT_MS } from "./raw_http.ts";
import { until } from "./same.ts";

export const PROXIES = ["nginx", "Caddy"] as const;
export type ProxyName = typeof PROXIES[number];

/** What the examples have, and the test's own in its place. */
export const HOST = "tv.example.org";

export interface ReverseProxy extends AsyncDisposable {
  /** Such as https://tv.example.org:40001 */
  origin: string;
  port: number;
  /** PEM, of its issuer. */
  ca: string;
}

async function example(name: string): Promise<string> {
  return await Deno.readTextFile(new URL(`../../docs/proxies/${name}`, import.meta.url));
}

/** Replaces what is in the text exactly as it stands. */
function replaced(text: string, changes: Record<string, string>): string {
  return Object.entries(changes).reduce((result, [from, to]) => {
    assert.ok(result.includes(from), `the example has no ${from}`);
    return result.replaceAll(from, to);
  }, text);
}

/** The proxy's files. @returns its command line. */
async function configure(name: ProxyName, dir: string, port: number, service: string): Promise<string[]> {
  const file = join(dir, "config");
  if (name === "nginx") {
    const site = replaced(await example("nginx.conf"), {
      "listen 443 ssl;": `listen 127.0.0.1:${port} ssl;`,
      "listen [::]:443 ssl;": `listen [::1]:${port} ssl;`,
      "/etc/ssl/tv.example.org": join(dir, "tls"),
      "http://127.0.0.1:3000": service,
    });
    const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((kind) => `${kind}_temp_path ${dir}/${kind};`);
    const main = ["daemon off;", "error_log stderr;", `pid ${dir}/pid;`, "events {}"];
    await Deno.writeTextFile(file, [...main, "http {", "access_log off;", ...folders, site, "}"].join("\n"));
    return ["/usr/sbin/nginx", "-e", "stderr", "-p", dir, "-c", file];
  }
  const site = replaced(await example("Caddyfile"), {
    "tv.example.org {": `https://${HOST}:${port} {\n\ttls ${dir}/tls.crt ${dir}/tls.key`,
    "127.0.0.1:3000": new URL(service).host,
  });
  await Deno.writeTextFile(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
  return ["/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config", file];
}

/** @param service its address. @param port the proxy's own, which the caller has reserved. */
export async function startProxy(
  name: ProxyName,
  service: string,
  port: number,
): Promise<ReverseProxy> {
  const dir = await tempDir();
  const issuer = await makeIssuer(dir.path);
  const { cert, key } = await issuer.issue(HOST);
  await Deno.writeTextFile(join(dir.path, "tls.crt"), cert);
  await Deno.writeTextFile(join(dir.path, "tls.key"), key);
  const [program, ...args] = await configure(name, dir.path, port, service);
  const proxy = new Deno.Command(program, {
    args,
    cwd: dir.path,
    env: { HOME: dir.path, XDG_DATA_HOME: dir.path, XDG_CONFIG_HOME: dir.path },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const stop = async () => {
    proxy.kill("SIGTERM");
    await proxy.status;
    await dir[Symbol.asyncDispose]();
  };
  try {
    await until(`${name} to listen`, async () => {
      const conn = await Deno.connect({ hostname: "::1", port }).catch(() => null);
      conn?.close();
      return conn !== null;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { origin: `https://${HOST}:${port}`, port, ca: issuer.ca, [Symbol.asyncDispose]: stop };
}

/** Asks a proxy by https, from ::1, for what has no end; the caller ends it. */
export function listenThrough(
  { port, ca }: ReverseProxy,
  path: string,
  headers: Record<string, string>,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const own = { host: `${HOST}:${port}`, ...headers };
  request({ host: "::1", port, path, ca, servername: HOST, agent: false, headers: own }, (answer) => {
    const body = Readable.toWeb(answer) as unknown as ReadableStream<Uint8Array>;
    resolve(new Response(body, { status: answer.statusCode }));
  }).on("error", reject).end();
  return promise;
}

/** Asks a proxy by https, from ::1. */
export function ask(
  { port, ca }: ReverseProxy,
  path: string,
  { method = "GET", headers = {}, body = "" }: {
    method?: string;
    headers?: Record<string, string>;
    body?: string;
  } = {},
): Promise<RawAnswer> {
  const options = {
    ...{ host: "::1", port, path, method, ca, servername: HOST, agent: false, timeout: TIMEOUT_MS },
    headers: { host: `${HOST}:${port}`, "content-length": String(body.length), ...headers },
  };
  return answerTo(path, body, (onanswer) => request(options, onanswer));
}
