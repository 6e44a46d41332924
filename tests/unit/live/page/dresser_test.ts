import assert from "node:assert/strict";
import { Browser } from "../../../../lib/devtools/client.ts";
import { PageDresser } from "../../../../lib/live/page/dresser.ts";
import { aStream } from "../../../support/fixture.ts";
import { pretendedWire } from "../../../support/pretended_wire.ts";
import { same } from "../../../support/same.ts";

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
  const settings = aStream();
  const dresser = new PageDresser({
    ...{ browser, settings: () => settings, pageSeconds: () => 30, proxyLogin: null, viewers: () => 0 },
    ...{ elapsed: () => 0, warn: (text: string) => assert.fail(text) },
  });
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
  const settings = aStream();
  let seconds = 30;
  const dresser = new PageDresser({
    ...{ browser: new Browser(() => Promise.resolve(wire())), settings: () => settings },
    ...{ pageSeconds: () => seconds, proxyLogin: null, viewers: () => 0, elapsed: () => 0, warn: () => {} },
  });
  const dressed = async () => {
    scripts.length = 0;
    await dresser.dress({ id: "1" });
    return scripts.filter((script) => script.includes(`(${seconds}, `)).length;
  };
  assert.equal(await dressed(), 1);
  assert.equal(await dressed(), 0, "it has them");
  seconds = 60;
  assert.equal(await dressed(), 1);
  await dresser.close();
});
