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
