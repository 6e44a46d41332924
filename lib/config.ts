/** Environment variables -> one typed Config, parsed once at start. Nothing else reads the environment. */
import { isIP } from "node:net";
import { resolve } from "node:path";
import * as z from "zod";
import { parseTimings } from "./timings.ts";
import { parseHost } from "./machine/net/host.ts";
import { parseNetwork } from "./machine/net/networks.ts";
import { oneSpelling, withBothLoopbacks } from "./machine/net/families.ts";
import { parseNatsAddress } from "./machine/net/nats_address.ts";
import { parseProxy } from "./reach/proxy_server.ts";
import { isLocalhost } from "./reach/reach.ts";

interface Variable {
  fallback: string;
  example: string;
  /** Its value stands in no message, and every blank of it counts. */
  isSecret?: boolean;
  /** For --help and the table in docs/configuration.md. */
  about: string;
  parse: z.ZodType<unknown, string>;
}

const port = z.string().regex(/^\d{1,5}$/).transform(Number).pipe(z.number().min(1).max(65535));
const flag = z.enum(["true", "false", "1", "0"]).transform((text) => text === "true" || text === "1");
const text = z.string();
/**
 * An address in its one spelling; localhost is 127.0.0.1. No other name: each program would look it up by itself, and the
 * kernel's rules and a wall's browser would mean another address than the one that is listened on.
 */
const host = z.string()
  .transform((text) => (isLocalhost(text.toLowerCase()) ? "127.0.0.1" : text))
  .refine((text) => isIP(text) !== 0 && !text.includes("%"))
  .transform(oneSpelling);
/** Stands unquoted in the generated configs. */
const folder = z.string().regex(/^[\w@+=:,./-]*$/);
/** What a person can type into one line; a secret's problem says nothing of its value. */
// deno-lint-ignore no-control-regex
const line = z.string().regex(/^[^\x00-\x1f\x7f]*$/);
const path = z.string().min(1).regex(/^[^\0\n\r"]+$/);

function whole(min: number, max: number) {
  return z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max));
}

/** Comma list; read back from its own text, as the programs below get it. */
function list(isItem: (text: string) => boolean) {
  return z.string()
    .transform((text) => text.split(",").map((item) => item.trim()).filter(Boolean))
    .refine((items) => items.every(isItem));
}

