/**
 * The kernel's rules for the places that our users reach in the network, by nftables: the rules hold for all processes
 * of a user, whatever their program. Only root can set rules, and not in every container.
 */
import { isIPv4 } from "node:net";
import { run } from "./process.ts";

const LIMIT_MS = 5000;

export interface FilterOptions {
  /** A name of letters, digits and _. */
  table: string;
  /** The port of 127.0.0.1 that only `insiders` and restricted users get to. */
  publishPort: number;
  insiders: readonly number[];
}

/** The sets of the machine's name servers: a user's rules name them, so that a change of the servers changes no rule. */
const RESOLVERS = { resolvers4: "ipv4_addr", resolvers6: "ipv6_addr" };

/** @throws {Error} with the message of nft. */
async function nft(lines: readonly string[]): Promise<void> {
  // by a file: no rule is in a command line, and nft applies all rules or none
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

  /** Makes the rules for all users anew. @returns null: the kernel refuses, and `told` gets the reason. */
  static async make(options: FilterOptions, told: (problem: string) => void): Promise<PacketFilter | null> {
    const table = `inet ${options.table}`;
    // before the addresses of a container's own resolver are changed to others; and without the kernel's table of
    // connections, which a user with many connections could fill for all
    const chain = `add chain ${table} out { type filter hook output priority mangle; policy accept; }`;
    const lines = [
      ...[`add table ${table}`, `delete table ${table}`, `add table ${table}`],
      `add map ${table} users { type uid : verdict; }`,
      `add set ${table} insiders { type uid; }`,
      `add element ${table} insiders { ${options.insiders.join(", ")} }`,
      ...Object.entries(RESOLVERS).map(([set, type]) => `add set ${table} ${set} { type ${type}; }`),
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
   * Replaces the rules of a user. Rules hold for each packet, so for open connections as well.
   * @param rules statements of nft; the first fitting statement counts. @throws {Error} when the kernel refuses them.
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

  /** Replaces the name servers of all users. @param resolvers addresses. @throws {Error} when the kernel refuses them. */
  async allowResolvers(resolvers: readonly string[]): Promise<void> {
    const table = `inet ${this.#table}`;
    await nft(
      Object.keys(RESOLVERS).flatMap((set) => {
        const own = resolvers.filter((one) => isIPv4(one) === (set === "resolvers4"));
        return [
          `flush set ${table} ${set}`,
          ...(own.length > 0 ? [`add element ${table} ${set} { ${own.join(", ")} }`] : []),
        ];
      }),
    );
  }

  /** Removes all rules; missing ones are fine. */
  async remove(): Promise<void> {
    await nft([`add table inet ${this.#table}`, `delete table inet ${this.#table}`]).catch(() => {});
  }
}

/** The reason why we cannot set rules of the kernel here; null: we can. */
export async function filterProblem(): Promise<string | null> {
  const table = `browser_stream_try_${Deno.pid}`;
  const port = 9; // discard: the table is gone at once
  let problem: string | null = null;
  const filter = await PacketFilter.make(
    { table, publishPort: port, insiders: [0] },
    (text) => problem = text,
  );
  await filter?.remove();
  return problem;
}
