import assert from "node:assert/strict";
import { FRONT_SOUND } from "../../../lib/browser/front_sound.ts";

/** Two tabs, the first in front, and what Chromium gives the extension's worker of them: each answer takes some turns. */
function twoTabs() {
  const tabs = [1, 2].map((id) => ({ id, active: id === 1, mutedInfo: { muted: false } }));
  const listeners = new Map<string, () => unknown>();
  const events = (...names: string[]) =>
    Object.fromEntries(
      names.map((
        name,
      ) => [name, { addListener: (listener: () => unknown) => listeners.set(name, listener) }]),
    );
  const answer = async <T>(value: () => T): Promise<T> => {
    await turns(2);
    const answered = structuredClone(value());
    await turns(2);
    return answered;
  };
  const chrome = {
    runtime: events("onInstalled", "onStartup"),
    tabs: {
      ...events("onActivated", "onCreated", "onReplaced"),
      query: () => answer(() => tabs),
      get: (id: number) => answer(() => tabs[id - 1]),
      update: (id: number, { muted }: { muted: boolean }) =>
        answer(() => void (tabs[id - 1].mutedInfo.muted = muted)),
    },
  };
  const worker = FRONT_SOUND["front_sound.js"];
  new Function("chrome", worker)(chrome);
  return { tabs, tell: (name: string) => void listeners.get(name)!() };
}

async function turns(count: number): Promise<void> {
  for (; count > 0; count--) await Promise.resolve();
}

Deno.test("the tab in front alone is heard, whenever it comes to the front while the worker is at work", async () => {
  const wrong: string[] = [];
  for (let after = 0; after < 40; after++) {
    const { tabs, tell } = twoTabs();
    tell("onCreated");
    await turns(after);
    for (const tab of tabs) tab.active = tab.id === 2;
    tell("onActivated");
    await turns(200);
    const muted = tabs.map(({ mutedInfo }) => mutedInfo.muted);
    if (`${muted}` !== "true,false") wrong.push(`after ${after} turns: ${muted}`);
  }
  assert.deepEqual(wrong, []);
});