/** Scheme, host and port alone: the service does not run below a path. */
const publicOrigin = z.string()
  .refine((text) => text === "" || (/^https?:\/\/[^/\\?#@\s]+\/?$/i.test(text) && URL.canParse(text)))
  .transform((text) => text && new URL(text).origin)
  .refine((origin) => origin === "" || parseHost(new URL(origin).host) !== null);

/** "*", a name, or "*." and a name: in lower case. */
const allowedHosts = list((text) => text === "*" || parseHost(text.replace(/^\*\./, ""))?.port === null)
  .transform((names) => names.map((name) => name.toLowerCase().replace(/\.$/, "")));

const proxy = z.string().transform((text) => text.trim())
  .refine((text) => text === "" || parseProxy(text) !== null);

/** RFC 9110, 5.1; none of those that say where a request comes from. */
const headerName = z.string().regex(/^(?:[a-zA-Z0-9][a-zA-Z0-9-]{0,62})?$/)
  .refine((text) => !/^(?:x-forwarded-(?:for|host|port|proto)|host|cookie|origin|connection)$/i.test(text));

/** It is part of a bucket's and of a record's name. */
const nodeName = z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,62}$/);

/** "first-last": more than the shared programs need, none of the system's or a person's, and none that means "as before". */
const uidRange = z.string().regex(/^\d{1,9}-\d{1,9}$/)
  .refine((text) => {
    const [first, last] = text.split("-").map(Number);
    return first >= 1000 && last - first >= 9;
  });

export const VARIABLES = {
  PORT: {
    fallback: "3000",
    example: "3000",
    about: "Port of the web app, the only public door",
    parse: port,
  },
  HOST: {
    fallback: "0.0.0.0",
    example: "127.0.0.1",
    about: "Address the web app listens on, or localhost; of 0.0.0.0 and 127.0.0.1, the same of IPv6 too",
    parse: host,
  },
  PUBLIC_URL: {
    fallback: "",
    example: "https://tv.example.org",
    about:
      "Address under which viewers reach the service, without a path; empty: the address of each request",
    parse: publicOrigin,
  },
  AUTH_USER: {
    fallback: "",
    example: "anna",
    about: "User name of the login; it is on when user name and password are set",
    parse: line,
  },
  AUTH_USER_FILE: {
    fallback: "",
    example: "/run/secrets/user",
    about: "File that holds the user name, instead of AUTH_USER",
    parse: path.or(z.literal("")),
  },
  AUTH_PASS: {
    fallback: "",
    example: "correct horse battery staple",
    about: "Password of the login; a change of it ends all sessions",
    parse: line,
    isSecret: true,
  },
  AUTH_PASS_FILE: {
    fallback: "",
    example: "/run/secrets/password",
    about: "File that holds the password, instead of AUTH_PASS",
    parse: path.or(z.literal("")),
  },
  LOGIN: {
    fallback: "auto",
    example: "on",
    about: "auto: people log in where AUTH_USER, a user or TRUSTED_USER_HEADER is set; on: in any case",
    parse: z.enum(["auto", "on"]),
  },
  TRUSTED_USER_HEADER: {
    fallback: "",
    example: "Remote-User",
    about:
      "Header in which TRUSTED_PROXIES name the user who is logged in there (single sign-on); empty: none",
    parse: headerName,
  },
  TRUSTED_GROUPS_HEADER: {
    fallback: "",
    example: "Remote-Groups",
    about:
      "Header with that user's groups, which ROLE_GROUPS gives roles; empty: the user's role here counts",
    parse: headerName,
  },
  ROLE_GROUPS: {
    fallback: "",
    example: "admin=tv-admins,operator=tv-operators,viewer=*",
    about: "Roles of groups; *: all users whom the proxy names",
    parse: list((text) => /^(?:viewer|operator|admin)=[^\s=][^=|]*$/.test(text)),
  },
  WEBHOOK_URL: {
    fallback: "",
    example: "https://ntfy.sh/a-topic-nobody-guesses",
    about: "Address that gets a message when a stream fails, and when it is back; empty: none",
    parse: line,
    isSecret: true,
  },
  WEBHOOK_URL_FILE: {
    fallback: "",
    example: "/run/secrets/webhook-url",
    about: "File that holds the address, instead of WEBHOOK_URL",
    parse: path.or(z.literal("")),
  },
  WEBHOOK_FORMAT: {
    fallback: "json",
    example: "ntfy",
    about: "Format of the messages: json, ntfy, slack, discord or gotify",
    parse: z.enum(["json", "ntfy", "slack", "discord", "gotify"]),
  },
  WEBHOOK_SECRET: {
    fallback: "",
    example: "correct horse battery staple",
    about: "Secret that signs the messages, for a receiver that checks it",
    parse: line,
    isSecret: true,
  },
  WEBHOOK_SECRET_FILE: {
    fallback: "",
    example: "/run/secrets/webhook-secret",
    about: "File that holds the secret, instead of WEBHOOK_SECRET",
    parse: path.or(z.literal("")),
  },
  WEBHOOK_AFTER_SECONDS: {
    fallback: "30",
    example: "60",
    about: "Seconds that a stream must be down, or up again, before a message goes out",
    parse: whole(0, 86_400),
  },
  METRICS_TOKEN: {
    fallback: "",
    example: "$(openssl rand -hex 16)",
    about:
      "Token that opens /metrics for Prometheus; empty: a session opens it, or it is open without a login",
    parse: line,
    isSecret: true,
  },
  METRICS_TOKEN_FILE: {
    fallback: "",
    example: "/run/secrets/metrics-token",
    about: "File that holds the token, instead of METRICS_TOKEN",
    parse: path.or(z.literal("")),
  },
  TRUSTED_PROXIES: {
    fallback: "",
    example: "127.0.0.1,10.0.0.0/8",
    about:
      "Addresses or networks of reverse proxies whose X-Forwarded-Proto, -Host, -Port and -For are believed",
    parse: list((text) => parseNetwork(text) !== null).transform(withBothLoopbacks),
  },
  MAX_CONNECTIONS: {
    fallback: "500",
    example: "2000",
    about: "Connections to PORT that one address may have; connections of TRUSTED_PROXIES do not count",
    parse: whole(1, 8000),
  },
  ALLOWED_HOSTS: {
    fallback: "",
    example: "tv.example.org,*.example.net",
    about: "More names that the service answers to, without port; *: all (then any site can talk to it)",
    parse: allowedHosts,
  },
  FRAMED_BY: {
    fallback: "",
    example: "https://home.example.org,http://homarr.lan:7575",
    about: "Other sites whose pages may show players and walls in frames",
    parse: list((text) => text !== "" && publicOrigin.safeParse(text).success)
      .transform((sites) => sites.map((site) => new URL(site).origin)),
  },
  DATA_DIR: {
    fallback: "./data",
    example: "/app/data",
    about: "Folder for the stream list, configs, browser profiles and logs",
    parse: path,
  },
  RUN_DIR: {
    fallback: "",
    example: "/dev/shm/browser-stream",
    about:
      "Folder for HLS segments, sockets and locks, on a tmpfs, with a short path; empty: an own one under /dev/shm",
    parse: folder,
  },
  MEDIA_PORT: {
    fallback: "8888",
    example: "8888",
    about: "Port of the media server's HLS",
    parse: port,
  },
  MEDIA_HOST: {
    fallback: "127.0.0.1",
    example: "0.0.0.0",
    about:
      "Address the media server's HLS listens on besides loopback: opens it to players; only while the login is off",
    parse: text.refine((address) => isIP(address) !== 0),
  },
  RTMP_PORT: {
    fallback: "1935",
    example: "1935",
    about: "Port the encoders publish to (loopback)",
    parse: port,
  },
  VNC_PROXY_PORT: {
    fallback: "6080",
    example: "6080",
    about: "Port of the VNC proxy (loopback)",
    parse: port,
  },
  DISPLAY_BASE: {
    fallback: "100",
    example: "100",
    about: "Streams get the X displays after this number",
    parse: whole(1, 9000),
  },
  ALLOW_LOCAL_STREAMS: {
    fallback: "false",
    example: "true",
    about: "Whether a stream may show a page of this very machine, whose own origin it then reaches",
    parse: flag,
  },
  MAX_STREAMS: {
    fallback: "0",
    example: "20",
    about: "Streams that may run at once; 0: as many as the machine carries",
    parse: whole(0, 1000),
  },
  CAPACITY_CHECK: {
    fallback: "on",
    example: "off",
    about:
      "on: a start is refused where processors or memory would not suffice, unless it is forced; off: never",
    parse: z.enum(["on", "off"]),
  },
  PROFILE_LIMIT_MB: {
    fallback: "1000",
    example: "500",
    about: "Megabytes a page may store: a browser profile that is larger is emptied, with a restart",
    parse: whole(50, 1_000_000),
  },
  REWIND_GB: {
    fallback: "",
    example: "20",
    about: "Gigabytes for the channels' past; 0: none is kept; empty: 5 % of the disk, and 10 at most",
    parse: z.literal("").or(
      z.string().regex(/^\d{1,5}(\.\d{1,3})?$/).transform(Number).pipe(z.number().max(10_000)),
    ),
  },
  REWIND_HOURS: {
    fallback: "24",
    example: "72",
    about: "Hours for which the channels' past is kept, where REWIND_GB suffices",
    parse: whole(1, 8760),
  },
  UID_RANGE: {
    fallback: "60600-61183",
    example: "60600-61183",
    about:
      "Numbers of the users that the web app and each stream get when started as root; no other user may have them",
    parse: uidRange,
  },
  WEB_USER: {
    fallback: "",
    example: "browser-stream",
    about: "User of /etc/passwd who runs the web app when started as root; empty: a number of UID_RANGE",
    parse: z.string().regex(/^([a-z_][a-z0-9_-]{0,31})?$/),
  },
  CAPTURE: {
    fallback: "auto",
    example: "auto",
    about:
      "auto: a program of the service takes a picture when the page changes; x11grab: ffmpeg takes every picture",
    parse: z.enum(["auto", "x11grab"]),
  },
  REACHABLE_NETWORKS: {
    fallback: "",
    example: "10.1.2.3,192.168.7.0/24",
    about:
      "Addresses or networks of the local network that the kernel lets all pages reach, such as a proxy's in Chromium's policies",
    parse: list((text) => parseNetwork(text) !== null),
  },
  HTTP_PROXY: {
    fallback: "",
    example: "http://proxy.example.org:3128",
    about: "Proxy for pages with http: and for messages to http: addresses; empty: none",
    parse: proxy,
    isSecret: true,
  },
  HTTPS_PROXY: {
    fallback: "",
    example: "http://proxy.example.org:3128",
    about: "The same for https:",
    parse: proxy,
    isSecret: true,
  },
  NO_PROXY: {
    fallback: "",
    example: ".example.org,10.0.0.0/8",
    about: "Names with their subdomains, addresses and networks that need no proxy",
    // other programs read it as well: what means nothing here is left out, and the start goes on
    parse: z.string().transform((text) => text.split(/[\s,;|]+/).filter(Boolean)),
  },
  PROXY_LOGIN_FILE: {
    fallback: "",
    example: "/run/secrets/proxy",
    about: "File that holds user:password for the proxies, instead of their addresses",
    parse: path.or(z.literal("")),
  },
  CHROMIUM_SANDBOX: {
    fallback: "auto",
    example: "auto",
    about:
      "auto: on wherever the kernel allows it; setuid: by Debian's chromium-sandbox; off: without it (unsafe)",
    parse: z.enum(["auto", "on", "setuid", "off"]),
  },
  CHROMIUM_POLICY_DIR: {
    fallback: "/etc/chromium/policies/managed",
    example: "/etc/chromium/policies/managed",
    about: "Folder of Chromium's managed policies; the service adds its own while it runs as root",
    parse: path,
  },
  CA_DIR: {
    fallback: "",
    example: "/etc/browser-stream/ca",
    about:
      "Folder with certificates of own issuers (*.pem, *.crt), trusted for pages and rtmps servers; empty: DATA_DIR/ca",
    parse: path.or(z.literal("")),
  },
  LOG_FORMAT: {
    fallback: "text",
    example: "json",
    about: "How the service's log is written: text, for people, or json, one object a line",
    parse: z.enum(["text", "json"]),
  },
  LOG_LEVEL: {
    fallback: "info",
    example: "debug",
    about: "Least level of the service's log: debug, info, warn or error",
    parse: z.enum(["debug", "info", "warn", "error"]),
  },
  DEFAULT_PURE_MODE: {
    fallback: "false",
    example: "true",
    about: "Default of Pure mode on the cards",
    parse: flag,
  },
  DEFAULT_OPEN_NEW_TAB: {
    fallback: "false",
    example: "true",
    about: "Default of Open in new tab on the cards",
    parse: flag,
  },
  DEFAULT_RELOAD_CLIENT: {
    fallback: "false",
    example: "true",
    about: "Default of the player page's periodic reload",
    parse: flag,
  },
  DEFAULT_RELOAD_CLIENT_TIME: {
    fallback: "60",
    example: "60",
    about: "Minutes between the player page's reloads",
    parse: whole(1, 10080),
  },
  DEFAULT_PLAYER: {
    fallback: "steady",
    example: "instant",
    about:
      "How our players play until a viewer chooses: instant, half a second behind the page, or steady, by HLS",
    parse: z.enum(["instant", "steady"]),
  },
  TUNERS: {
    fallback: "0",
    example: "6",
    about: "Channels that Plex and others may take at once from the tuner; 0: four for each processor",
    parse: whole(0, 64),
  },
  TUNER_DISCOVERY: {
    fallback: "auto",
    example: "off",
    about:
      "auto: clients on the local network find the tuner where there is no login; off: they need its address",
    parse: z.enum(["auto", "off"]),
  },
  CLUSTER: {
    fallback: "",
    example: "nats://10.0.0.1:4222,nats://10.0.0.2:4222,nats://10.0.0.3:4222",
    about:
      "All NATS servers with JetStream of the cluster that this machine is a node of; empty: the machine is alone",
    parse: list((text) => parseNatsAddress(text) !== null),
  },
  CLUSTER_NAME: {
    fallback: "main",
    example: "wall-of-screens",
    about: "The cluster's name, the same on all its nodes",
    parse: nodeName,
  },
  CLUSTER_SECRET_FILE: {
    fallback: "",
    example: "/etc/browser-stream/cluster-secret",
    about: "File that holds the cluster's secret, at least 32 characters, the same on all its nodes",
    parse: path.or(z.literal("")),
  },
  CLUSTER_LOGIN_FILE: {
    fallback: "",
    example: "/etc/browser-stream/nats-login",
    about: "File that holds user:password for the NATS servers; empty: they need no login",
    parse: path.or(z.literal("")),
  },
  NODE_NAME: {
    fallback: "",
    example: "wall-1",
    about: "This machine's name in the cluster, which no other node has; empty: the host's",
    parse: nodeName.or(z.literal("")),
  },
  NODE_URL: {
    fallback: "",
    example: "http://10.0.0.1:3000",
    about:
      "Address where the other nodes reach this one's web app; empty: HOST, or the machine's first address, with PORT",
    parse: publicOrigin,
  },
  DRAIN_SECONDS: {
    fallback: "150",
    example: "600",
    about:
      "Seconds that browser-stream cluster drain waits at most for other nodes to take this one's streams",
    parse: whole(1, 86_400),
  },
  PIPELINE_DIR: {
    fallback: "",
    example: "/var/lib/browser-stream",
    about:
      "Folder for configs and profiles if only root can reach DATA_DIR; empty: under /var/lib/browser-stream",
    parse: folder,
  },
  TZ: { fallback: "", example: "Europe/Berlin", about: "Time zone of the pages", parse: text },
  TIMINGS: {
    fallback: "",
    example: '{"pageCheckMs":2000}',
    about: "Delays and limits as JSON, for tests; empty: those of lib/timings.ts",
    parse: parseTimings,
  },
} satisfies Record<string, Variable>;

/** As curl and most programs have them: in small letters, too. */
export const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];

