/** When what a page has stored is left in the cluster, and when a browser goes on from it. */
import assert from "node:assert/strict";
import { TooMuchStoredError } from "../../../lib/browser/profile_archive.ts";
import { ClusterStreams } from "../../../lib/cluster/cluster_streams.ts";
import { Profiles } from "../../../lib/cluster/profiles.ts";
import type { StreamId } from "../../../lib/model/id.ts";
import { setLogLevel } from "../../../lib/machine/tools/log.ts";
import { FakeBlobs } from "../../support/fake_bucket.ts";

setLogLevel("error");

const ID = "ash" as StreamId;
const MINUTE = 60;

/** A node whose one stream has a page that stores a text. */
class TestNode {
  seconds: number;
  stored = "first";
  viewers = 0;
  isStarted = true;
  startedAt: number;
  isShown = true;
  isOwn = true;
  isThere = true;
  owner: string | null;
  events: string[] = [];
  packs = 0;
  problem: Error | null = null;
  readonly profiles: Profiles;

  constructor(readonly name: string, blobs: FakeBlobs, seconds = 0) {
    this.seconds = this.startedAt = seconds;
    this.owner = name;
    const kept = blobs.view(() => this.isThere);
    this.profiles = new Profiles({
      view: {
        here: name,
        streams: new ClusterStreams(),
        owner: () => this.owner,
        profiles: kept,
        own: { ids: () => this.isOwn ? [ID] : [] },
      },
      broker: {
        pack: () => {
          this.packs++;
          if (this.problem) return Promise.reject(this.problem);
          return Promise.resolve(new TextEncoder().encode(this.stored));
        },
        unpack: (_id, packed) => Promise.resolve(void (this.stored = new TextDecoder().decode(packed))),
      },
      elapsed: () => this.seconds * 1000,
    });
    const tell = (_kind: string, text: string) => void this.events.push(text);
    this.profiles.savesFor({
      find: () =>
        ({
          id: ID,
          viewers: this.viewers,
          isBusy: false,
          page: { isShown: this.isShown },
          tell,
          spec: this.isStarted ? { steadyStart: this.startedAt * 1000 } : null,
        }) as never,
    });
  }

  /** The stream's browser is about to start. */
  bring(): Promise<void> {
    return this.profiles.bring(ID, (text) => void this.events.push(text));
  }

  /** Lets time go by; stops as soon as `until` holds, and says after how many seconds. */
  async pass(seconds: number, until = () => false): Promise<number> {
    for (let at = 0; at < seconds; at++) {
      this.seconds++;
      this.profiles.tick();
      await this.profiles.settled();
      if (until()) return at + 1;
    }
    return Infinity;
  }
}

const textIn = (blobs: FakeBlobs) => {
  const bytes = blobs.kept.get(ID);
  return bytes && new TextDecoder().decode(bytes);
};

Deno.test("profiles: a stream is saved once its page's first cookies are written, then each hour, and only what has changed", async () => {
  const blobs = new FakeBlobs();
  const node = new TestNode("a", blobs);
  node.isShown = false;
  await node.pass(10);
  node.isShown = true;
  const first = await node.pass(10 * MINUTE, () => blobs.puts > 0);
  assert.ok(first >= 34 && first < 40, String(first));
  assert.equal(textIn(blobs), '{"node":"a"}\nfirst');
  await node.pass((3 * 60 + 1) * MINUTE);
  assert.deepEqual([blobs.puts, node.packs], [1, 4], "looked at each hour, written once");
  node.stored = "second";
  await node.pass(61 * MINUTE);
  assert.equal(textIn(blobs), '{"node":"a"}\nsecond');
});

Deno.test("profiles: after a visit it waits until Chromium has written the cookies", async () => {
  const blobs = new FakeBlobs();
  const node = new TestNode("a", blobs);
  await node.pass(5 * MINUTE);
  node.viewers = 1;
  node.stored = "signed in";
  await node.pass(10 * MINUTE);
  assert.equal(blobs.puts, 1, "not while a person is in it");
  node.viewers = 0;
  const after = await node.pass(10 * MINUTE, () => blobs.puts > 1);
  assert.ok(after >= 34 && after < 40, String(after));
  assert.match(textIn(blobs)!, /signed in/);
});

Deno.test("profiles: a stream leaves when it is saved, with a visit's cookies, and after 100 s in any case", async () => {
  const blobs = new FakeBlobs();
  const node = new TestNode("a", blobs);
  await node.pass(10);
  const leaves = () => node.profiles.mayLeave(ID);
  assert.equal(leaves(), false);
  const started = await node.pass(100, leaves);
  assert.ok(started >= 24 && started < 30, `its first cookies are not written sooner: ${started}`);
  assert.equal(blobs.puts, 1);
  await node.pass(10);
  assert.equal(leaves(), false);
  assert.ok(await node.pass(10, leaves) <= 3, "nobody was in it");
  await node.pass(10);
  node.viewers = 1;
  await node.pass(2);
  node.viewers = 0;
  node.stored = "signed in";
  assert.equal(leaves(), false);
  const after = await node.pass(100, leaves);
  assert.ok(after >= 33 && after < 40, String(after));
  assert.match(textIn(blobs)!, /signed in/);
  await node.pass(10);
  node.viewers = 1;
  const stayed = await node.pass(200, leaves);
  assert.ok(stayed >= 100 && stayed < 105, `a person who stays keeps it for so long: ${stayed}`);
  node.viewers = 0;
  await node.pass(100);
  node.isStarted = false;
  assert.equal(leaves(), true, "what does not run need not wait");
});

