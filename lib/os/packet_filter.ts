/**
 * The kernel's rules for what users of ours reach in the network, by nftables: they hold for all that a user runs, whatever
 * it has become. Only root can set them, and not in every container.
 */
import { run } from "./process.ts";

const LIMIT_MS = 5000;

export interface FilterOptions {
  /** A name of letters, digits and _. */
  table: string;
  /** The port of 127.0.0.1 that only `insiders` and restricted users get to. */
  publishPort: number;
  insiders: readonly number[];
}

/** @throws {Error} with what nft says. */
async function nft(lines: readonly string[]): Promise<void> {
  // by a file: nothing of it is in a command line, and all of it is done or nothing
  const file = await Deno.makeTempFile({ prefix: "browser-stream-", suffix: ".nft" });
  try {
    await Deno.writeTextFile(file, lines.join("\n") + "\n");
    const { code, stderr } = await run(["/usr/sbin/nft", "-f", file], {
      timeoutMs: LIMIT_MS,
      clearEnv: true,
      cwd: "/",
      maxOutput: 64 * 1024,
    });
    if (code !== 0) throw new Error(stderr.trim().split("\n")[0]);
  } finally {
    await Deno.remove(file);
  }
}

export class PacketFilter {
  #table: string;

  constructor(table: string) {
    this.#table = table;
  }

  /** Makes the rules anew that hold for all. @returns null where the kernel does not let us; then why is told. */
  static async make(options: FilterOptions, told: (problem: string) => void): Promise<PacketFilter | null> {
    const table = `inet ${options.table}`;
    // before the addresses of a container's own resolver are changed to others; and without the kernel's table of
    // connections, which one user who opens many could fill for all
    const chain = `add chain ${table} out { type filter hook output priority mangle; policy accept; }`;
    const lines = [
      ...[`add table ${table}`, `delete table ${table}`, `add table ${table}`],
      `add map ${table} users { type uid : verdict; }`,
      `add set ${table} insiders { type uid; }`,
      `add element ${table} insiders { ${options.insiders.join(", ")} }`,
      chain,
      `add rule ${table} out oifname "lo" tcp dport ${options.publishPort} meta skuid != @insiders reject`,
      `add rule ${table} out meta skuid vmap @users`,
    ];
    try {
      await nft(lines);
      return new PacketFilter(options.table);
    } catch (error) {
      told(error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  /**
   * Puts a user's rules in the place of those before. They hold for each packet, so for what is open as well.
   * @param rules statements of nft, of which the first that fits counts. @throws {Error} when the kernel refuses them.
   */
  async restrict(uid: number, rules: readonly string[]): Promise<void> {
    const table = `inet ${this.#table}`;
    const chain = `${table} user${uid}`;
    await nft([
      `add chain ${chain}`,
      `flush chain ${chain}`,
      ...rules.map((rule) => `add rule ${chain} ${rule}`),
      `add element ${table} insiders { ${uid} }`,
      `add element ${table} users { ${uid} : jump user${uid} }`,
    ]);
  }

  /** Removes all rules; missing ones are fine. */
  async remove(): Promise<void> {
    await nft([`add table inet ${this.#table}`, `delete table inet ${this.#table}`]).catch(() => {});
  }
}

/** Whether the kernel lets us set rules here; else why not. */
export async function filterProblem(): Promise<string | null> {
  const table = `browser_stream_try_${Deno.pid}`;
  const port = 9; // discard: of a table that is gone at once
  let problem: string | null = null;
  const filter = await PacketFilter.make(
    { table, publishPort: port, insiders: [0] },
    (text) => problem = text,
  );
  await filter?.remove();
  return problem;
}
