import assert from "node:assert/strict";
import { join } from "node:path";
import {
  ConfigError,
  describeVariables,
  environmentOf,
  isLoginOn,
  parseConfig,
  VARIABLES,
} from "../../lib/config.ts";
import { hubSocket, pathsOf, slotPaths, vncSocket } from "../../lib/paths.ts";
import { streamId } from "../../lib/model/id.ts";

const names = Object.keys(VARIABLES) as (keyof typeof VARIABLES)[];

Deno.test("no variable is needed; an empty one counts as unset; paths become absolute", () => {
  const config = parseConfig({ PORT: " ", MEDIA_PORT: "" }, "/srv");
  assert.equal(config.PORT, 3000);
  assert.equal(config.MEDIA_PORT, 8888);
  assert.equal(config.DATA_DIR, "/srv/data");
  assert.equal(config.DEFAULT_OPEN_NEW_TAB, false);
  assert.equal(parseConfig({ DATA_DIR: "/app/data" }, "/srv").DATA_DIR, "/app/data");
});

Deno.test("addresses and lists are brought to one form", () => {
  const given = {
    PUBLIC_URL: "HTTPS://TV.Example.org:443/",
    TRUSTED_PROXIES: " 10.0.0.0/8, ::1 ,",
    ALLOWED_HOSTS: "TV.Example.org.,*.example.NET,192.168.1.5",
  };
  const expected = {
    PUBLIC_URL: "https://tv.example.org",
    TRUSTED_PROXIES: ["10.0.0.0/8", "::1"],
    ALLOWED_HOSTS: ["tv.example.org", "*.example.net", "192.168.1.5"],
  };
  const read = (env: Record<string, string>) => {
    const { PUBLIC_URL, TRUSTED_PROXIES, ALLOWED_HOSTS } = parseConfig(env);
    return { PUBLIC_URL, TRUSTED_PROXIES, ALLOWED_HOSTS };
  };
  assert.deepEqual(read(given), expected);
  assert.deepEqual(read({}), { PUBLIC_URL: "", TRUSTED_PROXIES: [], ALLOWED_HOSTS: [] });
  assert.deepEqual(parseConfig({ ALLOWED_HOSTS: "*" }).ALLOWED_HOSTS, ["*"]);
  assert.equal(parseConfig({ PUBLIC_URL: "http://[fd00::5]:3000" }).PUBLIC_URL, "http://[fd00::5]:3000");
  assert.equal(
    parseConfig({ PUBLIC_URL: "https://müller.example" }).PUBLIC_URL,
    "https://xn--mller-kva.example",
  );
});

Deno.test("HOST is one address in one spelling, whatever it was written as", () => {
  const HOSTS: Record<string, string> = {
    "localhost": "127.0.0.1",
    "LocalHost": "127.0.0.1",
    "192.0.2.7": "192.0.2.7",
    "0:0:0:0:0:0:0:1": "::1",
    "::0": "::",
    "FD00::A": "fd00::a",
    "::ffff:127.0.0.1": "127.0.0.1",
  };
  for (const [HOST, address] of Object.entries(HOSTS)) {
    assert.equal(parseConfig({ HOST }).HOST, address, HOST);
  }
});

Deno.test("every default and every example is valid", () => {
  for (const name of names) {
    const { fallback, example, parse } = VARIABLES[name];
    for (const value of [fallback, example]) assert.ok(parse.safeParse(value).success, `${name}=${value}`);
  }
});

/** Besides each variable's default and example. */
const GOOD: Partial<Record<keyof typeof VARIABLES, string[]>> = {
  HOST: ["::1", "localhost", "192.0.2.7"],
  PUBLIC_URL: ["HTTPS://TV.Example.org:443/", "http://[fd00::5]:3000", "https://müller.example"],
  TRUSTED_PROXIES: ["::1", " 10.0.0.0/8, ::1 ,", "fd00::/8,1.2.3.4,10.0.0.0/8"],
  ALLOWED_HOSTS: ["*", "TV.Example.org.,*.example.NET,192.168.1.5"],
  DATA_DIR: ["/srv/a b,c=d%e", "../data"],
  RUN_DIR: ["run"],
  PIPELINE_DIR: ["pipe", "/a=b,c"],
  REWIND_GB: ["0", "0.5", "10000"],
  REWIND_HOURS: ["1", "8760"],
  CHROMIUM_SANDBOX: ["on", "off"],
  DEFAULT_PURE_MODE: ["true", "1", "0"],
  DEFAULT_OPEN_NEW_TAB: ["true", "1", "0"],
  TZ: [":/etc/localtime", "<+03>-3"],
};

