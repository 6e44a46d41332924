/**
 * The kernel's rules for the places that our users reach in the network, by nftables: the rules hold for all processes
 * of a user, whatever their program. Only root can set rules, and not in every container.
 */
import { isIPv4 } from "node:net";
import { join } from "node:path";
import { errorText } from "../tools/log.ts";
import { ensureFolder, namesIn, readOrNull, removeTree, writeFileAtomic } from "./files.ts";
import { run, type Runner } from "./process.ts";

const LIMIT_MS = 5000;

/** Bytes that nft may say: a table of 500 users has some 200 kB. */
const MAX_OUTPUT = 4 * 1024 * 1024;

export interface FilterOptions {
  /** A name of letters, digits and _. */
  table: string;
  /** Root's folder for the users' rules, by which the table is made anew when it goes. */
  folder: string;
  /** The port of 127.0.0.1 that only `insiders` and restricted users get to. */
  publishPort: number;
  insiders: readonly number[];
  /** Runs nft; tests have their own. */
  run?: Runner;
}

/** The sets of the machine's name servers: a user's rules name them, so that a change of the servers changes no rule. */
const RESOLVERS = { resolvers4: "ipv4_addr", resolvers6: "ipv6_addr" };

/** Errors of a kernel that lacks memory or the like just now: a later try may succeed. */
const PASSING = /did not end within|memory|busy|unavailable|no space|too many open|no buffer/i;

/** A kernel that could have rules, and could not set them now. */
export class FilterBusyError extends Error {
  override name = "FilterBusyError";
}

async function* inputOf(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(lines.join("\n") + "\n");
}

export class PacketFilter {
  #options: FilterOptions;
  #resolvers: readonly string[] = [];
  /** The users' rules and the kernel's whole table at the last look; null: there was none. */
  #seen: { rules: string; table: string } | null = null;

  private constructor(options: FilterOptions) {
    this.#options = options;
  }

  /**
   * Makes the rules for all users anew. @returns null: the kernel takes no rules of ours, and `told` gets the reason.
   * @throws {FilterBusyError} when it could take them, but not now.
   */
  static async make(options: FilterOptions, told: (problem: string) => void): Promise<PacketFilter | null> {
    const filter = new PacketFilter(options);
    try {
      await removeTree(options.folder); // of an earlier run
      await filter.#remake();
      return filter;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (PASSING.test(problem)) throw new FilterBusyError(problem);
      told(problem);
      return null;
    }
  }

  /** The rules that another process has made. @param folder of the users' rules. */
  static of(table: string, folder: string): Pick<PacketFilter, "restrict" | "remove"> {
    return new PacketFilter({ table, folder, publishPort: 0, insiders: [] });
  }

  /**
   * Replaces the rules of a user. Rules hold for each packet, so for open connections as well.
   * @param rules statements of nft; the first fitting statement counts.
   * @throws {Error} when the kernel refuses them, or does not have them afterwards.
   */
  async restrict(uid: number, rules: readonly string[]): Promise<void> {
    const { table, folder } = this.#options;
    // first of all for whoever makes the table anew meanwhile
    await ensureFolder(folder, 0o700);
    await writeFileAtomic(join(folder, String(uid)), rules.join("\n"), 0o600);
    await this.#apply(userLines(table, uid, rules));
    const known = await this.#nft(["list", "map", "inet", table, "users"]);
    if (!new RegExp(`\\b${uid} : jump user${uid}\\b`).test(known)) {
      throw new Error(`nft has set the rules of user ${uid}, and the kernel does not have them`);
    }
  }

  /** Replaces the name servers of all users. @param resolvers addresses. @throws {Error} when the kernel refuses them. */
  async allowResolvers(resolvers: readonly string[]): Promise<void> {
    this.#resolvers = resolvers;
    await this.#remake();
  }

