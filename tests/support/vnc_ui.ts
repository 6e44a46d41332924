/** Tests of /vnc/{id} in a viewer's browser, before a display that is pretended. */
import type { Page } from "playwright-core";
import { SIZES } from "./browser.ts";
import { type FakeRfb, fakeRfb } from "./fake_rfb.ts";
import { until } from "./same.ts";
import { runUi, type UiOptions, type UiTest } from "./ui.ts";
import { BEFORE_CLICK, VncPage } from "./vnc_page.ts";

export interface VncUi extends UiTest {
  remote: FakeRfb;
  vnc: VncPage;
}

export const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

export const PHONE = { viewport: SIZES.phone, hasTouch: true, isMobile: true };

/** Opens a phone's keyboard over the remote page's field. */
export async function openKeyboard({ page, vnc }: Pick<VncUi, "page" | "vnc">) {
  await vnc.focusField("tap");
  await vnc.wake();
  await vnc.tool("Keyboard").tap();
  const isOpen = async () => await vnc.tool("Keyboard").getAttribute("aria-pressed") === "true";
  await until("the keyboard to be told as open", isOpen);
  return { field: page.getByLabel("Text for the remote page"), isOpen };
}

/** A test in a stream's VNC page, which is connected to the fresh remote page. */
export function vncTest(name: string, test: (ui: VncUi) => Promise<void>, options: UiOptions = {}): void {
  Deno.test(name, async () => {
    await using remote = fakeRfb();
    const run = async (ui: UiTest) => {
      const vnc = new VncPage(ui.page, remote);
      await ui.page.goto(`${ui.url}/vnc/remote`);
      await vnc.untilPhase("connected");
      await vnc.untilColour(BEFORE_CLICK);
      await test({ ...ui, remote, vnc });
    };
    await runUi(run, {
      streams: [{ name: "Remote", desiredState: "running" }],
      // it is in this process, and waited for however busy that is
      env: { VNC_PROXY_PORT: String(remote.port), TIMINGS: JSON.stringify({ hls: { answerMs: 60_000 } }) },
      ...options,
    });
  });
}

/** The clipboard of the viewer's own machine. */
export function readClipboard(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}