Deno.test("the past's budget is a number of gigabytes, and nothing is not 0", () => {
  const budget = (REWIND_GB?: string) => parseConfig({ REWIND_GB }).REWIND_GB;
  assert.deepEqual([budget(), budget(""), budget("0"), budget("0.5"), budget("20")], ["", "", 0, 0.5, 20]);
  assert.equal(environmentOf(parseConfig({ REWIND_GB: "0" })).REWIND_GB, "0");
  assert.deepEqual(["", "72"].map((REWIND_HOURS) => parseConfig({ REWIND_HOURS }).REWIND_HOURS), [24, 72]);
});

/** Nothing of a login's half, or of one that is given twice, would be clear. */
const HALF_LOGINS: [env: Record<string, string>, problem: RegExp][] = [
  [
    { CLUSTER: "nats://10.0.0.1" },
    /^CLUSTER is set, but CLUSTER_SECRET_FILE is not\. Example: CLUSTER_SECRET_FILE=/,
  ],
  [
    { CLUSTER: "nats://anna:hush@10.0.0.1", CLUSTER_SECRET_FILE: "/s" },
    /^CLUSTER=.* is not valid\. Example: CLUSTER=nats/,
  ],
  [{ CLUSTER: "http://10.0.0.1", CLUSTER_SECRET_FILE: "/s" }, /^CLUSTER=/],
  [{ NODE_NAME: "wall 1" }, /^NODE_NAME=/],
  [{ NODE_URL: "10.0.0.1:3000" }, /^NODE_URL=/],
  [{ AUTH_USER: "anna" }, /^AUTH_PASS is not set, though AUTH_USER .*Example: AUTH_PASS=.*AUTH_PASS_FILE=/],
  [{ AUTH_USER_FILE: "/run/u" }, /^AUTH_PASS is not set/],
  [
    { AUTH_PASS: "hunter2" },
    /^AUTH_USER is not set, though AUTH_PASS .*Example: AUTH_USER=.*AUTH_USER_FILE=/,
  ],
  [{ AUTH_PASS_FILE: "/run/p", AUTH_USER: " " }, /^AUTH_USER is not set/],
  [
    { AUTH_USER: "anna", AUTH_PASS: "hunter2", AUTH_PASS_FILE: "/run/p" },
    /^AUTH_PASS and AUTH_PASS_FILE are both set/,
  ],
  [
    { AUTH_USER: "anna", AUTH_USER_FILE: "/run/u", AUTH_PASS: "hunter2" },
    /^AUTH_USER and AUTH_USER_FILE are both set/,
  ],
  [{ AUTH_USER: "anna", AUTH_PASS: "hunter2\nhunter3" }, /^AUTH_PASS="…" is not valid. Example: AUTH_PASS=/],
];

Deno.test("half a login stops the start, and no message shows the password", () => {
  for (const [env, problem] of HALF_LOGINS) {
    assert.throws(() => parseConfig(env), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, problem);
      assert.doesNotMatch(error.message, /hunter/);
      return true;
    });
  }
});

Deno.test("the login is on with a user and a password, whose blanks count", () => {
  assert.equal(isLoginOn(parseConfig({})), false);
  assert.equal(isLoginOn(parseConfig({ AUTH_USER: "anna", AUTH_PASS_FILE: "/run/p" })), true);
  const config = parseConfig({ AUTH_USER: " anna ", AUTH_PASS: " a b " });
  assert.deepEqual([isLoginOn(config), config.AUTH_USER, config.AUTH_PASS], [true, "anna", " a b "]);
});

/** Those that are allowed together. */
const LOGINS = [
  { AUTH_USER: "", AUTH_USER_FILE: "", AUTH_PASS: "", AUTH_PASS_FILE: "" },
  { AUTH_USER: "anna", AUTH_USER_FILE: "", AUTH_PASS: " = %,", AUTH_PASS_FILE: "" },
  { AUTH_USER: "", AUTH_USER_FILE: "/run/u", AUTH_PASS: "", AUTH_PASS_FILE: "/run/secrets/a b" },
];

const SECRETS = [
  { WEBHOOK_URL_FILE: "", WEBHOOK_SECRET_FILE: "", METRICS_TOKEN_FILE: "" },
  { WEBHOOK_URL: "", WEBHOOK_SECRET: "", METRICS_TOKEN: "" },
];

