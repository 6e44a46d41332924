import { strict as assert } from "node:assert";
import { Deletions } from "../../../components/board/deletions.ts";

/** Deletions on a service that answers when told. */
function aPage() {
  const sent: string[] = [];
  const answers = new Map<string, PromiseWithResolvers<void>>();
  let hidden: string[] = [];
  const deletions = new Deletions({
    send(id) {
      sent.push(id);
      answers.set(id, Promise.withResolvers<void>());
      return answers.get(id)!.promise;
    },
    onchange: (ids) => hidden = [...ids],
  });
  return { deletions, sent, answers, hidden: () => hidden };
}

Deno.test("streams are hidden at once and sent later; Undo shows them, and nothing was sent", () => {
  const { deletions, sent, hidden } = aPage();
  deletions.hide(["a", "b"]);
  deletions.hide(["c"]);
  deletions.show(["a", "b"]);
  deletions.sendAll();
  assert.deepEqual([hidden(), sent], [["c"], ["c"]]);
});

Deno.test("what cannot be deleted is shown again, and told", async () => {
  const { deletions, answers, hidden } = aPage();
  deletions.hide(["a", "b"]);
  const failed = deletions.send(["a", "b"]);
  assert.deepEqual(hidden(), ["a", "b"], "until the service has answered");
  answers.get("a")!.resolve();
  answers.get("b")!.reject(new Error("The disk is full."));
  assert.deepEqual((await failed).map(({ item, error }) => [item, String(error)]), [[
    "b",
    "Error: The disk is full.",
  ]]);
  assert.deepEqual(hidden(), []);
});

Deno.test("three are sent at a time, and all that are left when the page is left: each once", async () => {
  const { deletions, sent, answers } = aPage();
  const ids = ["a", "b", "c", "d", "e"];
  deletions.hide(ids);
  const done = deletions.send(ids);
  assert.deepEqual(sent, ["a", "b", "c"]);
  deletions.sendAll();
  assert.deepEqual(sent, ids);
  for (const { resolve } of answers.values()) resolve();
  assert.deepEqual(await done, []);
  assert.deepEqual(sent, ids);
});
