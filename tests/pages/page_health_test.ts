/** What a card says of a page that is not shown, and what can be done there. */
import { strict as assert } from "node:assert";
import { assertAccessible } from "../support/axe.ts";
import type { PageFinding } from "../../lib/live/page/history.ts";
import { streamId } from "../../lib/model/id.ts";
import { same } from "../support/same.ts";
import { type UiTest, uiTest } from "../support/ui.ts";

const RUNNING = [{ name: "Clock", desiredState: "running" }];
const FINGERPRINT = "a1".repeat(32);

async function isFound({ app, dashboard }: UiTest, finding: Partial<PageFinding>): Promise<void> {
  await dashboard.open();
  await dashboard.untilState("Clock", "running");
  const before = { state: "ok" as const, status: null, error: null, nextTryAt: null };
  app.service.fleet.get(streamId("clock")).page!.health.find({ ...before, ...finding });
  await dashboard.poll();
  await dashboard.untilState("Clock", "degraded");
}

uiTest(
  "a page that is not shown: the card says why, when it is tried again, and leads to its address",
  async (ui) => {
    const { page, dashboard, app, layoutShift } = ui;
    const card = dashboard.card("Clock");
    const nextTryAt = app.machine.elapsed() + 40_500;
    await isFound(ui, { state: "timeout", nextTryAt });
    await card.getByText("The page's server does not answer.").waitFor();
    await card.getByText(/^Next try in (40|3\d) s$/).waitFor();
    await page.locator(".counts", { hasText: "1 degraded" }).waitFor();
    // the clock of the next try runs in its place
    const before = await layoutShift();
    const later = { state: "timeout" as const, status: null, error: null, nextTryAt: nextTryAt - 35_000 };
    app.service.fleet.get(streamId("clock")).page!.health.find(later);
    await dashboard.poll();
    await card.getByText(/^Next try in \d s$|^Trying again now$/).waitFor();
    assert.equal(await layoutShift(), before);
    await card.getByRole("button", { name: "Edit address" }).click();
    await same(() => dashboard.isFocused(dashboard.field("Page address")), true);
  },
  { streams: RUNNING, env: { TIMINGS: '{"statusCacheMs":1}' } },
);