/** What single sign-on needs stands together. */
const PROXY_LOGINS: Record<string, string>[] = [
  { TRUSTED_USER_HEADER: "", TRUSTED_GROUPS_HEADER: "", ROLE_GROUPS: "" },
  {
    TRUSTED_PROXIES: "10.0.0.5",
    TRUSTED_USER_HEADER: "Remote-User",
    TRUSTED_GROUPS_HEADER: "",
    ROLE_GROUPS: "",
  },
  {
    TRUSTED_PROXIES: "10.0.0.5",
    TRUSTED_USER_HEADER: "X-authentik-username",
    TRUSTED_GROUPS_HEADER: "X-authentik-groups",
    ROLE_GROUPS: "admin=tv admins,viewer=*",
  },
];

Deno.test("single sign-on without what it needs stops the start, and says what is missing", () => {
  const needed = {
    TRUSTED_PROXIES: "10.0.0.5",
    TRUSTED_USER_HEADER: "Remote-User",
    TRUSTED_GROUPS_HEADER: "Remote-Groups",
    ROLE_GROUPS: "admin=tv",
  };
  parseConfig(needed);
  for (const missing of Object.keys(needed)) {
    assert.throws(
      () => parseConfig({ ...needed, [missing]: "" }),
      (error: Error) => error instanceof ConfigError && error.message.includes(`Example: ${missing}=`),
      missing,
    );
  }
});

Deno.test("any configuration reads back as itself from its own environment, in whatever folder", () => {
  const samples = (name: keyof typeof VARIABLES) => {
    const { fallback, example } = VARIABLES[name];
    return [fallback, example, ...GOOD[name] ?? []];
  };
  // each value in turn: the rounds differ since the lists have different lengths
  for (let round = 0; round < 60; round++) {
    const env = Object.fromEntries(names.map((name) => [name, samples(name)[round % samples(name).length]]));
    const logins = { ...LOGINS[round % LOGINS.length], ...PROXY_LOGINS[round % PROXY_LOGINS.length] };
    const config = parseConfig({ ...env, ...logins, ...SECRETS[round % 2] }, "/srv");
    assert.deepEqual(parseConfig(environmentOf(config), "/elsewhere"), config);
  }
});

Deno.test("an empty variable is left out: an empty TZ would mean UTC", () => {
  const { TZ, PORT } = environmentOf(parseConfig({ TZ: "" }));
  assert.deepEqual([TZ, PORT], [undefined, "3000"]);
});

const BAD: [name: keyof typeof VARIABLES, value: string][] = [
  ["PORT", "0"],
  ["PORT", "65536"],
  ["PORT", "80a"],
  ["PORT", "-1"],
  ["PORT", "3000.5"],
  ["PORT", "0x10"],
  ["TRUSTED_USER_HEADER", "Remote User"],
  ["TRUSTED_USER_HEADER", "X-Forwarded-For"],
  ["TRUSTED_GROUPS_HEADER", "remote_groups"],
  ["ROLE_GROUPS", "root=tv"],
  ["ROLE_GROUPS", "admin="],
  ["LOGIN", "off"],
  ["HOST", "a b"],
  ["HOST", "http://0.0.0.0"],
  // one program would take another address of it than the other
  ["HOST", "wall.local"],
  ["HOST", "127.1"],
  ["HOST", "0x7f000001"],
  ["HOST", "fe80::1%eth0"],
  ["HOST", "[::1]"],
  ["PUBLIC_URL", "tv.example.org"],
  ["PUBLIC_URL", "//tv.example.org"],
  ["PUBLIC_URL", "ftp://tv.example.org"],
  ["PUBLIC_URL", "https://"],
  ["PUBLIC_URL", "https://tv.example.org/tv"],
  ["PUBLIC_URL", "https://tv.example.org?x"],
  ["PUBLIC_URL", "https://tv.example.org#x"],
  ["PUBLIC_URL", "https://user:pass@tv.example.org"],
  ["PUBLIC_URL", "https://tv.example.org:70000"],
  ["PUBLIC_URL", "https://tv example.org"],
  ["TRUSTED_PROXIES", "10.0.0.0/33"],
  ["TRUSTED_PROXIES", "proxy"],
  ["TRUSTED_PROXIES", "10.0.0.1 10.0.0.2"],
  ["TRUSTED_PROXIES", "*"],
  ["ALLOWED_HOSTS", "https://tv.example.org"],
  ["ALLOWED_HOSTS", "tv.example.org:3000"],
  ["ALLOWED_HOSTS", "tv.example.org tv.example.net"],
  ["ALLOWED_HOSTS", "tv.*.org"],
  ["ALLOWED_HOSTS", "*."],
  ["MEDIA_HOST", "all"],
  ["MEDIA_HOST", "0.0.0.0:80"],
  ["MEDIA_HOST", "1.2.3.4; include /etc/passwd"],
  ["DATA_DIR", "/data\n[program:x]"],
  ["RUN_DIR", "/run/%(ENV_x)s"],
  ["RUN_DIR", "/" + "r".repeat(60)],
  // it stands unquoted in nginx.conf
  ["RUN_DIR", "/tmp/a b"],
  ["RUN_DIR", "/tmp/a;b"],
  ["RUN_DIR", "/tmp/a{b"],
  ["PIPELINE_DIR", '/a"b'],
  ["DISPLAY_BASE", "9001"],
  ["ALLOW_LOCAL_STREAMS", "yes"],
  ["PROFILE_LIMIT_MB", "10"],
  ["REWIND_GB", "-1"],
  ["REWIND_GB", "20GB"],
  ["REWIND_GB", "1e3"],
  ["REWIND_GB", "10001"],
  ["REWIND_HOURS", "0"],
  ["REWIND_HOURS", "1.5"],
  ["REWIND_HOURS", "1d"],
  ["REWIND_HOURS", "8761"],
  ["UID_RANGE", "0-99"],
  ["UID_RANGE", "60600"],
  ["UID_RANGE", "60600-60601"],
  ["UID_RANGE", "61183-60600"],
  ["CHROMIUM_SANDBOX", "maybe"],
  ["LOG_LEVEL", "loud"],
  ["DEFAULT_PURE_MODE", "yes please"],
  ["DEFAULT_RELOAD_CLIENT_TIME", "0"],
];

