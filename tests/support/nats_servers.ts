/** Real nats-servers with JetStream on this machine, as the three of a cluster. */
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connectNats, NatsBucket, type Servers } from "../../lib/cluster/nats.ts";
import { tempDir } from "./fixture.ts";
import { until } from "./same.ts";
import { reserveSlot } from "./slot.ts";

/** Milliseconds for one question whether the servers have a leader. */
const LEADER_MS = 250;
const [USER, PASS] = ["node", "sesame-of-the-cluster"];

export interface NatsServers extends AsyncDisposable {
  /** Where they are, and how to get in. */
  at: Servers;
  /** Their numbers. */
  all: number[];
  start(number: number): void;
  /** kill -9, or another signal; resolves when the process has ended, or has the signal. */
  signal(number: number, signal: Deno.Signal): Promise<void>;
  /** Waits until they have what they need to make buckets. */
  ready(): Promise<unknown>;
}

/** Starts so many, which know each other. */
export async function startNats(count: number): Promise<NatsServers> {
  const things = new AsyncDisposableStack();
  const folder = things.use(await tempDir()).path;
  const ports = Array.from({ length: Math.ceil(count / 2) }, () => things.use(reserveSlot()).ports).flat();
  const [clients, routes] = [ports.slice(0, count), ports.slice(count, 2 * count)];
  const all = clients.map((_, number) => number);
  const running = new Map<number, Deno.ChildProcess>();
  for (const number of all) {
    const others = routes.map((port) => `nats-route://127.0.0.1:${port}`).join(", ");
    await Deno.writeTextFile(
      join(folder, `${number}.conf`),
      `server_name: "n${number}", listen: "127.0.0.1:${clients[number]}"
jetstream { store_dir: "${join(folder, String(number))}", max_memory_store: 64MB, max_file_store: 256MB }
authorization { user: "${USER}", password: "${PASS}" }
${count > 1 ? `cluster { name: "walls", listen: "127.0.0.1:${routes[number]}", routes: [${others}] }` : ""}
`,
    );
  }
  const start = (number: number) => {
    const args = ["-c", join(folder, `${number}.conf`), "-l", join(folder, `${number}.log`)];
    const options = { args, stdin: "null", stdout: "null", stderr: "null" } as const;
    running.set(number, new Deno.Command("/usr/sbin/nats-server", options).spawn());
  };
  const signal = async (number: number, name: Deno.Signal) => {
    const child = running.get(number)!;
    child.kill(name);
    if (name === "SIGSTOP" || name === "SIGCONT") return;
    running.delete(number);
    await child.status;
  };
  for (const number of all) start(number);
  things.defer(async () => {
    for (const number of running.keys()) await signal(number, "SIGKILL");
  });
  const at = { addresses: clients.map((port) => `nats://127.0.0.1:${port}`), user: USER, pass: PASS };
  const ready = () =>
    until("the NATS servers", async () => {
      const connection = await connectNats(at).catch(() => null);
      if (!connection) return false;
      try {
        // until the servers have a leader nobody answers, which the bucket would wait for longer
        await jetstreamManager(connection, { timeout: LEADER_MS });
        // a server that answers may not have heard of the others yet
        const rules = { replicas: count, history: 1, ttlMs: 0 };
        return await NatsBucket.open(connection, "ready", rules).then(() => true);
      } catch {
        return false;
      } finally {
        await connection.close();
      }
    });
  return { at, all, start, signal, ready, [Symbol.asyncDispose]: () => things.disposeAsync() };
}
