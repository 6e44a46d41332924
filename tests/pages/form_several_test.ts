/** Several addresses pasted into the form: a stream for each. */
import { strict as assert } from "node:assert";
import type { PublicStream } from "../../lib/model/schema.ts";
import type { FormPage } from "../support/form_page.ts";
import { formTest } from "../support/form_ui.ts";
import { same } from "../support/same.ts";

const TEXT =
  "https://a.example/\nSales\tgrafana.local:3000/d/abc\nfile:///etc/passwd b.example/x\nlobby.example";

/** Opens the form, and pastes into its address. */
async function paste(form: FormPage, text: string): Promise<void> {
  await form.add();
  await form.field("Group").fill("Walls");
  await pasteInto(form, text);
}

/** Pastes into the address as Ctrl+V does. */
async function pasteInto(form: FormPage, text: string): Promise<void> {
  await form.field("Page address").focus();
  await form.field("Page address").evaluate((field, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

formTest("pasted addresses are a list with names, and one button adds them all", async (ui) => {
  const { app, form, dashboard } = ui;
  await paste(form, TEXT);
  await form.dialog.getByRole("heading", { name: "Add several streams" }).waitFor();
  await same(() => form.hasFocus("Name of stream 1"), true);
  await same(() => form.field("Name of stream 2").inputValue(), "Sales");
  await same(() => form.field("Address of stream 2").inputValue(), "http://grafana.local:3000/d/abc");
  await form.field("Name of stream 1").fill("Board A");
  await form.dialog.getByRole("button", { name: "Remove stream 5, lobby.example" }).click();
  await form.dialog.getByText(/^Only http and https addresses can be shown/).waitFor();
  await dashboard.screenshot("form-several-desktop");
  await form.dialog.getByRole("button", { name: "Remove stream 3, file:///etc/passwd" }).click();
  await form.dialog.getByText("1080p", { exact: true }).click();
  await form.button("Add 3 streams").click();
  await form.gone();
  await dashboard.untilOrder(["Lobby", "Board A", "Sales", "b.example"]);
  const added = (await app.api("GET", "/api/streams")).json.slice(1);
  assert.deepEqual(
    added.map(({ group, fps, scale, bitrate }: PublicStream) => [group, fps, scale, bitrate]),
    Array(3).fill(["Walls", 10, "1920x1080", "3000k"]),
  );
});

formTest("one address is pasted as ever, and no line of a long list is lost", async ({ form }) => {
  await paste(form, "two\nwords");
  await form.page.waitForFunction(() =>
    document.querySelector<HTMLInputElement>("[name=url]")?.value === "two words"
  );
  await form.button("Add stream").waitFor();
  await pasteInto(form, Array.from({ length: 102 }, (_, at) => `https://h${at}.example/`).join("\n"));
  await form.dialog.getByText("2 more lines follow when these are added or removed.").waitFor();
  await form.button("Add 100 streams").waitFor();
  await form.dialog.getByRole("button", { name: "Remove stream 1, h0.example" }).click();
  await form.dialog.getByText("One more line follows when these are added or removed.").waitFor();
  await same(() => form.field("Address of stream 100").inputValue(), "https://h100.example/");
});

formTest("a part of a playlist is a list, and each line says what of it no stream takes", async (ui) => {
  const { app, form, dashboard, page } = ui;
  const text = [
    '#EXTINF:-1, tvg-chno="7" group-title="Sport, live",News, north',
    "#EXTVLCOPT:network-caching=1000",
    "https://a.example/|User-Agent=Mine&Referer=x",
    "#EXTINF:-1 group-title='Kid''s',Lobby",
    "streams/one.html",
    "#EXTINF:-1,Hall",
    "https://c.example/",
  ].join("\n");
  await form.add();
  await pasteInto(form, text);
  await same(() => form.field("Name of stream 1").inputValue(), "News, north");
  await form.dialog.getByText("Left out: EXTVLCOPT network-caching; the header Referer").waitFor();
  await form.dialog.getByText(/^This is not a complete web address/).waitFor();
  await dashboard.screenshot("form-playlist-desktop");
  await page.setViewportSize({ width: 390, height: 844 });
  await dashboard.screenshot("form-playlist-phone");
  await page.setViewportSize({ width: 1920, height: 1080 });
  await dashboard.screenshot("form-playlist-tv");
  await form.dialog.getByRole("button", { name: "Remove stream 2, Lobby" }).click();
  await form.button("Add 2 streams").click();
  await form.gone();
  const [news] = (await app.api("GET", "/api/streams")).json.slice(1);
  const { name, url, group, channelNumber, userAgent, leftOut } = news;
  assert.deepEqual([name, url, group, channelNumber, userAgent, leftOut], [
    ...["News, north", "https://a.example/", "Sport, live", 7, "Mine", undefined],
  ]);
});