for (const [name, value] of BAD) {
  Deno.test(`${name}=${JSON.stringify(value)} stops the start, naming itself and an example`, () => {
    assert.throws(() => parseConfig({ [name]: value }), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, new RegExp(`^${name}=`));
      assert.ok(error.message.includes(`Example: ${name}=${VARIABLES[name].example}`), error.message);
      return true;
    });
  });
}

Deno.test("all bad variables are named at once", () => {
  assert.throws(() => parseConfig({ PORT: "x", LOG_LEVEL: "y", TZ: "UTC" }), /PORT="x".*\nLOG_LEVEL="y".*$/);
});

Deno.test("two equal ports are refused, naming both", () => {
  assert.throws(() => parseConfig({ PORT: "8888" }), /^ConfigError: MEDIA_PORT=8888 is already PORT/);
  assert.throws(() => parseConfig({ RTMP_PORT: "6080" }), /VNC_PROXY_PORT=6080 is already RTMP_PORT/);
});

Deno.test("every folder is absolute: the programs below run in another one", () => {
  const config = parseConfig({ RUN_DIR: "run", PIPELINE_DIR: "pipe" }, "/srv");
  assert.deepEqual([config.RUN_DIR, config.PIPELINE_DIR], ["/srv/run", "/srv/pipe"]);
});

Deno.test("a unix socket below the longest RUN_DIR fits for the longest id", () => {
  const SOCKET_PATH_MAX = 107; // unix(7)
  const isAccepted = (dir: string) => {
    try {
      return parseConfig({ RUN_DIR: dir }) !== null;
    } catch {
      return false;
    }
  };
  const longest = Array.from({ length: 100 }, (_, at) => "/" + "r".repeat(at + 1)).filter(isAccepted).at(-1)!;
  const paths = pathsOf({ ...parseConfig({}), RUN_DIR: longest });
  const chromium = join(slotPaths(paths, 9500).tempDir, "org.chromium.Chromium.abcdef", "SingletonSocket");
  const pulse = join(slotPaths(paths, 9500).pulseDir, "native");
  const sockets = [vncSocket, hubSocket].map((socketOf) => socketOf(paths, streamId("a".repeat(63))));
  for (const path of [...sockets, pulse, chromium, paths.supervisorSocket + ".12345"]) {
    assert.ok(path.length <= SOCKET_PATH_MAX, `${path}: ${path.length} bytes`);
  }
});

Deno.test("--help --all lists every variable with its default", () => {
  const lines = describeVariables().split("\n");
  assert.equal(lines.length, names.length);
  names.forEach((name, at) => {
    assert.match(lines[at], new RegExp(`^  ${name} `));
    assert.ok(lines[at].includes(VARIABLES[name].about));
  });
});