uiTest("a certificate is shown before it is accepted, for this stream", async (ui) => {
  const { dashboard, app } = ui;
  const certificate = {
    fingerprint: FINGERPRINT,
    subject: "nas <b>",
    issuer: "nas",
    validFrom: Date.UTC(2026, 0, 31),
    validTo: Date.UTC(2036, 0, 31),
  };
  const dialog = dashboard.dialog("Accept this certificate?");
  await isFound(ui, { state: "certificate-issuer", error: "ERR_CERT_AUTHORITY_INVALID", certificate });
  await dashboard.card("Clock").getByRole("button", { name: "Accept certificate" }).click();
  for (const text of ["nas <b>", "2026-01-31 to 2036-01-31", "A1:A1:A1:A1"]) {
    await dialog.getByText(text).first().waitFor();
  }
  await dialog.getByRole("button", { name: "Accept", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  const { json } = await app.api("GET", "/api/streams/clock");
  assert.equal(json.acceptedCertificates, FINGERPRINT);
}, { streams: RUNNING, env: { TIMINGS: '{"statusCacheMs":1}' } });

for (const state of ["needs-login", "signed-out", "login-failed"] as const) {
  uiTest(`a sign-in is asked for on the card, in place: ${state}`, async (ui) => {
    const { page, dashboard, app } = ui;
    await isFound(ui, { state, status: state === "needs-login" ? 401 : 200, error: "wrong password" });
    const card = dashboard.card("Clock");
    await card.getByRole("button", { name: "Set login" }).click();
    await card.getByLabel("User name for Clock").and(page.locator(":focus")).waitFor();
    // "m" is a key of the board elsewhere
    await page.keyboard.type("m/ópsß");
    await page.keyboard.press("Tab");
    await page.keyboard.type(" s€same ");
    await assertAccessible(page, "a card that asks for a login");
    await dashboard.screenshot(`card-login-${state}-desktop`);
    await same(() => dashboard.spills(), []);
    await page.keyboard.press("Enter");
    await page.getByText("Clock signs in with this login.").waitFor();
    const { user, pass } = app.service.fleet.get(streamId("clock")).stream!;
    assert.deepEqual([user, pass], ["m/ópsß", " s€same "]);
    await same(() => page.evaluate(() => document.activeElement?.id), "stream-clock");
    // the next time, the name is there
    await card.getByRole("button", { name: "Set login" }).click();
    await card.getByLabel("Password for Clock").and(page.locator(":focus")).waitFor();
    await same(() => card.getByLabel("User name for Clock").inputValue(), "m/ópsß");
    await same(() => card.getByLabel("Password for Clock").inputValue(), "", "it never comes back");
    await page.keyboard.press("Escape");
    await card.getByRole("button", { name: "Set login" }).waitFor();
  }, { streams: RUNNING, env: { TIMINGS: '{"statusCacheMs":1}' } });
}

uiTest("a login that cannot be stored is told on the card, and stays typed", async (ui) => {
  const { page, dashboard } = ui;
  await isFound(ui, { state: "needs-login", status: 401 });
  const card = dashboard.card("Clock");
  await page.route("**/api/streams/clock", (route) => route.abort());
  await card.getByRole("button", { name: "Set login" }).click();
  await card.getByLabel("User name for Clock").and(page.locator(":focus")).waitFor();
  await page.keyboard.type("ops");
  await page.keyboard.press("Enter");
  await card.getByRole("alert").getByText(/^The service cannot be reached/).waitFor();
  await same(() => card.getByLabel("User name for Clock").inputValue(), "ops");
}, { streams: RUNNING, env: { TIMINGS: '{"statusCacheMs":1}' }, mayLog: /ERR_FAILED/ });

uiTest("a small card has no room for a login: its form does", async (ui) => {
  const { dashboard } = ui;
  await isFound(ui, { state: "needs-login", status: 401 });
  await dashboard.chooseSize("Small");
  await dashboard.card("Clock").getByRole("button", { name: "Set login" }).click();
  await same(() => dashboard.isFocused(dashboard.field("User name")), true);
}, { streams: RUNNING, env: { TIMINGS: '{"statusCacheMs":1}' } });

uiTest(
  `a page that is right with its status is shown anyway, by one click`,
  async (ui) => {
    const { dashboard, app, page } = ui;
    await isFound(ui, { state: "not-found", status: 404 });
    const card = dashboard.card("Clock");
    await card.getByText("There is no page at this address (404).").waitFor();
    await card.getByRole("button", { name: "Show it anyway" }).click();
    await page.getByText(`Clock is shown with status 404.`).waitFor();
    const { json } = await app.api("GET", "/api/streams/clock");
    assert.equal(json.acceptedStatuses, "404");
  },
  { streams: RUNNING, env: { TIMINGS: '{"statusCacheMs":1}' } },
);

uiTest("a proxy that does not lead to the page: the card leads to the stream's own", async (ui) => {
  const { dashboard, page } = ui;
  await isFound(ui, { state: "proxy", error: "ERR_PROXY_CONNECTION_FAILED" });
  const card = dashboard.card("Clock");
  await card.getByText("The proxy does not lead to the page (ERR_PROXY_CONNECTION_FAILED).").waitFor();
  await card.getByRole("button", { name: "Edit proxy" }).click();
  const field = dashboard.field("Proxy");
  await same(() => dashboard.isFocused(field), true);
  await field.fill("http://me:secret@proxy:1");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/It must be without a login/).first().waitFor();
}, { streams: RUNNING, env: { TIMINGS: '{"statusCacheMs":1}' } });
