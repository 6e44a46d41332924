/** The service as docker-compose.yml runs it. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { readCompose } from "./compose_file.ts";
import type { Engine } from "./docker.ts";
import { until } from "./same.ts";
import { askApi, isHealthy, logIn, type Reachable } from "./service.ts";
import { reserveSlot } from "./slot.ts";
import { readFixture } from "./page.ts";
import type { StreamStatus } from "../../lib/model/answers/shapes.ts";

export interface Composition {
  /** What a person made of docker-compose.yml. */
  text?: string;
  env?: Record<string, string>;
}

/** A process of the container, as the kernel tells it. */
export interface ContainerProcess {
  pid: number;
  command: string;
  /** Of /proc/PID/status. */
  status: Record<string, string>;
}

export class Composed implements Reachable, AsyncDisposable {
  readonly url: string;
  /** The Cookie headers that the streamed page got, in their order. */
  readonly cookies: string[] = [];
  readonly #engine: Engine;
  readonly #project = `bs-image-${Deno.pid}`;
  readonly #slot = reserveSlot();
  readonly #publish: string;
  #file = "";
  #container = "";
  #env: Record<string, string> = {};
  #cookie: string | null = null;
  #page: Deno.HttpServer<Deno.NetAddr> | null = null;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#publish = `127.0.0.1:${this.#slot.ports[0]}`;
    this.url = `http://${this.#publish}`;
  }

  /** Its id; another one after each change of the file. */
  get container(): string {
    return this.#container;
  }

  /** Runs the service like this; what runs already so is left alone. @param isReady whether to wait until it answers. */
  async up({ text = readCompose(), env = {} }: Composition = {}, isReady = true): Promise<void> {
    this.#file ||= await Deno.makeTempFile({ prefix: "bs-compose-", suffix: ".yml" });
    await Deno.writeTextFile(this.#file, text);
    // what else is done on the machine must refuse no stream of a test
    this.#env = { PUBLISH: this.#publish, CAPACITY_CHECK: "off", ...env };
    this.#cookie = null;
    await this.compose(["up", "--detach", "--no-build"]);
    this.#container = await this.compose(["ps", "--all", "--quiet", "browser-stream"]);
    if (!isReady) return;
    await until("the service to answer", () => isHealthy(this.url));
    if (env.AUTH_USER) this.#cookie = await logIn(this.url, env.AUTH_USER, env.AUTH_PASS);
  }

  async compose(args: string[]): Promise<string> {
    const which = ["--project-name", this.#project, "--file", this.#file, "--project-directory", "."];
    return await this.#engine.compose([...which, ...args], this.#env);
  }

  async docker(...args: string[]): Promise<string> {
    return await this.#engine.docker(args);
  }

  /** Runs a command in the container, as root. */
  async exec(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return await this.#engine.run(["exec", this.container, ...argv]);
  }

  async inspect(format: string): Promise<string> {
    return await this.docker("inspect", "--format", format, this.container);
  }

  async logs(): Promise<string> {
    const { stdout, stderr } = await this.#engine.run(["logs", this.container]);
    return stdout + stderr;
  }

  async api(method: string, path: string, body?: unknown): Promise<Response> {
    return await askApi(this.url, this.#cookie, method, path, body);
  }

  /** The clock page as a stream, made on its first use, and running. @param limitMs until it runs. */
  async clock(): Promise<string> {
    const known = await (await this.api("GET", "/api/streams")).json();
    if (!known.some(({ id }: { id: string }) => id === "clock")) {
      const { hostname, port } = this.#page!.addr;
      const url = `http://${hostname}:${port}/`;
      const made = await this.api("POST", "/api/streams", { name: "Clock", url, fps: 10 });
      assert.equal(made.status, 201, await made.text());
    }
    await until("the stream to run", async () => (await this.status("clock"))?.state === "running");
    return "clock";
  }

  async status(id: string): Promise<StreamStatus | undefined> {
    const answer = await this.api("GET", "/api/streams/statuses");
    return answer.ok ? (await answer.json())[id] : undefined;
  }

  /** Serves the page where the container reaches it: on this machine's address in the container's network. */
  async servePage(): Promise<void> {
    const hostname = await this.inspect("{{range .NetworkSettings.Networks}}{{.Gateway}}{{end}}");
    this.#page = Deno.serve({ hostname, port: 0, onListen: () => {} }, (request) => {
      this.cookies.push(request.headers.get("cookie") ?? "");
      const headers = { "content-type": "text/html", "set-cookie": "known=yes; Max-Age=1000000" };
      return new Response(readFixture("clock.html"), { headers });
    });
  }

  /** All processes of the container. */
  async processes(): Promise<ContainerProcess[]> {
    const listed = await this.docker("top", this.container, "-eo", "pid");
    return listed.split("\n").slice(1).map(Number).flatMap((pid) => readProcess(pid) ?? []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    using _slot = this.#slot;
    await this.#page?.shutdown();
    if (!this.#file) return;
    await this.compose(["down", "--volumes"]);
    await Deno.remove(this.#file);
  }
}

function readProcess(pid: number): ContainerProcess | null {
  try {
    const lines = Deno.readTextFileSync(join("/proc", String(pid), "status")).trim().split("\n");
    const status = Object.fromEntries(lines.map((line) => line.split(/:\s+/, 2)));
    const command = Deno.readTextFileSync(join("/proc", String(pid), "cmdline")).replaceAll("\0", " ").trim();
    return { pid, command, status };
  } catch {
    return null; // ended meanwhile
  }
}
