/** The document of a page, as the browser itself says, and a place for our code out of reach of the page's scripts. */
import type { DevTools } from "./client.ts";

export interface PageDocument {
  frameId: string;
  /** A new id for each document that is loaded. */
  loaderId: string;
  /** "null", or an address without a path, such as "https://grafana.example.org". */
  origin: string;
  /** The address that the browser's own page stands for: an error, or behind a login dialog. Null: another page. */
  unreachable: string | null;
}

/** The main frame's document. */
export async function documentOf(page: DevTools): Promise<PageDocument> {
  interface Tree {
    frameTree: { frame: { id: string; loaderId: string; securityOrigin: string; unreachableUrl?: string } };
  }
  const { frameTree: { frame } } = await page.send<Tree>("Page.getFrameTree");
  // the browser adds a slash or a default port to some origins; "://" stands for an origin that no page shares
  const origin = URL.canParse(frame.securityOrigin) ? new URL(frame.securityOrigin).origin : "null";
  return { frameId: frame.id, loaderId: frame.loaderId, origin, unreachable: frame.unreachableUrl ?? null };
}

export function isSameDocument(one: PageDocument, other: PageDocument): boolean {
  return one.frameId === other.frameId && one.loaderId === other.loaderId && one.origin === other.origin;
}

/** The name of the worlds, how many contexts of that name are looked at, and the longest id of one. */
const WORLD = "browser-stream";
const MAX_CONTEXTS = 100;
const MAX_ID = 100;

/**
 * A new isolated world in a document; no other document in any process of the browser has the world's id.
 * @throws {Error} when the page has moved on.
 */
export async function isolatedWorld(page: DevTools, { frameId }: PageDocument): Promise<string> {
  const ids = new Map<number, string>();
  const unlisten = page.listen((method, { context }) => {
    if (method !== "Runtime.executionContextCreated") return;
    const { id, uniqueId, name } = Object(context) as Record<string, unknown>;
    if (name !== WORLD || ids.size >= MAX_CONTEXTS || typeof id !== "number") return;
    if (typeof uniqueId === "string" && uniqueId.length <= MAX_ID) ids.set(id, uniqueId);
  });
  try {
    await page.send("Runtime.enable");
    const world = { frameId, worldName: WORLD, grantUniveralAccess: false };
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

/** Evaluates an expression in a frame document's isolated world; resolves to its value, or to its promise's value. */
export type WorldEvaluator = (expression: string) => Promise<unknown>;

/**
 * An isolated world of a page whose Page domain is enabled. An expression may meet the next document there:
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

/** Runs a script in an isolated world of each document that is opened from now on, as long as the connection lasts. */
export async function inEachDocument(page: DevTools, worldName: string, source: string): Promise<void> {
  await page.send("Page.addScriptToEvaluateOnNewDocument", { source, worldName });
}
