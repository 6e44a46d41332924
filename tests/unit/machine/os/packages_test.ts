import assert from "node:assert/strict";
import { join } from "node:path";
import { SERVICE_PACKAGES } from "../../../../lib/machine/os/packages.ts";
import { root } from "../../../support/fixture.ts";

/** What the image needs and a Debian machine has: the health check, an init, time zones. */
const IMAGE_ONLY = ["curl", "tini", "tzdata"];

Deno.test("the image has every package of the service, and no others than its own", async () => {
  const dockerfile = await Deno.readTextFile(join(root, "Dockerfile"));
  const [, image] = dockerfile.split("FROM ${BASE_IMAGE}\n");
  const [, list] = /apt-get install (.+?)\s*&&/.exec(image.replaceAll("\\\n", ""))!;
  const installed = list.split(/\s+/).filter((word) => !word.startsWith("-"));
  const needed = [...SERVICE_PACKAGES.map(([name]) => name), ...IMAGE_ONLY];
  assert.deepEqual(installed.sort(), needed.sort());
});
