/** The nodes of a cluster in a viewer's browser. */
import { strict as assert } from "node:assert";
import { assertAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import { memberBeside } from "../support/cluster_member.ts";
import { same } from "../support/same.ts";
import { takePicture } from "../support/pictures.ts";
import { VERSION } from "../../lib/machine/tools/version.ts";
import { uiTest } from "../support/ui.ts";

uiTest(
  "a node is drained and resumed, its clock told, and each card says where its stream is",
  async ({ page, app, url }) => {
    await same(() => app.service.placement.nodes().map(({ name }) => name), ["wall-a", "wall-b"]);
    const { id } = await app.create({ name: "Ash" });
    await page.goto(url);
    await same(() => page.locator(`#stream-${id} .node`).textContent(), "on wall-a");
    await page.getByRole("navigation").getByRole("link", { name: "Nodes" }).click();
    const rows = page.locator(".node-row");
    await same(() => rows.locator("h2").allTextContents(), ["wall-a this one", "wall-b "]);
    const texts = (at: number) => rows.nth(at).locator("p").allTextContents();
    const facts = `http://10.0.0.2:3000, version ${VERSION}, its clock is 60 s behind`;
    const load = "Load 0.8 on 2 cores, memory 3.1 of 8.2 GB";
    await same(() => texts(1), ["0 streams, 42 % free", load, facts]);
    await page.getByRole("button", { name: "Drain wall-b" }).click();
    await same(() => page.getByRole("button", { name: "Resume wall-b" }).count(), 1);
    await same(() => texts(1), ["0 streams, 42 % free, moves its streams to the other nodes", load, facts]);
    for (const [name, size] of Object.entries(SIZES)) {
      await page.setViewportSize(size);
      await takePicture(page, `nodes-${name}`);
      if (name === "phone") await assertAccessible(page, "nodes");
    }
    await page.getByRole("button", { name: "Resume wall-b" }).click();
    await same(() => page.getByRole("button", { name: "Drain wall-b" }).count(), 1);
    const told = await app.api("POST", "/api/nodes/wall-b/drain");
    assert.deepEqual([told.status, told.json.isDraining], [200, true]);
    assert.equal((await app.api("POST", "/api/nodes/nobody/drain")).status, 404);
  },
  { membership: await memberBeside("wall-b", 60_000), context: {}, mayLog: /404/ },
);
