import assert from "node:assert/strict";
import { OWN_ANSWER } from "../../../lib/model/own_answer.ts";
import type { Channel } from "../../../player/channels.ts";
import { nextThumbnails } from "../../../player/next_thumbnails.ts";

const NEWS: Channel = { number: 2, id: "news", name: "News", state: "running" };

/** What is there for the channel's thumbnail after this answer. */
async function loadedOf(answer: Response): Promise<string> {
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.resolve(answer);
  try {
    const thumbnails = nextThumbnails();
    thumbnails.load([NEWS, null]);
    await new Promise((done) => setTimeout(done));
    const address = thumbnails.of("news");
    thumbnails.load([]);
    return address;
  } finally {
    globalThis.fetch = fetch;
  }
}

Deno.test("the picture of a channel to change to is the service's: no proxy's login, and no word that there is none yet", async () => {
  const own = { [OWN_ANSWER]: "1" };
  assert.match(await loadedOf(new Response("JPEG", { headers: own })), /^blob:/);
  assert.equal(await loadedOf(new Response("<form>", { headers: { "content-type": "text/html" } })), "");
  assert.equal(await loadedOf(new Response("JPEG", { status: 202, headers: own })), "");
});
