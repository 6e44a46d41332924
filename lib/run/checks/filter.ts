/** Whether the kernel keeps streams from this machine and its network, beside Chromium. */
import { isRoot } from "../../machine/os/exec.ts";
import { filterProblem } from "../../machine/os/packet_filter.ts";
import { type Finding, ok, skipped, warning } from "./finding.ts";

/** The texts for a kernel without a packet filter. @param problem the message of nft. Pure. */
export function filterFinding(problem: string): { says: string; remedy: string } {
  return {
    says:
      `The kernel's packet filter cannot be used here (${problem}): only Chromium keeps pages from this machine\n` +
      "and the local network. Code that breaks out of a browser reaches both. Pages have no WebRTC,\n" +
      "unless their stream asks for it.",
    remedy: "In a container: cap_add: NET_ADMIN. On Debian: apt-get install nftables.",
  };
}

/** The text for a kernel that has a packet filter, and did not take the rules. @param problem the message of nft. Pure. */
export function filterBusy(problem: string): string {
  return `The kernel's packet filter did not take the rules that keep pages from this machine (${problem}). Start the\n` +
    "service again. Where it stays so, `nft list ruleset` says more; without the right to set rules (in a container\n" +
    "without NET_ADMIN) the service starts without them, and says so.";
}

/** Checks the packet filter with a table that is gone at once. */
export async function checkFilter(): Promise<Finding> {
  if (!isRoot()) return skipped("only root can set rules of the kernel's packet filter");
  const problem = await filterProblem();
  if (problem === null) return ok("the kernel keeps streams from this machine and from forbidden networks");
  const { says, remedy } = filterFinding(problem);
  return warning(says, remedy);
}
