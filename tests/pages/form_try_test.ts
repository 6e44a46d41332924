/** "Try it": a page is looked at before it is saved. */
import { strict as assert } from "node:assert";
import { assertAccessible } from "../support/axe.ts";
import { formTest } from "../support/form_ui.ts";
import { JPEG } from "../support/machine.ts";
import { same } from "../support/same.ts";

const TRIED = {
  url: "http://grafana.local:3000/d/abc",
  title: "Network overview",
  status: 200,
  problem: null,
  media: null,
  login: "form",
  certificate: null,
  picture: JPEG.toBase64(),
  leftOut: [],
};

/** A page that does not open while somebody waits. */
const untilLeft = (_: unknown, { signal }: { signal: AbortSignal }) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

formTest("Enter tries an address, and the title is the name; a second Enter adds the stream", async (ui) => {
  const { page, app, form, dashboard } = ui;
  const asked: { url: string; asker: string }[] = [];
  const opened = Promise.withResolvers<void>();
  app.service.trial.tryPage = async (body) => {
    asked.push(body as typeof asked[number]);
    await opened.promise;
    return TRIED as never;
  };
  await form.add();
  await same(() => form.hasFocus("Page address"), true);
  await page.keyboard.type("grafana.local:3000/d/abc");
  await dashboard.press("Enter");
  await form.button("Stop trying").waitFor();
  await dashboard.screenshot("form-trying-desktop");
  opened.resolve();
  await form.dialog.getByText("The page asks for a login in a form.").waitFor();
  await form.dialog.getByText("The page opens (200).").waitFor();
  assert.equal(asked.length, 1);
  const { asker, ...body } = asked[0];
  assert.deepEqual(body, { url: "http://grafana.local:3000/d/abc" });
  assert.match(asker, /^\w+(-\w+){3}$/);
  const picture = form.dialog.getByRole("img", { name: `What ${TRIED.url} looks like` });
  await same(
    () => picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth > 0)),
    true,
  );
  await same(() => form.field("Name").inputValue(), "Network overview");
  await dashboard.screenshot("form-tried-desktop");
  await page.setViewportSize({ width: 390, height: 844 });
  await dashboard.screenshot("form-tried-phone");
  await page.setViewportSize({ width: 1920, height: 1080 });
  await dashboard.screenshot("form-tried-tv");
  await assertAccessible(page, "the form with a tried page", "dialog#add");
  assert.deepEqual((await app.api("GET", "/api/streams")).json.length, 1, "nothing is saved");

  // a full HD picture is one choice, and other spellings of a size are understood
  await form.dialog.getByText("1080p", { exact: true }).click();
  await form.unfold("Encoder");
  await same(() => form.field("Bit rate").inputValue(), "3000k");
  await form.field("Picture, pixels").fill("1280 × 720");
  await form.dialog.getByRole("radio", { name: /^Other/ }).first().and(page.locator(":checked")).waitFor();
  await form.field("Picture, pixels").fill("1080p");
  await form.field("Browser window, pixels").focus();
  await same(() => form.field("Picture, pixels").inputValue(), "1920x1080");
  await form.dialog.getByRole("radio", { name: /^1080p/ }).and(page.locator(":checked")).waitFor();
  await form.field("Page address").press("Enter");
  await form.gone();
  const { name, url, resolution, scale, fps, bitrate } = (await app.api("GET", "/api/streams")).json.at(-1);
  assert.deepEqual(
    [name, url, resolution, scale, fps, bitrate],
    ["Network overview", TRIED.url, "1920x1080", "1920x1080", 10, "3000k"],
  );
});

formTest(
  "Enter during the try adds the stream under its host, whose page's title will name it",
  async (ui) => {
    const { page, app, form, dashboard } = ui;
    app.service.trial.tryPage = untilLeft;
    await form.add();
    await page.keyboard.type("grafana.local:3000/d/abc");
    await dashboard.press("Enter");
    await form.button("Stop trying").waitFor();
    await dashboard.press("Enter");
    await form.gone();
    const { name, nameFollowsTitle } = (await app.api("GET", "/api/streams")).json.at(-1);
    assert.deepEqual([name, nameFollowsTitle], ["grafana.local", true]);
  },
);

formTest("Add during the try does so, and a typed name is nobody else's", async (ui) => {
  const { page, app, form, dashboard } = ui;
  app.service.trial.tryPage = untilLeft;
  await form.add();
  await page.keyboard.type("grafana.local:3000/d/abc");
  await dashboard.press("Enter");
  await form.button("Stop trying").waitFor();
  await form.field("Name").fill("Sales");
  await form.button("Add stream").click();
  await form.gone();
  const { name, nameFollowsTitle } = (await app.api("GET", "/api/streams")).json.at(-1);
  assert.deepEqual([name, nameFollowsTitle], ["Sales", undefined]);
});

