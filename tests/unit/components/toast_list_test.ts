import { strict as assert } from "node:assert";
import { ToastList } from "../../../components/ui/toastList.ts";

/** A list whose time passes when told. */
function aList() {
  let now = 0;
  const timers = new Map<() => void, number>();
  const said: string[] = [];
  let texts: string[] = [];
  const list = new ToastList((ms, call) => {
    timers.set(call, now + ms);
    return () => timers.delete(call);
  }, (toasts) => texts = toasts.map(({ text }) => text));
  const advance = (ms: number) => {
    now += ms;
    for (const [call, at] of [...timers]) if (at <= now && timers.delete(call)) call();
  };
  const action = (name: string) => ({
    undo: () => said.push(`${name} undone`),
    end: () => said.push(`${name} done`),
  });
  return { list, advance, action, said, texts: () => texts };
}

Deno.test("a line stays for 5 s, one with Undo for 10 s; then its action is final", () => {
  const { list, advance, action, said, texts } = aList();
  list.show("Deleted", action("delete"));
  list.show("Saved");
  list.show("Saved again");
  assert.deepEqual(texts(), ["Deleted", "Saved again"], "a line without Undo takes the last one's place");
  advance(5000);
  assert.deepEqual([texts(), said], [["Deleted"], []]);
  advance(4999);
  assert.deepEqual(said, []);
  advance(1);
  assert.deepEqual([texts(), said], [[], ["delete done"]]);
  assert.equal(list.undo(), false, "it is too late");
});

Deno.test("Undo takes back the last action that can be, once", () => {
  const { list, advance, action, said, texts } = aList();
  list.show("First", action("first"));
  list.show("Second", action("second"));
  list.show("Saved");
  assert.equal(list.undo(), true);
  assert.deepEqual([texts(), said], [["First", "Saved"], ["second undone"]]);
  advance(60_000);
  assert.deepEqual(said, ["second undone", "first done"]);
});

Deno.test("lines wait while somebody points at them, and are final when the page is left", () => {
  const { list, advance, action, said } = aList();
  list.show("First", action("first"));
  advance(9000);
  list.hold(true);
  list.show("Second", action("second"));
  advance(60_000);
  assert.deepEqual(said, []);
  list.hold(false);
  advance(9999);
  assert.deepEqual(said, []);
  list.endAll();
  assert.deepEqual(said, ["first done", "second done"]);
  list.show("Third", action("third"));
  advance(10_000);
  assert.deepEqual(said.at(-1), "third done");
});

Deno.test("the pointer that held a line that is gone holds no other", () => {
  const { list, advance, action, said } = aList();
  list.show("First", action("first"));
  list.hold(true);
  list.undo();
  list.show("Second", action("second"));
  advance(10_000);
  assert.deepEqual(said, ["first undone", "second done"]);
});
