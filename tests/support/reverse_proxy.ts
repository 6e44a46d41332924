/** Reverse proxies in front of a service: by https from the examples in docs/proxies/, and nginx with its defaults. */
import { strict as assert } from "node:assert";
import { request as plainRequest } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { Readable } from "node:stream";
import { constants, createGunzip } from "node:zlib";
import { makeIssuer } from "./certificates.ts";
import { tempDir } from "./fixture.ts";
import { answerTo, type RawAnswer, TIMEOUT_MS } from "./raw_http.ts";
import { until } from "./same.ts";

export const PROXIES = ["nginx", "Caddy", "Apache", "HAProxy"] as const;
/** What many have: `proxy_pass` and nothing else, by HTTP/1.0, and all is compressed. It passes no WebSocket on. */
export const BARE_NGINX = "nginx with proxy_pass alone";
export type ProxyName = typeof PROXIES[number] | typeof BARE_NGINX;

/** What the examples have, and the test's own in its place. */
export const HOST = "tv.example.org";

export interface ReverseProxy extends AsyncDisposable {
  /** Such as https://tv.example.org:40001 */
  origin: string;
  port: number;
  /** PEM, of its issuer; absent: it speaks http. */
  ca?: string;
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

/** What Debian's apache2.conf and its modules' files say, as far as the example needs it. */
function apacheFrame(dir: string, port: number): string {
  const modules = ["mpm_event", "ssl", "socache_shmcb", "headers", "proxy", "proxy_http", "authz_core"];
  return [
    `ServerRoot ${dir}`,
    `DefaultRuntimeDir ${dir}`,
    `PidFile ${dir}/pid`,
    "ErrorLog /dev/null",
    ...modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
    ...(Deno.uid() === 0 ? ["User nobody", "Group nogroup"] : []),
    `Listen [::1]:${port}`,
  ].join("\n");
}

/** The proxy's files. @returns its command line. */
async function configure(name: ProxyName, dir: string, port: number, service: string): Promise<string[]> {
  const file = join(dir, "config");
  const { host } = new URL(service);
  if (name === "Apache") {
    const site = replaced(await example("apache.conf"), {
      "*:443": `*:${port}`,
      "/etc/ssl/tv.example.org": join(dir, "tls"),
      "http://127.0.0.1:3000": service,
    });
    await Deno.writeTextFile(file, `${apacheFrame(dir, port)}\n${site}`);
    return ["/usr/sbin/apache2", "-D", "FOREGROUND", "-f", file];
  }
  if (name === "HAProxy") {
    const settings = replaced(await example("haproxy.cfg"), {
      ":::443 v4v6 ssl crt /etc/ssl/tv.example.org.pem": `[::1]:${port} ssl crt ${dir}/tls.pem`,
      "127.0.0.1:3000": host,
    });
    await Deno.writeTextFile(file, settings);
    return ["/usr/sbin/haproxy", "-db", "-f", file];
  }
  if (name === "nginx" || name === BARE_NGINX) {
    const bare = `gzip on; gzip_types *; gzip_min_length 0;
      server { listen [::1]:${port}; location / { proxy_pass ${service}; } }`;
    const site = name === BARE_NGINX ? bare : replaced(await example("nginx.conf"), {
      "listen 443 ssl;": `listen 127.0.0.1:${port} ssl;`,
      "listen [::]:443 ssl;": `listen [::1]:${port} ssl;`,
      "/etc/ssl/tv.example.org": join(dir, "tls"),
      "http://127.0.0.1:3000": service,
    });
    const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((kind) => `${kind}_temp_path ${dir}/${kind};`);
    // its workers write large bodies into these folders
    const user = Deno.uid() === 0 ? ["user root;"] : [];
    const main = [...user, "daemon off;", "error_log stderr;", `pid ${dir}/pid;`, "events {}"];
    await Deno.writeTextFile(file, [...main, "http {", "access_log off;", ...folders, site, "}"].join("\n"));
    return ["/usr/sbin/nginx", "-e", "stderr", "-p", dir, "-c", file];
  }
  const site = replaced(await example("Caddyfile"), {
    "tv.example.org {": `https://${HOST}:${port} {\n\ttls ${dir}/tls.crt ${dir}/tls.key`,
    "127.0.0.1:3000": host,
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
  for (const [ending, text] of Object.entries({ crt: cert, key, pem: cert + key })) {
    await Deno.writeTextFile(join(dir.path, `tls.${ending}`), text);
  }
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
  const isBare = name === BARE_NGINX;
  const scheme = isBare ? "http" : "https";
  return {
    origin: `${scheme}://${HOST}:${port}`,
    port,
    ca: isBare ? undefined : issuer.ca,
    [Symbol.asyncDispose]: stop,
  };
}

/** A connection to a proxy, from ::1. */
export async function connectTo({ port, ca }: ReverseProxy): Promise<Deno.Conn> {
  const plain = await Deno.connect({ hostname: "::1", port });
  return ca === undefined ? plain : await Deno.startTls(plain, { hostname: HOST, caCerts: [ca] });
}

/** Asks a proxy, from ::1, for what has no end; the caller ends it. */
export function listenThrough(
  { port, ca }: ReverseProxy,
  path: string,
  headers: Record<string, string>,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const own = { host: `${HOST}:${port}`, ...headers };
  const send = ca === undefined ? plainRequest : request;
  send({ host: "::1", port, path, ca, servername: HOST, agent: false, headers: own }, (answer) => {
    const isPacked = answer.headers["content-encoding"] === "gzip";
    // what was flushed is given at once
    const whole = isPacked ? answer.pipe(createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })) : answer;
    const body = Readable.toWeb(whole) as unknown as ReadableStream<Uint8Array>;
    resolve(new Response(body, { status: answer.statusCode }));
  }).on("error", reject).end();
  return promise;
}

/** Asks a proxy, from ::1. */
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
    host: "::1",
    port,
    path,
    method,
    ca,
    servername: HOST,
    agent: false,
    timeout: TIMEOUT_MS,
    headers: {
      host: `${HOST}:${port}`,
      "content-length": String(new TextEncoder().encode(body).length),
      ...headers,
    },
  };
  const send = ca === undefined ? plainRequest : request;
  return answerTo(path, body, (onanswer) => send(options, onanswer));
}