formTest("a page that asks for a login leads to the fields for it", async (ui) => {
  const { app, form } = ui;
  app.service.trial.tryPage = () => Promise.resolve(TRIED as never);
  await form.add();
  await form.field("Page address").fill("grafana.local:3000/d/abc");
  await form.button("Try it").click();
  await form.button("Set user name and password").click();
  await same(() => form.hasFocus("User name"), true);
});

formTest("a page is tried with the statuses with which it is right as it is", async (ui) => {
  const { app, form } = ui;
  const asked: Record<string, unknown>[] = [];
  app.service.trial.tryPage = (body) => {
    asked.push(body as typeof asked[number]);
    return Promise.resolve({ ...TRIED, status: 404 } as never);
  };
  await form.add();
  await form.field("Page address").fill("grafana.local:3000/d/abc");
  await form.dialog.locator("details").evaluateAll((all) =>
    all.forEach((one) => one.setAttribute("open", ""))
  );
  await form.field("Accepted statuses").fill("404");
  await form.button("Try it").click();
  await form.dialog.getByText("The page opens (404).").waitFor();
  assert.equal(asked.at(-1)?.acceptedStatuses, "404");
});

formTest("what cannot be tried is told below the address, and a try can be cancelled", async (ui) => {
  const { app, form, page, dashboard } = ui;
  await form.add();
  await form.field("Page address").fill("127.0.0.1:9000");
  await form.button("Try it").click();
  await form.dialog.locator(".problem").getByText(/ALLOW_LOCAL_STREAMS/).waitFor();
  const left = Promise.withResolvers<void>();
  app.service.trial.tryPage = (_body, { signal }) => {
    signal.addEventListener("abort", () => left.resolve());
    return left.promise.then(() => TRIED as never);
  };
  await form.button("Try it").click();
  await form.button("Stop trying").click();
  await form.button("Try it").waitFor();
  await left.promise;

  // a page whose certificate is not trusted is accepted right there
  const certificate = {
    fingerprint: "5f".repeat(32),
    subject: "nas.local",
    issuer: "nas.local",
    validFrom: Date.UTC(2026, 0, 1),
    validTo: Date.UTC(2036, 0, 1),
  };
  const problem = "The page's certificate comes from an issuer that is not trusted.";
  const asked: Record<string, unknown>[] = [];
  app.service.trial.tryPage = (body) => {
    asked.push(body as typeof asked[number]);
    const refused = { ...TRIED, title: "", status: null, problem, certificate, login: null, picture: null };
    return Promise.resolve((asked.length === 1 ? refused : TRIED) as never);
  };
  await form.button("Try it").click();
  await form.dialog.getByText(problem).waitFor();
  await form.dialog.getByText("2026-01-01 to 2036-01-01").waitFor();
  await dashboard.screenshot("form-certificate-desktop");
  await page.setViewportSize({ width: 390, height: 844 });
  await form.button("Accept this certificate").scrollIntoViewIfNeeded();
  await dashboard.screenshot("form-certificate-phone");
  await assertAccessible(page, "a certificate to accept", "dialog#add");
  await form.button("Accept this certificate").press("Enter");
  await form.dialog.getByRole("img", { name: `What ${TRIED.url} looks like` }).waitFor();
  await same(() => form.button("Try it").evaluate((it) => it === document.activeElement), true);
  assert.equal(asked.at(-1)?.acceptedCertificates, certificate.fingerprint);
  await form.dialog.getByText("Accepted certificates", { exact: true }).first().waitFor();
});

formTest("a login in the address moves to its fields, is tried, and is stored", async (ui) => {
  const { app, form, dashboard, page } = ui;
  const asked: Record<string, unknown>[] = [];
  app.service.trial.tryPage = (body) => {
    asked.push(body as typeof asked[number]);
    return Promise.resolve({ ...TRIED, login: null } as never);
  };
  await form.add();
  await form.field("Page address").fill("http://wall:s3cret%40x@grafana.local:3000/d/abc");
  await form.field("Page address").press("Enter");
  await form.dialog.getByText("The page opens (200).").waitFor();
  assert.equal(asked[0].url, "http://wall:s3cret%40x@grafana.local:3000/d/abc");
  await form.field("Page address").fill("grafana.local:3000/d/abc");
  await form.button("Try it").click();
  await same(() => Promise.resolve(asked[1]?.url), asked[0].url);
  await same(() => form.field("Page address").inputValue(), TRIED.url);
  await form.unfold("Sign-in");
  await same(() => form.field("User name").inputValue(), "wall");
  await dashboard.screenshot("form-login-in-address-desktop");
  await page.setViewportSize({ width: 390, height: 844 });
  await dashboard.screenshot("form-login-in-address-phone");
  await form.field("Page address").press("Enter");
  await form.gone();
  const { url, user, passSet } = (await app.api("GET", "/api/streams")).json.at(-1);
  assert.deepEqual([url, user, passSet], [TRIED.url, "wall", true]);
  assert.match(await Deno.readTextFile(app.paths.streamsFile), /"pass": "s3cret@x"/);
});
