import { strict as assert } from "node:assert";
import { Deletions, requestsFor, type Undeleted } from "../../../components/board/deletions.ts";

/** Deletions on a service that answers when told; a request's name is its ids. */
function aPage() {
  const sent: string[] = [];
  const answers = new Map<string, PromiseWithResolvers<Undeleted[]>>();
  let hidden: string[] = [];
  const deletions = new Deletions({
    send(ids) {
      sent.push(ids.join());
      answers.set(ids.join(), Promise.withResolvers());
      return answers.get(ids.join())!.promise;
    },
    onchange: (ids) => hidden = [...ids],
  });
  return { deletions, sent, answers, hidden: () => hidden };
}

/** Lets what has been answered go on. */
const soon = () =>
  new Promise<void>((done) => queueMicrotask(() => queueMicrotask(() => queueMicrotask(done))));

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
  const failed = deletions.send([["a", "b"]]);
  assert.deepEqual(hidden(), ["a", "b"], "until the service has answered");
  answers.get("a,b")!.resolve([{ id: "b", problem: "The disk is full." }]);
  assert.deepEqual(await failed, [{ id: "b", problem: "The disk is full." }]);
  assert.deepEqual(hidden(), []);
});

Deno.test("one request is sent after the other, and all that are left when the page is left: each stream once", async () => {
  const { deletions, sent, answers } = aPage();
  deletions.hide(["a", "b", "c", "d", "e"]);
  const told: number[] = [];
  const done = deletions.send([["a", "b"], ["c", "d"], ["e"]], (count) => told.push(count));
  assert.deepEqual(sent, ["a,b"]);
  answers.get("a,b")!.resolve([]);
  while (sent.length < 2) await soon();
  deletions.sendAll();
  assert.deepEqual(sent, ["a,b", "c,d", "e"]);
  for (const { resolve } of answers.values()) resolve([]);
  assert.deepEqual([await done, sent, told], [[], ["a,b", "c,d", "e"], [0, 2, 4]]);
});

Deno.test("stopped streams go by thirty, running ones by three, which take seconds each", () => {
  const streams = Array.from({ length: 70 }, (_, at) => ({
    id: `s${at}`,
    desiredState: at % 10 === 0 ? "running" : "stopped",
  }));
  const requests = requestsFor(streams);
  assert.deepEqual(requests.map(({ length }) => length), [30, 30, 3, 3, 3, 1]);
  assert.deepEqual(new Set(requests.flat()), new Set(streams.map(({ id }) => id)));
  assert.deepEqual(requests[3], ["s0", "s10", "s20"]);
});
