import assert from "node:assert/strict";
import { namespacesVerdict } from "../../../../lib/run/checks/sandbox.ts";

Deno.test("only a kernel that forbids namespaces takes Chromium's sandbox away; a busy one does not", () => {
  const rows: [code: number, stderr: string, verdict: boolean | null][] = [
    [0, "", true],
    [1, "unshare: unshare failed: Operation not permitted\n", false],
    [1, "unshare: unshare failed: No space left on device\n", false], // user.max_user_namespaces=0
    [1, "unshare: unshare failed: Invalid argument\n", false], // without CONFIG_USER_NS
    [1, "unshare: write failed /proc/self/uid_map: Operation not permitted\n", false], // AppArmor
    [1, "unshare: write failed /proc/self/setgroups: Permission denied\n", false],
    [127, "setpriv: setresuid failed: Operation not permitted\n", false], // the start says why
    [1, "unshare: fork failed: Resource temporarily unavailable\n", null],
    [1, "unshare: fork failed: Cannot allocate memory\n", null],
    [127, "setpriv: failed to execute unshare: No such file or directory\n", null],
    [-1, "/usr/bin/setpriv did not end within 5 s", null],
    [-1, "/usr/bin/setpriv is not installed", null],
    [137, "", null], // killed
    [1, "nonsense", null],
  ];
  assert.deepEqual(
    rows.filter(([code, stderr, verdict]) => namespacesVerdict({ code, stderr }) !== verdict),
    [],
  );
});