  /**
   * Compares the kernel's rules with the rules that were set, and sets them again where they differ.
   * @returns whether somebody else had changed them. @throws {Error} when they are not there, and cannot be set.
   */
  async look(): Promise<boolean> {
    const before = this.#seen;
    // in this order: whoever sets rules of a user writes them down first
    const table = await this.#list();
    const rules = (await this.#rules()).join("\n");
    if (table !== null && rules === before?.rules && table === before.table) return false;
    await this.#remake();
    // new rules of a user change the table as well; another change is somebody else's
    return table === null || (rules === before?.rules && table !== before.table);
  }

  /** Removes all rules; missing ones are fine. */
  async remove(): Promise<void> {
    const { table } = this.#options;
    await this.#apply([`add table inet ${table}`, `delete table inet ${table}`]).catch(() => {});
  }

  /** Runs nft, with lines that no command line shows, and no disk has to have room for. @throws {Error} with its message. */
  async #nft(args: readonly string[], lines: readonly string[] = []): Promise<string> {
    const { code, stdout, stderr } = await (this.#options.run ?? run)(["/usr/sbin/nft", ...args], {
      timeoutMs: LIMIT_MS,
      clearEnv: true,
      cwd: "/",
      maxOutput: MAX_OUTPUT,
      input: inputOf(lines),
    });
    if (code !== 0) throw new Error(stderr.trim().split("\n")[0] || `nft ended with ${code}`);
    return stdout;
  }

  /** Sets all lines, or none. */
  async #apply(lines: readonly string[]): Promise<void> {
    await this.#nft(["-f", "-"], lines);
  }

  /** In one step, in which no packet is without rules. */
  async #remake(): Promise<void> {
    this.#seen = null;
    // another process may set rules of a user meanwhile, of which this step has the former ones
    for (let tries = 1; tries <= 3; tries++) {
      const rules = await this.#rules();
      await this.#apply([...tableLines(this.#options, this.#resolvers), ...rules]);
      const table = await this.#list();
      if (table === null) throw new Error("nft has set the rules, and the kernel does not have them");
      this.#seen = { rules: rules.join("\n"), table };
      if ((await this.#rules()).join("\n") === this.#seen.rules) return;
    }
  }

  /** The lines for all users. */
  async #rules(): Promise<string[]> {
    const { table, folder } = this.#options;
    const uids = (await namesIn(folder)).filter((name) => /^\d+$/.test(name)).map(Number)
      .sort((one, other) => one - other);
    const texts = await Promise.all(uids.map((uid) => readOrNull(join(folder, String(uid)))));
    return uids.flatMap((uid, at) => userLines(table, uid, texts[at]?.split("\n").filter(Boolean) ?? []));
  }

  /** The kernel's table as a text; null: there is none. */
  async #list(): Promise<string | null> {
    const { table } = this.#options;
    const text = await this.#nft(["-s", "list", "table", "inet", table]).catch((error) => {
      if (/no such file/i.test(error.message)) return null;
      throw error;
    });
    return text?.includes("map users") ? text : null;
  }
}

/** The lines that make a table without a user's rules, in the place of one that is there. */
function tableLines(
  { table: name, publishPort, insiders }: FilterOptions,
  resolvers: readonly string[],
): string[] {
  const table = `inet ${name}`;
  // before the addresses of a container's own resolver are changed to others; and without the kernel's table of
  // connections, which a user with many connections could fill for all
  const chain = `add chain ${table} out { type filter hook output priority mangle; policy accept; }`;
  return [
    ...[`add table ${table}`, `delete table ${table}`, `add table ${table}`],
    `add map ${table} users { type uid : verdict; }`,
    `add set ${table} insiders { type uid; }`,
    `add element ${table} insiders { ${insiders.join(", ")} }`,
    ...Object.entries(RESOLVERS).flatMap(([set, type]) => {
      const own = resolvers.filter((one) => isIPv4(one) === (set === "resolvers4"));
      return [
        `add set ${table} ${set} { type ${type}; }`,
        ...(own.length > 0 ? [`add element ${table} ${set} { ${own.join(", ")} }`] : []),
      ];
    }),
    chain,
    `add rule ${table} out oifname "lo" tcp dport ${publishPort} meta skuid != @insiders reject`,
    `add rule ${table} out meta skuid vmap @users`,
  ];
}

/** The lines that replace the rules of a user. */
function userLines(table: string, uid: number, rules: readonly string[]): string[] {
  const chain = `inet ${table} user${uid}`;
  return [
    `add chain ${chain}`,
    `flush chain ${chain}`,
    ...rules.map((rule) => `add rule ${chain} ${rule}`),
    `add element inet ${table} insiders { ${uid} }`,
    `add element inet ${table} users { ${uid} : jump user${uid} }`,
  ];
}

/** Removes the rules of a service that has ended; missing ones are fine. */
export async function removeTable(table: string): Promise<void> {
  await PacketFilter.of(table, "").remove();
}

/** The reason why we cannot set rules of the kernel here; null: we can. */
export async function filterProblem(): Promise<string | null> {
  const table = `browser_stream_try_${Deno.pid}`;
  const port = 9; // discard: the table is gone at once
  let problem: string | null = null;
  const options = { table, folder: `/nonexistent/${table}`, publishPort: port, insiders: [0] };
  try {
    await PacketFilter.make(options, (text) => problem = text);
  } catch (error) {
    problem = errorText(error);
  } finally {
    await removeTable(table);
  }
  return problem;
}
