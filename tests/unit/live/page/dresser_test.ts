import assert from "node:assert/strict";
import { Browser } from "../../../../lib/browser/client.ts";
import { PageDresser } from "../../../../lib/live/page/dresser.ts";
import type { BrowserControl } from "../../../../lib/browser/client.ts";
import type { Stream } from "../../../../lib/model/schema.ts";
import { aGround, aKeptStream } from "../../../support/ground.ts";
import { pretendedWire } from "../../../support/pretended_wire.ts";
import { same } from "../../../support/same.ts";

/** The dresser of a stream, to which nothing is told. */
function aDresser(browser: BrowserControl) {
  const world = aGround();
  const live = aKeptStream(world);
  live.tell = (_kind, text) => assert.fail(text);
  return { live, dresser: new PageDresser({ live, ground: world.ground, browser, display: 101 }) };
}

Deno.test("dresser: of tabs that a browser makes up the newest are kept as they are to be", async () => {
  const open = new Set<string>();
  const browser = new Browser(() => {
    let tab = "";
    const wire = pretendedWire((method, { targetId }) => {
      if (method === "Target.attachToTarget") open.add(tab = String(targetId));
      return method === "Target.attachToTarget" ? { sessionId: "1" } : {};
    });
    void wire.ended.then(() => open.delete(tab));
    return Promise.resolve(wire);
  });
  const { dresser } = aDresser(browser);
  for (let tab = 0; tab < 100; tab++) await dresser.dress({ id: String(tab) });
  await same(() => [...open], ["92", "93", "94", "95", "96", "97", "98", "99"]);
  await dresser.dress({ id: "99" });
  assert.equal(open.size, 8, "it is dressed already");
  await dresser.close();
  await same(() => open.size, 0);
});

Deno.test("dresser: a tab hears of other seconds for a PDF's pages, for what it opens from then on", async () => {
  const scripts: string[] = [];
  const wire = () =>
    pretendedWire((method, { source }) => {
      if (method === "Page.addScriptToEvaluateOnNewDocument") scripts.push(String(source));
      return method === "Target.attachToTarget" ? { sessionId: "1" } : {};
    });
  const { live, dresser } = aDresser(new Browser(() => Promise.resolve(wire())));
  let seconds = live.stream!.pageSeconds;
  const dressed = async () => {
    scripts.length = 0;
    await dresser.dress({ id: "1" });
    return scripts.filter((script) => script.includes(`(${seconds}, `)).length;
  };
  assert.equal(await dressed(), 1);
  assert.equal(await dressed(), 0, "it has them");
  seconds = 60;
  live.stream = { ...live.stream, pageSeconds: seconds } as Stream;
  assert.equal(await dressed(), 1);
  await dresser.close();
});
