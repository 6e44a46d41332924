/** What a browser, or a page of it, may answer: little of it is believed. */
import assert from "node:assert/strict";
import { Browser, readPages, readTarget } from "../../../lib/browser/client.ts";
import type { Wire } from "../../../lib/browser/connection.ts";
import type { Command } from "../../../lib/browser/messages.ts";

const [A, B, C] = ["A", "B", "C"].map((letter) => letter.repeat(32));

Deno.test("a target's id is checked", () => {
  const given = { targetId: A, type: "page", url: "https://a/", title: "x", openerId: B };
  assert.deepEqual(readTarget(given), { id: A, type: "page", url: "https://a/", title: "x" });
  for (
    const targetId of ["", "x", `${A}0`, `../${A}`, `${A.slice(1)}/`, `${A.slice(1)}?`, `${A}\n`, 5, null, {}]
  ) {
    assert.throws(() => readTarget({ ...given, targetId }), /not a target/, String(targetId));
  }
});

Deno.test("only pages are taken from a list, and only a list", () => {
  const page = { targetId: A, type: "page", url: "https://a/" };
  const list = [{ type: "browser_ui" }, null, 5, { ...page, url: "chrome://omnibox.top-chrome/" }, page];
  assert.deepEqual(readPages(list), [{ id: A, type: "page", url: "https://a/" }]);
  for (const answer of [{}, 5, null, "x", undefined, [{ type: "page" }]]) {
    assert.throws(() => readPages(answer), Error, JSON.stringify(answer));
  }
});

/** A browser whose pages answer so when they are asked whether they are in front. */
function aBrowser(places: Record<string, "focused" | "visible" | false | null>) {
  const sent: Command[] = [];
  const ended = Promise.withResolvers<void>();
  const wire: Wire = {
    onmessage: () => {},
    ended: ended.promise,
    send: (command) => {
      sent.push(command);
      const { id, method, params, sessionId } = command;
      const answer = (result: Record<string, unknown>) =>
        queueMicrotask(() => wire.onmessage({ id, result, sessionId }));
      const targetInfos = Object.keys(places).map((targetId) => ({
        targetId,
        type: "page",
        url: "https://a/",
      }));
      if (method === "Target.getTargets") answer({ targetInfos });
      if (method === "Target.attachToTarget") answer({ sessionId: params!.targetId });
      if (method === "Page.createIsolatedWorld") answer({ executionContextId: 1 });
      const value = places[sessionId ?? ""];
      if (method === "Runtime.evaluate" && value !== null) answer({ result: { value } });
    },
    close: ended.resolve,
  };
  return { browser: new Browser(() => Promise.resolve(wire)), sent };
}

async function order(places: Parameters<typeof aBrowser>[0]): Promise<string[]> {
  return (await aBrowser(places).browser.pages()).map(({ id }) => id);
}

Deno.test("one page is not asked anything", async () => {
  const { browser, sent } = aBrowser({ [A]: false });
  assert.equal((await browser.pages()).length, 1);
  assert.deepEqual(sent.map(({ method }) => method), ["Target.getTargets"]);
});

Deno.test("of several pages the one with the focus is the first, then the visible ones", async () => {
  assert.deepEqual(await order({ [A]: false, [B]: "visible", [C]: "focused" }), [C, B, A]);
});

Deno.test("a page that hangs is taken for the visible one when no other says that it is", async () => {
  assert.deepEqual(await order({ [A]: false, [B]: null, [C]: false }), [B, A, C]);
  assert.deepEqual(await order({ [A]: null, [B]: "visible", [C]: false }), [B, A, C]);
});

Deno.test("a browser that does not answer in time answers not", async () => {
  const silent = new Browser(() =>
    Promise.resolve({
      onmessage: () => {},
      ended: new Promise<void>(() => {}),
      send: () => {},
      close: () => {},
    })
  );
  assert.equal(await silent.answers(1), false);
  const away = new Browser(() => Promise.reject(new Error("the browser does not run")));
  assert.equal(await away.answers(1000), false);
  await assert.rejects(away.pages(), /does not run/);
});