Deno.test("profiles: the next node goes on from it, once, and has the newest from then on", async () => {
  const blobs = new FakeBlobs();
  const a = new TestNode("a", blobs);
  await a.bring();
  assert.deepEqual([a.stored, a.events], ["first", []], "nobody has left anything");
  a.stored = "signed in";
  await a.pass(5 * MINUTE);
  await a.bring();
  assert.deepEqual(a.events, [], "it has left that itself");
  const b = new TestNode("b", blobs);
  b.stored = "of an earlier stay";
  await b.bring();
  assert.equal(b.stored, "signed in");
  assert.deepEqual(b.events, ["The page's stored data came along from the node a: sign-ins go on."]);
  assert.equal(textIn(blobs), '{"node":"b"}\nsigned in');
  b.stored = "newer";
  await b.bring();
  assert.equal(b.stored, "newer", "a restart brings nothing back");
  a.stored = "of a node that was cut off";
  a.owner = "b";
  a.viewers = 1;
  await a.pass(2 * 60 * MINUTE);
  a.viewers = 0;
  await a.pass(2 * 60 * MINUTE);
  assert.match(textIn(blobs)!, /"b"/, "who has lost the stream writes nothing over");
});

Deno.test("profiles: a stream that is stopped after a visit is saved, once", async () => {
  const blobs = new FakeBlobs();
  const node = new TestNode("a", blobs);
  await node.pass(5 * MINUTE);
  node.viewers = 1;
  await node.pass(5);
  node.viewers = 0;
  node.stored = "signed in";
  [node.isStarted, node.isOwn, node.owner] = [false, false, null];
  await node.pass(20);
  assert.match(textIn(blobs)!, /signed in/);
  const { packs } = node;
  await node.pass(2 * 60 * MINUTE);
  assert.equal(node.packs, packs);
});

Deno.test("profiles: what is too much is told once, and keeps no stream from leaving", async () => {
  const blobs = new FakeBlobs();
  const node = new TestNode("a", blobs);
  node.problem = new TooMuchStoredError();
  await node.pass(5 * 60 * MINUTE);
  assert.equal(blobs.puts, 0);
  assert.equal(node.events.length, 1);
  assert.match(
    node.events[0],
    /^The page's stored data is not saved for other nodes: its page has stored more than 32 MiB.* by hand\.$/,
  );
  const leaves = () => node.profiles.mayLeave(ID);
  leaves();
  assert.ok(await node.pass(10, leaves) <= 3);
});

Deno.test("profiles: while the cluster is away nothing is lost, and what could not be brought is not written over", async () => {
  const blobs = new FakeBlobs();
  const a = new TestNode("a", blobs);
  a.isThere = false;
  await a.pass(10 * MINUTE);
  assert.equal(blobs.puts, 0);
  a.isThere = true;
  assert.ok(await a.pass(MINUTE, () => blobs.puts > 0) <= 11);
  const b = new TestNode("b", blobs);
  b.stored = "without a sign-in";
  b.isThere = false;
  await b.bring();
  assert.match(
    b.events[0],
    /could not be brought to this node \(nobody answers\)\. The stream's next start tries it again/,
  );
  b.isThere = true;
  await b.pass(2 * 60 * MINUTE);
  assert.equal(textIn(blobs), '{"node":"a"}\nfirst');
  await b.bring();
  assert.equal(b.stored, "first");
});

Deno.test("profiles: what was emptied is gone for all nodes", async () => {
  const blobs = new FakeBlobs();
  const a = new TestNode("a", blobs);
  await a.pass(5 * MINUTE);
  await a.profiles.emptied(ID);
  assert.equal(textIn(blobs), undefined);
  a.isThere = false;
  await a.profiles.emptied(ID);
});

Deno.test("profiles: a stream whose page comes late is given away with its first cookies", async () => {
  const blobs = new FakeBlobs();
  const node = new TestNode("a", blobs);
  node.isShown = false;
  const leaves = () => node.profiles.mayLeave(ID);
  assert.equal(leaves(), false);
  await node.pass(50, leaves);
  node.isShown = true;
  node.stored = "given by the page";
  const after = await node.pass(100, leaves);
  assert.ok(after >= 33 && after < 40, String(after));
  assert.match(textIn(blobs)!, /given by the page/);
});

Deno.test("profiles: a page that does not come keeps its stream no longer than its first minute", async () => {
  const blobs = new FakeBlobs();
  const node = new TestNode("a", blobs);
  node.isShown = false;
  const first = await node.pass(10 * MINUTE, () => blobs.puts > 0);
  assert.ok(first >= 94 && first < 100, String(first));
});
