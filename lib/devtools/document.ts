/** The document that a page shows, as the browser itself says, and a place for our code that its scripts do not reach. */
import type { DevTools } from "./client.ts";

export interface PageDocument {
  frameId: string;
  /** Another one for each document that is loaded. */
  loaderId: string;
  /** "null", or an address without a path, such as "https://grafana.example.org". */
  origin: string;
  /** The address that this page of the browser's own stands for, or null: an error, or behind a dialog about a login. */
  unreachable: string | null;
}

/** The main frame's document. */
export async function documentOf(page: DevTools): Promise<PageDocument> {
  interface Tree {
    frameTree: { frame: { id: string; loaderId: string; securityOrigin: string; unreachableUrl?: string } };
  }
  const { frameTree: { frame } } = await page.send<Tree>("Page.getFrameTree");
  // the browser adds a slash or a default port to some; "://" stands for origins that nobody shares
  const origin = URL.canParse(frame.securityOrigin) ? new URL(frame.securityOrigin).origin : "null";
  return { frameId: frame.id, loaderId: frame.loaderId, origin, unreachable: frame.unreachableUrl ?? null };
}

export function isSameDocument(one: PageDocument, other: PageDocument): boolean {
  return one.frameId === other.frameId && one.loaderId === other.loaderId && one.origin === other.origin;
}

/**
 * A new isolated world in a document; its id is no other document's, of no process of the browser.
 * @throws {Error} when the page has moved on.
 */
export async function isolatedWorld(page: DevTools, { frameId }: PageDocument): Promise<string> {
  const ids = new Map<number, string>();
  const unlisten = page.listen((method, { context }) => {
    if (method !== "Runtime.executionContextCreated") return;
    const { id, uniqueId } = context as { id: number; uniqueId: string };
    ids.set(id, uniqueId);
  });
  try {
    await page.send("Runtime.enable");
    const world = { frameId, worldName: "browser-stream", grantUniveralAccess: false };
    const { executionContextId } = await page.send<{ executionContextId: number }>(
      "Page.createIsolatedWorld",
      world,
    );
    const unique = ids.get(executionContextId);
    if (unique === undefined) throw new Error("the page moved on");
    return unique;
  } finally {
    unlisten();
    // else every message that the page writes to its console would come here
    await page.send("Runtime.disable").catch(() => {});
  }
}

/** Evaluates in an isolated world of a frame's document; resolves to what comes of it, promises included. */
export type WorldEvaluator = (expression: string) => Promise<unknown>;

/**
 * An isolated world of a page whose Page domain is enabled. What is evaluated there may be of the next document by then:
 * for secrets there is `isolatedWorld`. @throws {Error} when the page does not answer, or moves on.
 */
export async function worldOf(page: DevTools, frameId: string, worldName: string): Promise<WorldEvaluator> {
  const { executionContextId: contextId } = await page.send<{ executionContextId: number }>(
    "Page.createIsolatedWorld",
    { frameId, worldName },
  );
  return async (expression) => {
    const params = { expression, contextId, returnByValue: true, awaitPromise: true };
    return (await page.send<{ result: { value?: unknown } }>("Runtime.evaluate", params)).result.value;
  };
}

/**
 * Runs a script in an isolated world of each document that is opened from now on, as long as the connection lasts.
 * @returns what ends it before.
 */
export async function inEachDocument(
  page: DevTools,
  worldName: string,
  source: string,
): Promise<() => Promise<void>> {
  const script = await page.send("Page.addScriptToEvaluateOnNewDocument", { source, worldName });
  const { identifier } = Object(script) as { identifier?: string };
  return () => page.send("Page.removeScriptToEvaluateOnNewDocument", { identifier });
}
