/** Pictures of the page of the past for people to look at: of a dashboard's day, in three sizes and both themes. */
import { runBytes } from "../../lib/machine/os/process.ts";
import { SIZES } from "../support/browser.ts";
import { takePicture } from "../support/pictures.ts";
import { recordDashboard } from "../support/recorded_dashboard.ts";
import { RewindPage } from "../support/rewind_page.ts";
import { same } from "../support/same.ts";
import { inSoak } from "../support/soak.ts";
import { uiTest } from "../support/ui.ts";

const TV = "Mozilla/5.0 (SMART-TV; Tizen 6.0)";

inSoak(uiTest)(
  "the page of a dashboard's past, for people to look at",
  async ({ app, url, browser, open }) => {
    const now = Math.floor(app.machine.now() / 1000);
    await recordDashboard(app, browser, now, "line-3");
    app.machine.runBytes = runBytes;
    for (const colorScheme of ["dark", "light"] as const) {
      for (const [size, viewport] of Object.entries(SIZES)) {
        const isPhone = size === "phone";
        const userAgent = size === "tv" ? TV : undefined;
        const { page } = await open({
          viewport,
          colorScheme,
          isMobile: isPhone,
          hasTouch: isPhone,
          userAgent,
        });
        const rewind = new RewindPage(page, url);
        const sheet = page.waitForResponse((answer) => answer.url().includes("step=600"));
        await rewind.open(now - 4 * 3600, "line-3");
        await takePicture(page, `rewind-hour-${size}-${colorScheme}`);
        await page.getByRole("button", { name: "24 h" }).click();
        await (await sheet).finished();
        await page.getByRole("button", { name: "What changed" }).click();
        const { x, y, width } = (await rewind.bar.boundingBox())!;
        await page.mouse.move(x + width * 0.6, y + 20);
        await same(() => page.locator(".rewind-tip canvas:not([hidden])").count(), 1);
        await takePicture(page, `rewind-day-${size}-${colorScheme}`);
        await page.context().close();
      }
    }
  },
  { streams: [{ name: "Line 3", desiredState: "running" }] },
);
