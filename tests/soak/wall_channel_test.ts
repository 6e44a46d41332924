/** A wall of four channels as a channel: its browser keeps playing all of them. */
import { strict as assert } from "node:assert";
import { wallAddress } from "../../lib/model/wall/layout.ts";
import { RemoteBrowser } from "../support/remote_browser.ts";
import { pause, within } from "../support/within.ts";
import { sharedService } from "../support/service.ts";

const MINUTES = Number(Deno.env.get("WALL_MINUTES") ?? 5);
const EVERY_MS = 5000;
/** Of each five seconds; a pause of the player shortens one, and lengthens the next by what it catches up. */
const LEAST_PLAYED_SECONDS = 3;
const SLOTS = [1, 2, 3, 4];

const serviceTest = sharedService();

serviceTest(
  `a wall's channel of four slots plays for ${MINUTES} minutes without a stall`,
  async (service) => {
    for (const slot of SLOTS) await service.create({ name: `Slot ${slot}` });
    for (const slot of SLOTS) await service.untilState(`slot-${slot}`, "running");
    const slots = SLOTS.map((slot) => ({
      row: Math.ceil(slot / 2),
      column: (slot + 1) % 2 + 1,
      stream: `slot-${slot}`,
    }));
    const wall = { name: "Lobby", rows: 2, columns: 2, slots };
    assert.equal((await service.api("POST", "/api/walls", wall)).status, 201);
    const size = { resolution: "1280x720", scale: "1280x720", fps: 10 };
    await service.create({ name: "Lobby", url: wallAddress("lobby"), ...size, audio: false });
    await service.untilState("lobby", "running");
    const browser = new RemoteBrowser(service, "lobby");
    const times = () =>
      browser.evaluate<number[]>(
        "[...document.querySelectorAll('.is-playing video')].map((it) => it.currentTime)",
      );
    await within(
      "all slots to play",
      30_000,
      async () => (await times().catch(() => [])).length === SLOTS.length,
    );
    // a share of the processor is one since the last look
    const figures = async () => (await (await service.api("GET", "/api/figures")).json()).lobby;
    await figures();
    const stalls: string[] = [];
    let before = await times();
    for (const end = Date.now() + MINUTES * 60_000; Date.now() < end;) {
      await pause(EVERY_MS);
      const now = await times();
      const played = now.map((time, slot) => time - before[slot]);
      const isPlaying = now.length === SLOTS.length &&
        played.every((seconds) => seconds >= LEAST_PLAYED_SECONDS);
      if (!isPlaying) stalls.push(`${new Date().toISOString()}: ${played.map((it) => it.toFixed(1))}`);
      before = now;
    }
    const { lobby } = await (await service.api("GET", "/api/figures")).json();
    console.log(`the channel took ${lobby.cpuPercent} % of a core and ${lobby.mebibytes} MiB`);
    assert.deepEqual(stalls, []);
  },
);
