/** What the pages say of the machine's room. */
import { streamId } from "../../lib/model/id.ts";
import type { TestApp } from "../support/app.ts";
import { uiTest } from "../support/ui.ts";
import { same } from "../support/same.ts";

/** A machine whose memory is nearly used up. */
function fill(app: TestApp): void {
  app.machine.load = () =>
    Promise.resolve({
      cores: 2,
      processors: 2,
      machineCores: 2,
      machineBytes: 8e9,
      tasks: null,
      load: [0, 0, 0],
      memory: { totalBytes: 8e9, availableBytes: 2e8 },
    });
}

uiTest(
  "a stream without room says why on its card, after a reload too, and starts when there is room",
  async (ui) => {
    const { page, dashboard, app } = ui;
    const enough = app.machine.load;
    fill(app);
    await dashboard.open();
    await page.getByRole("button", { name: "Add stream" }).click();
    const form = dashboard.dialog("Add a stream");
    await form.getByText("The stream will take about 5 % of a CPU core and 310 MiB").waitFor();
    await form.getByText("No room now: 191 MiB of memory free. The stream waits until there is room.")
      .waitFor();
    await form.getByText("Video", { exact: true }).click();
    await form.getByText("The stream will take about 12 % of a CPU core and 310 MiB").waitFor();
    await dashboard.screenshot("form-forecast-desktop");
    await dashboard.field("Name").fill("Sales");
    await dashboard.field("Page address").fill("https://sales.example.org/");
    await form.getByRole("button", { name: "Add stream" }).click();
    await form.waitFor({ state: "detached" });
    const card = dashboard.card("Sales");
    const noRoom = card.getByText("No room now: 191 MiB of memory free.");
    await noRoom.waitFor();
    await dashboard.untilState("Sales", "stopped");
    await dashboard.screenshot("no-room-desktop");
    await page.reload();
    await noRoom.waitFor();
    await card.getByRole("button", { name: /^Stop waiting/ }).click();
    await noRoom.waitFor({ state: "detached" });
    await dashboard.action("Sales", "Start").click();
    await noRoom.waitFor();
    app.machine.load = enough;
    await app.service.streams.startWaiting();
    await dashboard.untilState("Sales", "running");
    await same(() => noRoom.count(), 0);
  },
  { env: { CAPACITY_CHECK: "on" }, mayLog: /409/ },
);

uiTest(
  "a stream that viewers wait for past MAX_STREAMS says so on its card, and starts when somebody wants it anyway",
  async (ui) => {
    const { dashboard, app } = ui;
    await dashboard.open();
    await dashboard.untilState("Clock", "running");
    app.service.fleet.watched(streamId("sales"));
    const card = dashboard.card("Sales");
    const noRoom = card.getByText("No room now: MAX_STREAMS is 1.");
    await noRoom.waitFor();
    await card.getByRole("button", { name: /^Start anyway/ }).click();
    await dashboard.untilState("Sales", "running");
    await same(() => noRoom.count(), 0);
  },
  {
    env: { MAX_STREAMS: "1" },
    streams: [
      { name: "Clock", desiredState: "running" },
      { name: "Sales", desiredState: "running", onDemand: true },
    ],
  },
);