type Parsed = { [Name in keyof typeof VARIABLES]: z.output<(typeof VARIABLES)[Name]["parse"]> };

export interface Config extends Parsed {
  /** Absolute. */
  DATA_DIR: string;
}

/** A socket's path has at most 107 bytes (unix(7)): /vnc/, an id of 63 and /rfb follow. */
const MAX_RUN_DIR = 107 - "/vnc/".length - 63 - "/rfb".length;

/** A variable that stops the start; its message names the variable and gives an example. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/**
 * The Config of an environment; an empty variable counts as unset.
 * @throws {ConfigError} naming every bad variable, with an example.
 */
export function parseConfig(env: Record<string, string | undefined>, cwd = "."): Config {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, variable] of Object.entries<Variable>(VARIABLES)) {
    const isProxy = PROXY_VARIABLES.includes(name) && !env[name]?.trim();
    const set = env[isProxy ? name.toLowerCase() : name];
    const given = set?.trim() && variable.isSecret ? set : set?.trim();
    const raw = given || variable.fallback;
    const result = variable.parse.safeParse(raw);
    if (result.success) values[name] = result.data;
    else {
      const shown = variable.isSecret ? "…" : raw;
      problems.push(
        `${name}="${shown}" is not valid. Example: ${name}=${variable.example} (${variable.about})`,
      );
    }
  }
  const config = values as unknown as Config;
  if (problems.length === 0) {
    config.DATA_DIR = resolve(cwd, config.DATA_DIR);
    if (config.RUN_DIR) config.RUN_DIR = resolve(cwd, config.RUN_DIR);
    if (config.CA_DIR) config.CA_DIR = resolve(cwd, config.CA_DIR);
    if (config.PIPELINE_DIR) config.PIPELINE_DIR = resolve(cwd, config.PIPELINE_DIR);
    if (config.RUN_DIR.length > MAX_RUN_DIR) {
      problems.push(
        `RUN_DIR="${config.RUN_DIR}" is longer than ${MAX_RUN_DIR} characters. Example: RUN_DIR=/dev/shm/browser-stream`,
      );
    }
    problems.push(...twiceProblems(config), ...authProblems(config), ...proxyProblems(config));
    problems.push(...clusterProblems(config));
    const ports = ["PORT", "MEDIA_PORT", "RTMP_PORT", "VNC_PROXY_PORT"] as const;
    ports.forEach((name, at) => {
      const twin = ports.slice(0, at).find((other) => config[other] === config[name]);
      if (twin) {
        problems.push(`${name}=${config[name]} is already ${twin}. Each port needs a number of its own.`);
      }
    });
  }
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return config;
}

