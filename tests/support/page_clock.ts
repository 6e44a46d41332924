/** A page whose clock stands still until the test lets it go on (page.clock.runFor). */
import type { Page } from "playwright-core";

/** Stops a clock that was installed, some time from now: what was begun until then has happened. */
export async function stopClock(page: Page, aheadMs: number): Promise<void> {
  await page.clock.pauseAt(Date.now() + aheadMs);
}
