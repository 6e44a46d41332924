/** A stream's Chromium, as a test looks into it and as a person at its display uses it. */
import { join } from "node:path";
import { DevTools, pageTargets } from "../../lib/devtools/client.ts";
import { profileOf } from "./channel.ts";
import { DisplayHand } from "./rfb_keys.ts";
import { type TestService, until } from "./service.ts";

export class RemoteBrowser {
  readonly profile: string;
  readonly #vncSocket: string;

  constructor(service: TestService, id: string) {
    this.profile = profileOf(service, id);
    this.#vncSocket = join(service.runDir, "vnc", id, "rfb");
  }

  /** The addresses of all windows and tabs. */
  async addresses(): Promise<string[]> {
    return (await pageTargets(this.profile).catch(() => [])).map(({ url }) => url);
  }

  async untilOnlyPage(url: string, limitMs: number): Promise<void> {
    let seen: string[] = [];
    await until(`only ${url} to be open`, limitMs, async () => {
      seen = await this.addresses();
      return seen.length === 1 && seen[0] === url;
    }).catch((error) => {
      throw new Error(`${error.message}; it was ${JSON.stringify(seen)}`);
    });
  }

  /** Waits until the page takes keys: Chromium drops them while it loads one, though its address is shown already. */
  async untilTakesKeys(limitMs: number): Promise<void> {
    const ready = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
      done(document.readyState === "complete" && document.hasFocus()))))`;
    await until("the page to take keys", limitMs, async () => {
      await using page = await DevTools.connect(this.profile).catch(() => undefined);
      const params = { expression: ready, awaitPromise: true, returnByValue: true };
      const answer = await page?.send<{ result: { value: boolean } }>("Runtime.evaluate", params).catch(() =>
        null
      );
      return answer?.result.value;
    });
  }

  async evaluate<Value>(expression: string): Promise<Value> {
    await using page = await DevTools.connect(this.profile);
    return await page.evaluate<Value>(expression);
  }

  /** A person at the display, whom the service knows nothing of. */
  hand(): Promise<DisplayHand> {
    return DisplayHand.connect(this.#vncSocket);
  }
}