/** What says whether people have to log in. */
export type LoginConfig = Pick<Config, "AUTH_PASS" | "AUTH_PASS_FILE" | "LOGIN" | "TRUSTED_USER_HEADER">;

/** Whether people have to log in, as far as the configuration says: `up` sets LOGIN=on where there are users. */
export function isLoginOn({ AUTH_PASS, AUTH_PASS_FILE, LOGIN, TRUSTED_USER_HEADER }: LoginConfig): boolean {
  return AUTH_PASS !== "" || AUTH_PASS_FILE !== "" || LOGIN === "on" || TRUSTED_USER_HEADER !== "";
}

/** A variable with a value that it may have. */
export const exampleOf = (name: keyof typeof VARIABLES): string => `${name}=${VARIABLES[name].example}`;

/** Of two values nobody would know which one counts. */
function twiceProblems(config: Config): string[] {
  const names = ["AUTH_USER", "AUTH_PASS", "WEBHOOK_URL", "WEBHOOK_SECRET", "METRICS_TOKEN"] as const;
  return names.filter((name) => config[name] !== "" && config[`${name}_FILE`] !== "").map((name) =>
    `${name} and ${name}_FILE are both set, but only one can count. Example: ${
      exampleOf(`${name}_FILE`)
    } alone`
  );
}

