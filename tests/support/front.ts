/** The front door alone: the real nginx with the real configuration, before a handler of the test's. */
import { dirname, join } from "node:path";
import { portClaims, socketSettings } from "../../lib/run/checks/ports.ts";
import { parseConfig } from "../../lib/config.ts";
import { frontConfig } from "../../lib/door/front/config.ts";
import { serveFront } from "../../lib/door/front/listener.ts";
import { serveViewers } from "../../lib/takeover/viewers.ts";
import { pathsOf } from "../../lib/paths.ts";
import { ensureFolder } from "../../lib/machine/os/files.ts";
import { loadTemplates } from "../../lib/templates.ts";
import { root } from "./fixture.ts";
import { patience, until } from "./same.ts";
import { reserveSlot } from "./slot.ts";

export interface Front extends AsyncDisposable {
  port: number;
  url: string;
  /** What nginx wrote, which ends it. */
  output(): Promise<string>;
  /** Ends the web app behind it. */
  stopWebApp(): Promise<void>;
}

/** Who the front door runs as when the tests are root's. */
const NOBODY = { name: "nobody", uid: 65534, gid: 65534 };

/** Listens as supervisord does for the front door, and becomes it. */
const LISTEN_AND_BECOME = `
import os, sys
sys.path.insert(0, sys.argv[1])
import supervisor_sockets as sockets
made = [sockets.listen(one, int(os.environ["UNTAKEN_MS"])) for one in os.environ["LISTEN_ON"].split()]
for one in made: os.set_inheritable(one.fileno(), True)
os.environ["NGINX"] = "".join(f"{one.fileno()};" for one in made)
os.execv(sys.argv[2], sys.argv[2:])`;

export async function startFront(
  handler: (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>,
  env: Record<string, string> = {},
): Promise<Front> {
  const runDir = await Deno.makeTempDir({ dir: "/dev/shm", prefix: "bs-front-" });
  const slot = reserveSlot();
  const [port] = slot.ports;
  const config = parseConfig({ RUN_DIR: runDir, PORT: String(port), HOST: "127.0.0.1", ...env });
  const paths = pathsOf(config);
  const isRoot = Deno.uid() === 0;
  const user = isRoot ? NOBODY : { name: "me", uid: Deno.uid()!, gid: Deno.gid()! };
  await Deno.chmod(runDir, 0o755);
  await ensureFolder(paths.frontDir, 0o700, user);
  const door = dirname(paths.webSocket);
  await ensureFolder(door, 0o700, { ...user, uid: Deno.uid()! });
  await Deno.chmod(door, 0o2710);
  const settings = join(runDir, "front.conf");
  await Deno.writeTextFile(settings, frontConfig(config, paths, await loadTemplates(root)), { mode: 0o644 });
  const answering = (request: Request, info: Deno.ServeHandlerInfo) =>
    Promise.resolve(handler(request, info));
  const server = await serveFront(paths.webSocket, { onListen: () => {} }, answering);
  const viewers = await serveViewers(paths.viewersSocket, paths.webSocket, config.TIMINGS.vnc);
  const nginx = ["/usr/sbin/nginx", "-e", "stderr", "-p", paths.frontDir, "-c", settings];
  const listening = ["/usr/bin/python3", "-B", "-c", LISTEN_AND_BECOME, join(root, "templates"), ...nginx];
  const handed = socketSettings(portClaims(config), "front");
  const sockets = Object.fromEntries(
    [...handed.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  const asUser = isRoot ? ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"] : [];
  const [command, ...args] = [...asUser, ...listening];
  const child = new Deno.Command(command, { args, env: sockets, stdout: "null", stderr: "piped" }).spawn();
  const output = new Response(child.stderr).text();
  let stopping: Promise<void> | undefined;
  const stopWebApp = () =>
    stopping ??= Promise.all([server.shutdown(), viewers[Symbol.asyncDispose]()]).then(() => {});
  const url = `http://127.0.0.1:${port}`;
  let hasEnded = false;
  const ended = child.status.then(() => hasEnded = true);
  const endNginx = async () => {
    if (!hasEnded) child.kill("SIGTERM");
    await ended;
    // before it has read its settings
    return (await output).replace(/^.* using inherited sockets .*\n/m, "");
  };
  const stop = async () => {
    await endNginx();
    await stopWebApp();
    await Deno.remove(runDir, { recursive: true });
    slot[Symbol.dispose]();
  };
  // its port is listened on before
  const pid = join(paths.frontDir, "nginx.pid");
  await until("nginx to run", () => Deno.readTextFile(pid).then((text) => text !== "", () => false)).catch(
    async (error) => {
      await stop();
      throw new Error(`${error.message}: ${await output}`);
    },
  );
  return {
    port,
    url,
    stopWebApp,
    output: endNginx,
    [Symbol.asyncDispose]: stop,
  };
}

/** Sends bytes; all that is answered until the other end closes, or the layer's patience is over. */
export async function rawExchange(port: number, text: string): Promise<string> {
  using conn = await Deno.connect({ hostname: "127.0.0.1", port });
  await conn.write(Uint8Array.from(text, (character) => character.charCodeAt(0)));
  let answer = "";
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    conn.close();
  }, patience());
  try {
    const buffer = new Uint8Array(16_384);
    for (let count = await conn.read(buffer); count !== null; count = await conn.read(buffer)) {
      answer += new TextDecoder().decode(buffer.subarray(0, count));
    }
  } catch (error) {
    if (!isLate && !(error instanceof Deno.errors.ConnectionReset)) throw error;
  } finally {
    clearTimeout(timer);
  }
  return isLate ? `${answer}(still open)` : answer;
}
