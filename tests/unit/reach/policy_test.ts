import { strict as assert } from "node:assert";
import { join } from "node:path";
import {
  installPolicies,
  POLICIES,
  Policies,
  policyFile,
  policyFileByHand,
  policyText,
  removePolicies,
} from "../../../lib/reach/policy.ts";

Deno.test("policies: nothing is allowed but web pages, and DevTools stays ours", () => {
  const blocked = POLICIES.URLBlocklist as string[];
  assert.ok(blocked.includes("*"));
  for (const scheme of ["chrome", "devtools", "chrome-extension", "file", "view-source"]) {
    assert.ok(blocked.includes(`${scheme}://*`), scheme);
  }
  assert.ok(blocked.includes("169.254.169.254"));
  const viewer = "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai";
  assert.deepEqual(POLICIES.URLAllowlist, ["http://*", "https://*", "about:blank", "about:srcdoc", viewer]);
  // with 2 Chromium refuses every DevTools connection, also the service's own
  assert.equal(POLICIES.DeveloperToolsAvailability, 1);
});

Deno.test("policies: nothing of the browser's own is on that could lie over a page or tell others of it", () => {
  const on = Object.keys(POLICIES).filter((name) => POLICIES[name] === true);
  // each of these takes something away
  assert.deepEqual(on, ["SyncDisabled", "BlockExternalExtensions", "HideWebStoreIcon"]);
});

Deno.test("policies: two services have a file each; one's end leaves the other's", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const [one, other] = ["one", "other"].map((name) => policyFile(join(folder, "managed"), name));
    await installPolicies(one);
    await installPolicies(other);
    assert.equal(await Deno.readTextFile(one), policyText());
    assert.deepEqual(JSON.parse(policyText()), POLICIES);
    assert.equal((await Deno.stat(one)).mode! & 0o777, 0o644);
    await removePolicies(one);
    await removePolicies(one);
    assert.deepEqual([...Deno.readDirSync(join(folder, "managed"))].map(({ name }) => name), ["other.json"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("policies that go, or are changed, are put back; those of a person's hand count", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const file = policyFile(join(folder, "managed"), "one");
    const policies = new Policies(file, policyText());
    const undo: Record<string, () => Promise<void>> = {
      "a first start": () => Promise.resolve(),
      "removed": () => Deno.remove(file),
      "with their folder": () => Deno.remove(join(folder, "managed"), { recursive: true }),
      "emptied": () => Deno.writeTextFile(file, ""),
      "other ones": () => Deno.writeTextFile(file, "{}"),
    };
    for (const [name, action] of Object.entries(undo)) {
      await action();
      assert.deepEqual(
        [await policies.areThere(), await policies.look(), await policies.look(), await policies.areThere()],
        [false, true, false, true],
        name,
      );
    }
    await Deno.rename(file, policyFileByHand(file));
    assert.equal(await policies.look(), false);
    await Deno.remove(join(folder, "managed"), { recursive: true });
    await Deno.writeTextFile(join(folder, "managed"), "no folder");
    await assert.rejects(policies.look());
    assert.equal(await policies.areThere().catch(() => false), false);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
