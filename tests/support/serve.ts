/** The web app alone, with a media server of the test's own. */
import { until } from "./same.ts";
import { isHealthy, ownEnvironment, SOURCE_PROGRAM } from "./service.ts";

export interface TestServe extends AsyncDisposable {
  hostname: string;
  port: number;
  url: string;
  pid: number;
}

/** Starts `serve` before a media server at an address such as "http://127.0.0.1:8888". */
export async function startServe(mediaOrigin: string): Promise<TestServe> {
  const environment = await ownEnvironment({
    env: { MEDIA_PORT: new URL(mediaOrigin).port, LOG_LEVEL: "warn" },
  });
  const { env } = environment;
  await Deno.mkdir(`${env.DATA_DIR}/streams`);
  const child = new Deno.Command(SOURCE_PROGRAM[0], {
    args: [...SOURCE_PROGRAM.slice(1), "serve", "--port"],
    env,
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const url = `http://127.0.0.1:${env.PORT}`;
  const stop = async () => {
    child.kill("SIGTERM");
    await child.status;
    await environment[Symbol.asyncDispose]();
  };
  await until("the web app to answer", () => isHealthy(url)).catch(async (error) => {
    await stop();
    throw error;
  });
  return { hostname: "127.0.0.1", port: Number(env.PORT), url, pid: child.pid, [Symbol.asyncDispose]: stop };
}
