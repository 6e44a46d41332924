/** What a page loads and when it paints. */
import type { Page, Response as PageResponse } from "playwright-core";

/** Watches the scripts a page loads from now on; their sizes as gzip sends them. */
export function loadedScripts(page: Page) {
  const responses: PageResponse[] = [];
  page.on("response", (response) => {
    if (new URL(response.url()).pathname.endsWith(".js")) responses.push(response);
  });
  return {
    sizes: () =>
      Promise.all(responses.map(async (response) => ({
        name: new URL(response.url()).pathname.split("/").at(-1)!,
        gzip: await gzipSize(await response.body()),
      }))),
  };
}

async function gzipSize(body: Uint8Array): Promise<number> {
  const packed = new Blob([new Uint8Array(body)]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(packed).arrayBuffer()).byteLength;
}

/** The paths that blocked rendering, and the milliseconds until the largest paint. */
export function paintTimes(page: Page): Promise<{ blocking: string[]; largest: number }> {
  return page.evaluate(async () => {
    const resources = performance.getEntriesByType(
      "resource",
    ) as (PerformanceResourceTiming & { renderBlockingStatus: string })[];
    const largest = await new Promise<number>((done) => {
      new PerformanceObserver((list) => done(list.getEntries().at(-1)!.startTime))
        .observe({ type: "largest-contentful-paint", buffered: true });
      setTimeout(() => done(-1), 5000);
    });
    return {
      blocking: resources.filter((it) => it.renderBlockingStatus === "blocking")
        .map((it) => new URL(it.name).pathname),
      largest,
    };
  });
}
