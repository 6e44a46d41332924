/** The service that runs with this DATA_DIR: its ports, its health and its streams. */
import { join } from "node:path";
import { type Credentials, readCredentials } from "../../door/access/credentials.ts";
import { openOwners, secretText } from "../../door/access/secret_file.ts";
import { type Config, isLoginOn } from "../../config.ts";
import { localHost } from "../../machine/net/host.ts";
import { type Paths, pathsOf } from "../../paths.ts";
import { lockOwner } from "../../machine/os/file_lock.ts";
import { portProblems } from "../../machine/os/ports.ts";
import { type Finding, ok, problem, skipped, warning } from "./finding.ts";
import { portClaims, strangersPort } from "./ports.ts";
import type { StreamStatus } from "../../model/answers/shapes.ts";

const ANSWER_MS = 5000;

/** The pid of the service's `up`; null when it does not run. */
export async function runningPid({ streamsDir }: Paths): Promise<number | null> {
  return await lockOwner(streamsDir).catch(() => null);
}

/** Checks the ports: free without a running service, else in use. */
export async function checkPorts(config: Config, isRunning: boolean): Promise<Finding> {
  const claims = portClaims(config);
  const numbers = [...new Set(claims.map(({ port }) => port))].join(", ");
  if (!isRunning) {
    const problems = await portProblems(claims);
    return problems.length === 0 ? ok(`${numbers} are free`) : problem(problems.join(" "));
  }
  const used = new Set<number>();
  for (const claim of claims) if ((await portProblems([claim])).length > 0) used.add(claim.port);
  // a port has several addresses, all with a listener or none
  const unused = [...new Set(claims.map(({ port }) => port))].filter((port) => !used.has(port));
  if (unused.length === 0) return ok(`${numbers} are in use by the service`);
  return problem(
    `the service runs, but nothing listens on ${unused.join(", ")}`,
    `Read ${join(pathsOf(config).logsDir, "supervisord.log")}, and start the service again.`,
  );
}

function addressOf({ HOST, PORT }: Config): string {
  const host = localHost(HOST);
  return `http://${host.includes(":") ? `[${host}]` : host}:${PORT}`;
}

/** Checks the answer of /healthz. */
export async function checkHealth(config: Config, pid: number | null): Promise<Finding> {
  if (pid === null) return skipped(`the service does not run with DATA_DIR=${config.DATA_DIR}`);
  const remedy = "Start it again. If that does not help, its log says what is wrong.";
  try {
    const answer = await fetch(`${addressOf(config)}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const { status, reasons = [] } = await answer.json() as { status: string; reasons?: string[] };
    if (!answer.ok) return problem(`pid ${pid} says: ${[status, ...reasons].join("; ")}`, remedy);
    return reasons.length > 0 ? warning(reasons.join(" ")) : ok(`pid ${pid} answers on ${addressOf(config)}`);
  } catch (error) {
    return problem(
      `pid ${pid} does not answer on ${addressOf(config)} (${(error as Error).message})`,
      remedy,
    );
  }
}

/** Checks the states on the streams' cards. */
export async function checkStreams(config: Config, pid: number | null): Promise<Finding> {
  if (pid === null) return skipped("the service does not run");
  const isOurs = await strangersPort(config, pathsOf(config)).then((claim) => claim === null, () => false);
  if (!isOurs) return skipped("another program may have one of the service's ports: the login is not sent");
  const cookie = await logIn(config);
  if (cookie === null) {
    return skipped("there is a login: run this as root, or with the service's AUTH_USER and AUTH_PASS");
  }
  const answer = await fetch(`${addressOf(config)}/api/streams/statuses`, {
    headers: { cookie, "x-requested-with": "browser-stream" },
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  if (!answer.ok) {
    await answer.body?.cancel();
    return problem(`the service did not give the list (${answer.status})`, "Its log says why.");
  }
  return streamsFinding(Object.values(await answer.json() as Record<string, StreamStatus>));
}

/** Pure. */
export function streamsFinding(statuses: readonly StreamStatus[]): Finding {
  const bad = statuses.filter(({ state }) => state === "degraded" || state === "failed");
  const counts = Object.entries(Object.groupBy(statuses, ({ state }) => state))
    .map(([state, list]) => `${list!.length} ${state}`).join(", ");
  if (bad.length === 0) return ok(statuses.length === 0 ? "there is none yet" : counts);
  const reasons = bad.map(({ id, state, reason }) =>
    `${id} is ${state}: ${reason ?? "the reason is not known"}`
  );
  const find = bad.some(({ state }) => state === "failed") ? problem : warning;
  return find(`${counts}. ${reasons.join(" ")}`, "The stream's page says what helps, and has its logs.");
}

/** The login's name and password: as the start left them to the web app, or as they are configured here; null: none. */
export async function knownLogin(config: Config): Promise<Credentials | null> {
  const { authUserFile, authPassFile } = pathsOf(config);
  try {
    return { user: secretText(authUserFile, openOwners), pass: secretText(authPassFile, openOwners) };
  } catch {
    return await readCredentials(config);
  }
}

/** Whether there are users, though the configuration names none. */
async function asksForLogin(config: Config): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(`${addressOf(config)}/api/config`, { signal }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.status === 401;
}

/** A session's cookie; "": there is no login; null: there is a login, and we do not know its name and password. */
async function logIn(config: Config): Promise<string | null> {
  const known = await knownLogin(config);
  if (known === null) return isLoginOn(config) || await asksForLogin(config) ? null : "";
  const answer = await fetch(`${addressOf(config)}/login`, {
    method: "POST",
    body: new URLSearchParams({ ...known }),
    redirect: "manual",
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  await answer.body?.cancel();
  return answer.headers.get("set-cookie")?.split(";")[0] ?? null;
}
