/**
 * Shows PDFs as a screen should, without the viewer's toolbar: at an address of its own a PDF's pages in turn, in a
 * page's frame a whole page. The functions run in documents, in the world of media_page.ts; each stands by itself.
 */

/** The number of a PDF's pages. */
export async function countPages(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  const MOST_TEXT = 32 * 1024 * 1024;
  async function unpacked(packed: Uint8Array<ArrayBuffer>): Promise<string> {
    const decoder = new TextDecoder("latin1");
    const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
    let found = "";
    for (let part = await reader.read(); !part.done && found.length < MOST_TEXT; part = await reader.read()) {
      found += decoder.decode(part.value);
    }
    await reader.cancel();
    return found;
  }

  /** The texts of its objects, also from compressed streams. */
  async function* objects(): AsyncGenerator<string> {
    const text = new TextDecoder("latin1").decode(bytes);
    yield text;
    for (const { 0: { length }, index } of text.matchAll(/\/Type\s*\/ObjStm\b[^]{0,300}?stream\r?\n/g)) {
      const from = index + length, end = text.indexOf("endstream", from);
      // before that word is a line break, as a rule; neither this nor an encrypted block can be unpacked
      for (const to of [end - 1, end - 2, end]) {
        const found = await unpacked(bytes.subarray(from, to)).catch(() => "");
        if (found === "") continue;
        yield found;
        break;
      }
    }
  }

  const withoutDictionaries = (text: string): string => {
    const left = text.replace(/<<(?:(?!<<|>>)[^])*>>/g, " ");
    return left === text ? text : withoutDictionaries(left);
  };
  /** The dictionary around a place of a text, without those in it. */
  const dictionaryAt = (text: string, place: number): string => {
    const MOST = 64 * 1024; // it may list all pages
    const before = withoutDictionaries(text.slice(Math.max(0, place - MOST), place));
    const after = withoutDictionaries(text.slice(place, place + MOST));
    return before.slice(before.lastIndexOf("<<")) + after.slice(0, after.indexOf(">>"));
  };

  let most = 0, single = 0, isCounted = true;
  for await (const text of objects()) {
    single += text.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    for (const { index } of text.matchAll(/\/Type\s*\/Pages\b/g)) {
      // "9 0 R" is another object's number
      const count = /\/Count\s+(\d+)(?!\d|\s+\d+\s+R\b)/.exec(dictionaryAt(text, index));
      if (count) most = Math.max(most, Number(count[1]));
      else isCounted = false;
    }
  }
  // pages of earlier versions may still be in the file
  return Math.max(1, isCounted && most > 0 ? most : Math.max(most, single));
}

/** In each document that is a PDF. @param pageSeconds the seconds for a page. */
export function showPdf(pageSeconds: number, count: typeof countPages): void {
  const address = location.href.replace(/#.*/, "");
  const DRAW_MS = 3000;
  const BARE = "toolbar=0&navpanes=0";

  const viewer = (source: string, options: string) => {
    const embed = document.createElement("embed");
    embed.type = "application/pdf";
    embed.src = `${source}#${options}`;
    embed.style.cssText = "position: fixed; inset: 0; width: 100vw; height: 100vh; border: 0";
    return embed;
  };

  async function show(): Promise<void> {
    const isFramed = self !== top;
    // Chromium's own viewer fits one page to its width, and zooms all content of the tab with it: our page would be smaller
    // by as much. With a fit in the address that it was loaded from, it leaves the tab's zoom alone
    if (!isFramed && !location.hash.includes("zoom=100")) {
      history.replaceState(history.state, "", "#zoom=100");
      return location.reload();
    }
    // the author of a frame may have said how it is shown, and so have we for our own viewers
    if (isFramed && location.hash !== "") return;
    const answer = await fetch(address);
    if (!answer.ok) return;
    // a viewer is a frame, which the server may refuse
    const rules = `${answer.headers.get("x-frame-options")} ${answer.headers.get("content-security-policy")}`;
    const file = /DENY|SAMEORIGIN|frame-ancestors/i.test(rules) ? await answer.blob() : null;
    const source = file ? URL.createObjectURL(file) : address;
    if (isFramed) {
      if (!file) await answer.body?.cancel();
      return document.body.replaceChildren(viewer(source, `${BARE}&view=Fit`));
    }
    const open = (page: number) => viewer(source, `${BARE}&scrollbar=0&view=Fit&page=${page}`);
    let shown = open(1);
    document.body.replaceChildren(shown);
    const pages = await count(new Uint8Array(await (file ?? answer).arrayBuffer()));
    if (pages < 2) return;
    // the next page is drawn behind the visible one
    for (let page = 2;; page = page % pages + 1) {
      await new Promise((done) => setTimeout(done, Math.max(pageSeconds * 1000, 2 * DRAW_MS) - DRAW_MS));
      const next = open(page);
      document.body.prepend(next); // a later element lies above
      await new Promise((done) => setTimeout(done, DRAW_MS));
      shown.remove();
      shown = next;
    }
  }

  document.addEventListener("DOMContentLoaded", () => void show().catch(() => {}));
}

/** In each document: asks for the bare viewer in frames of other sites, whose documents our scripts do not reach. */
export function barePdfs(): void {
  const FRAMES = "iframe, embed, object";
  const bare = (frame: Element) => {
    const name = frame.localName === "object" ? "data" : "src";
    const address = frame.getAttribute(name);
    const url = address ? URL.parse(address, document.baseURI) : null;
    const isPdf = frame.getAttribute("type") === "application/pdf" || /\.pdf$/i.test(url?.pathname ?? "");
    if (!url || !isPdf || url.origin === location.origin || url.hash !== "") return;
    url.hash = "toolbar=0&navpanes=0&view=Fit";
    frame.setAttribute(name, url.href);
  };
  new MutationObserver((records) => {
    for (const { target, addedNodes } of records) {
      for (const node of [target, ...addedNodes]) {
        if (!(node instanceof Element)) continue;
        if (node.matches(FRAMES)) bare(node);
        if (node !== target) node.querySelectorAll(FRAMES).forEach(bare);
      }
    }
  }).observe(document, { childList: true, subtree: true, attributeFilter: ["src", "data"] });
}
