/** Real services of this machine as nodes of one cluster, around real NATS servers. */
import { join } from "node:path";
import { tempDir } from "./fixture.ts";
import { type NatsServers, startNats } from "./nats_servers.ts";
import { parseMediaPlaylist } from "./media_playlist.ts";
import {
  type EnvironmentOptions,
  ownEnvironment,
  SMALL,
  SOURCE_PROGRAM,
  startService,
  type TestEnvironment,
  type TestService,
} from "./service.ts";

export const CLUSTER_NAME = "walls";

export interface NodeCluster extends AsyncDisposable {
  servers: NatsServers;
  /** The cluster's secret. */
  secret: string;
  /** The files of the secret and of NATS' login. */
  files: string[];
  /** Starts a node of this name, or starts it again. @param program of another version. */
  start(name: string, program?: string[]): Promise<TestService>;
  /** Runs `browser-stream cluster WORD` as a node. @param program of another version. @param other settings. */
  run(
    word: string,
    name: string,
    program?: string[],
    other?: Record<string, string>,
  ): Promise<{ code: number; said: string }>;
}

/** @param names of the nodes, none of which is started yet. */
export async function nodeCluster(
  names: readonly string[],
  options: EnvironmentOptions = {},
  clusterName = CLUSTER_NAME,
): Promise<NodeCluster> {
  const things = new AsyncDisposableStack();
  const servers = things.use(await startNats(3));
  await servers.ready();
  const folder = things.use(await tempDir()).path;
  const files = [join(folder, "secret"), join(folder, "login")];
  const secret = `${crypto.randomUUID()}${crypto.randomUUID()}`;
  await Deno.writeTextFile(files[0], `${secret}\n`, { mode: 0o600 });
  await Deno.writeTextFile(files[1], `${servers.at.user}:${servers.at.pass}\n`, { mode: 0o600 });
  const environments = new Map<string, TestEnvironment>();
  for (const name of names) {
    const environment = things.use(await ownEnvironment(options));
    Object.assign(environment.env, {
      CLUSTER: servers.at.addresses.join(","),
      CLUSTER_NAME: clusterName,
      CLUSTER_SECRET_FILE: files[0],
      CLUSTER_LOGIN_FILE: files[1],
      NODE_NAME: name,
      NODE_URL: `http://127.0.0.1:${environment.env.PORT}`,
    });
    environments.set(name, environment);
  }
  const started: TestService[] = [];
  things.defer(async () => {
    for (const node of started.toReversed()) await node.stop();
  });
  return {
    servers,
    secret,
    files,
    async start(name, program) {
      const node = await startService({ environment: environments.get(name)!, streams: SMALL, program });
      const { stop } = node;
      let ended: Promise<number> | null = null;
      node.stop = () => ended ??= stop();
      started.push(node);
      return node;
    },
    async run(word, name, [program, ...first] = SOURCE_PROGRAM, other = {}) {
      const env = { ...environments.get(name)!.env, ...other };
      const command = new Deno.Command(program, { args: [...first, "cluster", word], env });
      const { code, stdout, stderr } = await command.output();
      return { code, said: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
    },
    [Symbol.asyncDispose]: () => things.disposeAsync(),
  };
}

/** The newest media sequence number of a channel, as a node's viewers get it; null: there is none. */
export async function newest({ url }: Pick<TestService, "url">, id: string): Promise<number | null> {
  const answer = await fetch(`${url}/api/hls/live/${id}/index.m3u8`);
  const text = await answer.text();
  if (!answer.ok) return null;
  const { sequence, segments } = parseMediaPlaylist(text);
  return sequence + segments.length - 1;
}

/** Whether the browser of some stream runs at a node. */
export function hasBrowser(node: TestService): boolean {
  return node.processes(/chromium .*--type=renderer|Xvnc/).length > 0;
}
