/** The one seam between the service and the machine it runs on: tests pass a fake one. */
import type { Config } from "./config.ts";
import { type BrowserControl, chromium } from "./devtools/client.ts";
import { isSlotFree, type Slot } from "./control/slots.ts";
import type { Network } from "./net/reach.ts";
import { thisNetwork } from "./net/this_network.ts";
import type { Paths } from "./paths.ts";
import { askPrograms, type Program } from "./supervisor/status.ts";
import type { Identity } from "./system/exec.ts";
import { type BytesRunner, run, runBytes, type Runner } from "./system/process.ts";
import { pipelineUser } from "./system/users.ts";

export interface Machine {
  /** The machine's own name. */
  hostname: string;
  /** What its addresses are, and names lead to. */
  network: Network;
  /** Command line of this program, without a subcommand: the supervisor runs it. */
  executable: string[];
  /** The user whom displays, browsers and encoders belong to. */
  user: Identity;
  run: Runner;
  runBytes: BytesRunner;
  /** All programs of the supervisor. @throws {Error} when it does not answer. */
  programs(): Promise<Program[]>;
  /** Chromium's DevTools; a browser is named by its profile. */
  browser: BrowserControl;
  /** Whether nobody has the display. */
  isSlotFree(slot: Slot): Promise<boolean>;
  /** Unix time in ms. */
  now(): number;
}

/** The machine that we are on. @throws {Error} when the pipeline's user does not exist. */
export async function thisMachine(config: Config, paths: Paths, executable: string[]): Promise<Machine> {
  return {
    hostname: Deno.hostname(),
    network: thisNetwork,
    executable,
    user: await pipelineUser(config.PIPELINE_USER),
    run,
    runBytes,
    programs: () => askPrograms(paths.supervisorSocket),
    browser: chromium,
    isSlotFree,
    now: Date.now,
  };
}
