import { strict as assert } from "node:assert";
import { playlistUrl } from "../support/channel.ts";
import { fetchPlaylist } from "../support/media.ts";
import { within } from "../support/within.ts";
import { startService } from "../support/service.ts";

/** A segment may stay in the proxy's cache for 30 s. */
const KEPT_MS = 35_000;

Deno.test("the segments of a deleted stream are gone within 35 s", async () => {
  const service = await startService();
  try {
    const { id } = await service.create({ name: "Short-lived" });
    const url = playlistUrl(service, id);
    await within("a segment", 15_000, async () => (await fetchPlaylist(url))?.segments.length);
    const segment = new URL((await fetchPlaylist(url))!.segments.at(-1)!.uri, url).href;
    await (await fetch(segment)).bytes();
    assert.equal((await service.api("DELETE", `/api/streams/${id}`)).status, 204);
    await within("the segment to be gone", KEPT_MS, async () => {
      const response = await fetch(segment);
      await response.bytes();
      return response.status === 404;
    });
  } finally {
    await service.stop();
  }
});
