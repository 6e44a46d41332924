/** The texts about Chromium's policies. */
import { dirname } from "node:path";
import { policyFileByHand } from "../../reach/policy.ts";
import type { SelfCommand } from "../self.ts";

/** The texts for missing policies. */
export function policiesProblem(file: string, problem: string, program: SelfCommand) {
  const folder = dirname(file);
  return {
    says: `Chromium's policies are not installed in ${folder} (${problem}). A page, or a person in a\n` +
      "browser by VNC, can open local files and internal pages, download and print. Certificates in CA_DIR are not\n" +
      "trusted.",
    remedy: `To install them:\nsudo mkdir -p ${folder} && ${
      program.executable.join(" ")
    } policies | sudo tee ${policyFileByHand(file)} > /dev/null`,
  };
}
