/** `push ID`: the helper that sends a stream's channel to another server, too. */
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { parsePushTarget } from "../../machine/net/push_target.ts";
import { pushSocket } from "../../paths.ts";
import {
  push as pushChannel,
  type PushChannel,
  type PushRun,
} from "../../live/programs/commands/push/pusher.ts";
import { HeldPort, innerPort } from "../../live/programs/commands/push/held_port.ts";
import { parseSpec } from "../../live/programs/commands/spec.ts";
import type { StreamId } from "../../model/id.ts";
import { closeAnyway } from "../../machine/tools/close.ts";
import { sleep } from "../../machine/tools/time.ts";
import { writeAll } from "../../machine/tools/write_all.ts";
import { streamContext } from "./context.ts";
import { untilTerminated } from "./life.ts";
import { judgeTarget, placeOfPush, reachOf, restrict } from "./restrict.ts";

/** Sends a stream's channel to its target, until the helper is stopped. */
export async function push(config: Config, id: StreamId): Promise<never> {
  const { paths, spec: { display, stream }, slot, env, user } = await streamContext(config, id, {
    // the target may have changed since the browser's start
    asRoot: async (text, user, { packetFilter }) => {
      if (!packetFilter) return;
      const spec = parseSpec(text);
      await restrict(config, user, await reachOf(config, spec.stream), await placeOfPush(config, spec));
    },
  });
  const target = parsePushTarget(stream.pushTo);
  if (!target) throw new Error("the stream is not pushed");
  const held = target.isListener ? new HeldPort(target.port, innerPort(display), user.uid) : null;
  // before the web app is there, too; each try to push names its problem
  await held?.hold().catch(() => {});
  const preset = join(slot.tempDir, `push.${Deno.pid}.ffpreset`);
  return await untilTerminated(async (signal) => {
    // the helper ends at once then
    signal.addEventListener("abort", () => removeNow(preset), { once: true });
    await pushChannel({
      target,
      key: stream.pushKey,
      issuers: paths.issuersFile,
      channel: () => connect(pushSocket(paths, id)),
      held,
      place: () => judgeTarget(config, target),
      run: async (command, text) => {
        removeNow(preset);
        await Deno.writeTextFile(preset, text, { mode: 0o600, createNew: true });
        return start(command(preset), env, () => Promise.resolve(removeNow(preset)));
      },
      elapsed: () => performance.now(),
    }, signal);
  });
}

/** Removes a file that need not be there. */
function removeNow(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // it is gone
  }
}

/** Tries to reach the web app, and the milliseconds between them. */
const [TRIES, TRY_MS] = [15, 200];

/** The channel, from the web app. */
async function connect(path: string): Promise<PushChannel> {
  let connection: Deno.UnixConn | null = null;
  // the service listens a moment after the start
  for (let tries = 0; tries < TRIES && !connection; tries++) {
    connection = await Deno.connect({ transport: "unix", path }).catch(() => null);
    if (!connection) await sleep(TRY_MS);
  }
  if (!connection) throw new Error("the service does not send the channel");
  const socket = connection;
  return {
    readable: socket.readable,
    report: (report) => writeAll(socket, new TextEncoder().encode(`${JSON.stringify(report)}\n`)),
    close: () => closeAnyway(socket),
  };
}

function start(
  [program, ...args]: string[],
  env: Record<string, string>,
  opened: () => Promise<void>,
): PushRun {
  const options = { args, env, clearEnv: true, stdin: "piped", stdout: "piped", stderr: "piped" } as const;
  const child = new Deno.Command(program, options).spawn();
  const errors = endOf(child.stderr);
  return {
    opened,
    stdin: child.stdin,
    stdout: child.stdout,
    ended: child.status.then(() => errors),
    kill: () => {
      try {
        child.kill("SIGKILL");
      } catch {
        // it has ended
      }
    },
  };
}

/** Bytes of ffmpeg's errors that are kept. */
const MAX_ERRORS = 4000;

/** The end of ffmpeg's errors, without places in its memory. */
async function endOf(errors: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  for await (const part of errors.pipeThrough(new TextDecoderStream())) {
    text = (text + part).slice(-MAX_ERRORS);
  }
  return text.trim().replace(/^(\[\w+) @ [^\]]*\]/gm, "$1]");
}
