/** Chromium's policies for one test, in a folder that no other browser of the machine sees. */
import { join } from "node:path";
import { SOURCE_PROGRAM } from "./service.ts";

/** For `sharedService`. @param folder takes the place of /etc/chromium for the service and all that it starts. */
export function ownPolicies(folder: string): { program: string[]; env: Record<string, string> } {
  const mounted = ["/bin/sh", "-c", 'mount --bind "$0" /etc/chromium && exec "$@"', folder];
  return {
    program: ["/usr/bin/unshare", "--mount", ...mounted, ...SOURCE_PROGRAM],
    env: { CHROMIUM_POLICY_DIR: "/etc/chromium/policies/managed" },
  };
}

/** As `ownPolicies`, in a folder that is removed after the file's tests. @returns also where they are, for the test. */
export function temporaryPolicies(): ReturnType<typeof ownPolicies> & { installed: string } {
  const folder = Deno.makeTempDirSync({ prefix: "bs-policies-" });
  // the streams' users read it
  Deno.chmodSync(folder, 0o755);
  Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));
  return { ...ownPolicies(folder), installed: join(folder, "policies/managed") };
}
