/**
 * A running service is searched for all that is secret: answers, logs, command lines, files others can read. A new
 * secret is one more row of SECRETS, a new place one more of PLACES.
 */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { pathsOf } from "../../../lib/paths.ts";
import { parseConfig } from "../../../lib/config.ts";
import { processesOfRun } from "../../../lib/machine/os/orphans.ts";
import { run } from "../../../lib/machine/os/process.ts";
import { commandLine, environment } from "../../support/proc.ts";
import {
  asks,
  LOGIN,
  MARK,
  METRICS,
  secretTest,
  STREAM,
  tokenOfApp,
  WEBHOOK,
} from "../../support/secret_service.ts";
import type { TestService } from "../../support/service.ts";

interface Secret {
  what: string;
  text(service: TestService): Promise<string> | string;
  /** Where it may be, with the reason. */
  except?: Record<string, string>;
}

const SECRETS: Secret[] = [
  { what: "the stream's password", text: () => STREAM.pass },
  { what: "another tool's token in the stream list", text: () => STREAM.token },
  {
    what: "the stream's VNC token",
    text: async (service) => (await (await asks(service, "GET", "/api/streams/secrets/vnc")).json()).token,
  },
  { what: "the login's password", text: () => LOGIN.AUTH_PASS },
  { what: "the webhook's password", text: () => `hook-${MARK}` },
  { what: "the webhook's topic", text: () => `topic-${MARK}` },
  { what: "the webhook's token", text: () => `key-${MARK}` },
  { what: "what the webhook's messages are signed with", text: () => WEBHOOK.WEBHOOK_SECRET },
  { what: "the proxies' password", text: () => `proxy-${MARK}` },
  { what: "the metrics' token", text: () => METRICS.METRICS_TOKEN },
  { what: "an app's token", text: tokenOfApp },
  {
    what: "the session's cookie",
    text: async (service) => {
      const answer = await asks(service, "GET", "/");
      return answer.headers.get("set-cookie")!.split(";")[0].split("=").slice(1).join("=");
    },
    except: { "answers": "pages renew it" },
  },
  {
    what: "the query of the page's address",
    text: () => `query-${MARK}`,
    except: { "answers": "the address is a setting that the form shows" },
  },
];

type Texts = [where: string, text: string][];

const ANSWERS = [
  ...["/", "/healthz", "/playlist.m3u", "/epg.xml", "/vnc/secrets", "/player/secrets", "/static/secrets"],
  ...["/streams/secrets/log", "/api/config", "/api/streams", "/api/streams/export", "/api/streams/statuses"],
  ...["/api/webhook", "/api/system", "/metrics"],
  ...["/api/streams/secrets", "/api/hls/live/secrets/index.m3u8", "/api/streams/secrets/log", "/none"],
  ...["browser", "encoder", "display", "wm", "autologin", "autoreload"].map((program) =>
    `/api/streams/secrets/log/${program}?download`
  ),
];

/** The paths of all files below a folder; `isOpen` says which folders and files count. */
async function pathsBelow(folder: string, isOpen: (info: Deno.FileInfo) => boolean): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    const path = join(folder, name);
    const info = await Deno.lstat(path).catch(() => null);
    if (!info || !isOpen(info)) continue;
    if (info.isDirectory) found.push(...await pathsBelow(path, isOpen));
    if (info.isFile) found.push(path);
  }
  return found;
}

async function filesBelow(folder: string, isOpen: (info: Deno.FileInfo) => boolean): Promise<Texts> {
  const paths = await pathsBelow(folder, isOpen);
  return await Promise.all(paths.map(async (path): Promise<[string, string]> => {
    return [path, new TextDecoder("latin1").decode(await Deno.readFile(path))];
  }));
}

const FOR_OTHERS = 0o005;
const isForOthers = ({ mode, isDirectory }: Deno.FileInfo) => (mode! & (isDirectory ? FOR_OTHERS : 4)) !== 0;

const PLACES: Record<string, (service: TestService) => Promise<Texts> | Texts> = {
  "answers": (service) =>
    Promise.all(ANSWERS.map(async (path): Promise<[string, string]> => {
      const answer = await asks(service, "GET", path);
      return [path, JSON.stringify([...answer.headers]) + await answer.text()];
    })),
  "the service's output": (service) => [["up", service.output()]],
  "logs": (service) => filesBelow(pathsOf(parseConfig(service.env)).logsDir, () => true),
  "command lines": (service) => processesOfRun(service.runDir).map((pid) => [`${pid}`, commandLine(pid)]),
  // `up` itself keeps what it was started with
  "environments": (service) => processesOfRun(service.runDir).map((pid) => [`${pid}`, environment(pid)]),
  "files that anyone can read": async (service) => [
    ...await filesBelow(service.dataDir, isForOthers),
    ...await filesBelow(service.runDir, isForOthers),
  ],
  "what the supervisor says": async (service) => {
    const config = join(pathsOf(parseConfig(service.env)).configDir, "supervisord.conf");
    const { stdout, stderr } = await run(["supervisorctl", "-c", config, "status"], { timeoutMs: 10_000 });
    return [["supervisorctl", `${stdout}${stderr}`]];
  },
};

for (const [place, texts] of Object.entries(PLACES)) {
  secretTest(`no secret in ${place}`, async (service) => {
    const all = await texts(service);
    assert.ok(all.some(([, text]) => text.length > 0), "something was searched");
    for (const { what, text, except } of SECRETS) {
      if (except?.[place]) continue;
      const secret = await text(service);
      assert.ok(secret.length >= 8, what);
      const found = all.filter(([, content]) => content.includes(secret)).map(([where]) => where);
      assert.deepEqual(found, [], what);
    }
  });
}

secretTest("with LOG_FORMAT=json each line of the service's output is an entry", (service) => {
  const entries = service.output().trimEnd().split("\n").map((line) => JSON.parse(line));
  for (const { time, level, message } of entries) {
    assert.match(`${time} ${level}`, /^\d{4}-\d\d-\d\dT[\d:.]+Z (?:debug|info|warn|error)$/);
    assert.equal(typeof message, "string");
  }
  const messages: string[] = entries.map(({ message }) => message);
  assert.ok(messages.includes("listening"), "the web app's");
  assert.ok(messages.some((one) => one.startsWith("Browser Stream is ready: http://")), "what is for people");
});

secretTest("no process of the service leaves a core dump that anyone finds", async (service) => {
  const files = await Promise.all(
    [service.dataDir, service.runDir].map((dir) => pathsBelow(dir, () => true)),
  );
  const dumps = files.flat().filter((path) => /\/core(?:\.\d+)?$|\.dmp$/.test(path));
  assert.deepEqual(dumps, []);
});