/** Half a login would leave everything open. */
function authProblems(config: Config): string[] {
  const names = ["AUTH_USER", "AUTH_PASS"] as const;
  const missing = names.filter((name) => config[name] === "" && config[`${name}_FILE`] === "");
  if (missing.length !== 1) return [];
  const [name] = missing;
  const other = names.find((one) => one !== name);
  return [
    `${name} is not set, though ${other} or ${other}_FILE is: a login needs both. Example: ` +
    `${exampleOf(name)}, or ${exampleOf(`${name}_FILE`)}`,
  ];
}

/** Any client of the service could send the header; groups without roles would let nobody in. */
function proxyProblems(
  { TRUSTED_PROXIES, TRUSTED_USER_HEADER, TRUSTED_GROUPS_HEADER, ROLE_GROUPS }: Config,
): string[] {
  const [user, groups] = [TRUSTED_USER_HEADER !== "", TRUSTED_GROUPS_HEADER !== ""];
  const problems: [boolean, string][] = [
    [
      user && TRUSTED_PROXIES.length === 0,
      "TRUSTED_USER_HEADER is set, but TRUSTED_PROXIES is not: anybody could send the header. Example: " +
      "TRUSTED_PROXIES=127.0.0.1",
    ],
    [
      groups && !user,
      `TRUSTED_GROUPS_HEADER is set, but TRUSTED_USER_HEADER is not. Example: ${
        exampleOf("TRUSTED_USER_HEADER")
      }`,
    ],
    [
      groups && ROLE_GROUPS.length === 0,
      `TRUSTED_GROUPS_HEADER is set, but ROLE_GROUPS is not: nobody would have a role. Example: ${
        exampleOf("ROLE_GROUPS")
      }`,
    ],
    [
      ROLE_GROUPS.length > 0 && !groups,
      `ROLE_GROUPS is set, but TRUSTED_GROUPS_HEADER is not. Example: ${exampleOf("TRUSTED_GROUPS_HEADER")}`,
    ],
  ];
  return problems.filter(([isWrong]) => isWrong).map(([, text]) => text);
}

