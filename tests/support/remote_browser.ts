/** A stream's Chromium, as a test looks into it and as a person at its display uses it. */
import { join } from "node:path";
import type { Browser, DevTools } from "../../lib/browser/client.ts";
import { browserAt } from "../../lib/browser/hub_socket.ts";
import { DisplayHand } from "./rfb_keys.ts";
import { until } from "./same.ts";
import { type TestService } from "./service.ts";

export class RemoteBrowser {
  readonly control: Browser;
  readonly #vncSocket: string;

  constructor(service: TestService, id: string) {
    this.control = browserAt(join(service.runDir, "hubs", id, "ws"));
    this.#vncSocket = join(service.runDir, "vnc", id, "rfb");
  }

  /** The addresses of all windows and tabs. */
  async addresses(): Promise<string[]> {
    return (await this.control.pages().catch(() => [])).map(({ url }) => url);
  }

  async untilOnlyPage(url: string): Promise<void> {
    let seen: string[] = [];
    await until(`only ${url} to be open`, async () => {
      seen = await this.addresses();
      return seen.length === 1 && seen[0] === url;
    }).catch((error) => {
      throw new Error(`${error.message}; it was ${JSON.stringify(seen)}`);
    });
  }

  /** Waits until the page takes keys: Chromium drops them while it loads one, though its address is shown already. */
  async untilTakesKeys(): Promise<void> {
    const ready = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
      done(document.readyState === "complete" && document.hasFocus()))))`;
    await until("the page to take keys", async () => {
      await using page = await this.control.connectFirst().catch(() => undefined);
      return await page?.evaluate<boolean>(ready, { awaitPromise: true }).catch(() => false);
    });
  }

  /** The first page, as soon as the browser can be reached: it may be about to be replaced. */
  async page(): Promise<DevTools> {
    return await until("the browser's first page", () => this.control.connectFirst());
  }

  async evaluate<Value>(expression: string): Promise<Value> {
    await using page = await this.page();
    return await page.evaluate<Value>(expression);
  }

  /** A person at the display, whom the service knows nothing of. */
  hand(): Promise<DisplayHand> {
    return DisplayHand.connect(this.#vncSocket);
  }
}
