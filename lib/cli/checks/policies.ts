/** Whether Chromium reads the service's policies. */
import { dirname, join } from "node:path";
import { readOrNull } from "../../os/files.ts";
import type { SelfCommand } from "../self.ts";

const byHandFile = (file: string) => join(dirname(file), "browser-stream.json");

/** Whether a person has installed the policies by hand, as `policiesProblem` says. @param file of this service. */
export async function policiesByHand(file: string, text: string): Promise<boolean> {
  return await readOrNull(byHandFile(file)).catch(() => null) === text;
}

/** The texts for missing policies. */
export function policiesProblem(file: string, problem: string, program: SelfCommand) {
  const folder = dirname(file);
  return {
    says: `Chromium's policies are not installed in ${folder} (${problem}). A page, or a person in a\n` +
      "browser by VNC, can open local files and internal pages, download and print. Certificates in CA_DIR are not\n" +
      "trusted.",
    remedy: `To install them:\nsudo mkdir -p ${folder} && ${
      program.executable.join(" ")
    } policies | sudo tee ${byHandFile(file)} > /dev/null`,
  };
}