/** Records are sealed with the secret: there is no cluster without one. */
function clusterProblems({ CLUSTER, CLUSTER_SECRET_FILE }: Config): string[] {
  if (CLUSTER.length === 0 || CLUSTER_SECRET_FILE !== "") return [];
  return [`CLUSTER is set, but CLUSTER_SECRET_FILE is not. Example: ${exampleOf("CLUSTER_SECRET_FILE")}`];
}

/** The variables that `parseConfig` reads back as this very Config, whatever the folder; empty ones are left out. */
export function environmentOf(config: Config): Record<string, string> {
  const values = Object.entries<Config[keyof Config]>({ ...config });
  const texts = values.map(([name, value]) => {
    if (Array.isArray(value)) return [name, value.join(",")];
    return [name, typeof value === "object" ? JSON.stringify(value) : String(value)];
  });
  return Object.fromEntries(texts.filter(([, text]) => text !== ""));
}

/** The variables as lines for --help. */
export function describeVariables(): string {
  return Object.entries(VARIABLES).map(([name, { fallback, about }]) =>
    `  ${name.padEnd(28)}${about}${fallback ? ` [${fallback}]` : ""}`
  ).join("\n");
}

/** The bytes that REWIND_GB says; null: a part of the disk. */
export function rewindBytes(gigabytes: Config["REWIND_GB"]): number | null {
  return gigabytes === "" ? null : gigabytes * 1e9;
}

/** The numbers that UID_RANGE says. */
export function uidRangeOf({ UID_RANGE }: Pick<Config, "UID_RANGE">): { first: number; last: number } {
  const [first, last] = UID_RANGE.split("-").map(Number);
  return { first, last };
}
