/** Waits until no tab behind the page in front is heard, by the extension of lib/pipeline/front_sound.ts. */
import { type BrowserControl, readTarget } from "../../devtools/client.ts";
import type { Connection } from "../../devtools/connection.ts";
import { isFrontSoundWorker } from "../../pipeline/front_sound.ts";
import { happensWithin, sleep } from "../../system/time.ts";

/** The longest wait, in ms: a browser may be without the extension. */
const SILENT_MS = 1000;
const LOOK_MS = 50;

const ARE_SILENT = `chrome.tabs.query({ active: false, muted: false }).then(({ length }) => length === 0)`;

/** Resolves when the tabs behind are silent, or that takes too long. */
export async function untilSilentBehind(browser: BrowserControl): Promise<void> {
  const over = new AbortController();
  const silent = async () => {
    await using connection = await browser.open();
    while (!over.signal.aborted && !await areSilent(connection)) await sleep(LOOK_MS, over.signal);
  };
  await happensWithin(SILENT_MS, silent());
  over.abort();
}

/** Whether the extension's worker, which a new tab wakes, says so. */
async function areSilent(connection: Connection): Promise<boolean> {
  const { targetInfos } = await connection.send<{ targetInfos: unknown }>("Target.getTargets");
  if (!Array.isArray(targetInfos)) return false;
  const worker = targetInfos.find((one) => isFrontSoundWorker(Object(one)));
  if (worker === undefined) return false;
  const sessionId = await connection.attach(readTarget(worker).id, { onevent: () => {}, onend: () => {} });
  try {
    const params = { expression: ARE_SILENT, awaitPromise: true, returnByValue: true };
    const { result } = await connection.send<{ result: { value?: unknown } }>(
      "Runtime.evaluate",
      params,
      sessionId,
    );
    return result.value === true;
  } finally {
    // a worker that is looked at does not end
    await connection.send("Target.detachFromTarget", { sessionId });
  }
}
