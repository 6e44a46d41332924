/** How one browser's pipe is shared: with a pretended browser. */
import assert from "node:assert/strict";
import { Hub, type Peer, type SessionNote } from "../../../lib/browser/hub.ts";
import type { Command, Message } from "../../../lib/browser/messages.ts";
import type { Pipe } from "../../../lib/browser/pipe.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** A pipe whose other end the test is. It answers what a hub asks at its beginning, and each attaching with a session. */
class PretendedPipe implements Pipe {
  onmessage: (message: Message) => void = () => {};
  sent: Command[] = [];
  sessions = 0;
  isSilent = false;
  /** The hub's own session. */
  own: unknown = "own";
  #ended = Promise.withResolvers<void>();
  readonly ended = this.#ended.promise;

  send(text: string): void {
    const command: Command = JSON.parse(text);
    this.sent.push(command);
    if (this.isSilent) return;
    const { id, method, sessionId } = command;
    if (method === "Target.attachToBrowserTarget") this.onmessage({ id, result: { sessionId: this.own } });
    if (method === "Target.detachFromTarget") this.onmessage({ id, sessionId, result: {} });
    if (method === "Target.attachToTarget") {
      const session = `session-${++this.sessions}`;
      const event = { method: "Target.attachedToTarget", params: { sessionId: session } };
      this.onmessage({ ...event, sessionId: "own" });
      this.onmessage({ id, sessionId, result: { sessionId: session } });
    }
  }

  close(): Promise<void> {
    this.#ended.resolve();
    return Promise.resolve();
  }

  /** The sessions that were closed, with whose they were. */
  get closed(): string[] {
    return this.sent.filter(({ method }) => method === "Target.detachFromTarget")
      .map(({ params, sessionId }) => `${params!.sessionId} of ${sessionId ?? "the browser"}`);
  }
}

class TestPeer implements Peer {
  got: Message[] = [];
  isEnded = false;

  receive(message: Message): void {
    this.got.push(JSON.parse(JSON.stringify(message)));
  }

  end(): void {
    this.isEnded = true;
  }
}

function noted(session: string | null = null) {
  const note = {
    session,
    read: () => Promise.resolve(note.session),
    write: (session: string) => Promise.resolve(void (note.session = session)),
  };
  return note satisfies SessionNote;
}

async function aHub() {
  const pipe = new PretendedPipe();
  const hub = await Hub.open(pipe, noted());
  const join = () => {
    const peer = new TestPeer();
    return Object.assign(peer, hub.join(peer));
  };
  pipe.sent = [];
  return { pipe, hub, join, last: () => pipe.sent.at(-1)! };
}

const ATTACH = { method: "Target.attachToTarget", params: { targetId: "T" } };

Deno.test("hub: each peer has ids of its own, and gets its answers alone", async () => {
  const { pipe, join, last } = await aHub();
  const [a, b] = [join(), join()];
  a.send({ id: 1, method: "Target.getTargets" });
  const ofA = last().id;
  b.send({ id: 1, method: "Browser.getVersion" });
  const ofB = last().id;
  assert.notEqual(ofA, ofB);
  pipe.onmessage({ id: ofB, sessionId: "own", result: { b: 1 } });
  pipe.onmessage({ id: ofA, sessionId: "own", error: { message: "no" } });
  pipe.onmessage({ id: ofA, result: { twice: 1 } });
  assert.deepEqual(a.got, [{ id: 1, error: { message: "no" } }]);
  assert.deepEqual(b.got, [{ id: 1, result: { b: 1 } }]);
});

Deno.test("hub: a session is its owner's, who alone may use it and hears of it", async () => {
  const { pipe, join, last } = await aHub();
  const [a, b] = [join(), join()];
  a.send({ id: 5, ...ATTACH });
  assert.equal((last().params as { flatten: boolean }).flatten, true);
  assert.deepEqual(a.got.pop(), { id: 5, result: { sessionId: "session-1" } });
  b.send({ id: 6, method: "Page.enable", sessionId: "session-1" });
  b.send({ id: 7, method: "Target.detachFromTarget", params: { sessionId: "session-1" } });
  assert.deepEqual(b.got.map(({ id, error }) => [id, error?.message]), [
    [6, "Session with given id not found."],
    [7, "Session with given id not found."],
  ]);
  assert.deepEqual(pipe.closed, []);
  a.send({ id: 8, method: "Page.enable", sessionId: "session-1" });
  pipe.onmessage({ id: last().id, sessionId: "session-1", result: {} });
  pipe.onmessage({ method: "Page.x", params: { at: 1 }, sessionId: "session-1" });
  assert.deepEqual(a.got, [
    { id: 8, sessionId: "session-1", result: {} },
    { method: "Page.x", params: { at: 1 }, sessionId: "session-1" },
  ]);
  b.got = [];
  pipe.onmessage({
    method: "Target.detachedFromTarget",
    params: { sessionId: "session-1" },
    sessionId: "own",
  });
  assert.equal(a.got.at(-1)!.method, "Target.detachedFromTarget");
  assert.deepEqual(b.got, []);
});

Deno.test("hub: of the browser itself only little can be asked", async () => {
  const { pipe, join } = await aHub();
  const peer = join();
  for (
    const method of [
      "Browser.close",
      "Target.setAutoAttach",
      "Target.attachToBrowserTarget",
      "Storage.getCookies",
    ]
  ) {
    peer.send({ id: 1, method });
    assert.match(peer.got.pop()!.error!.message, /not allowed here/, method);
  }
  peer.send({ id: 2, method: "Page.enable", sessionId: "own" });
  assert.match(peer.got.pop()!.error!.message, /not found/);
  assert.deepEqual(pipe.sent, []);
});

Deno.test("hub: who leaves leaves no session, also none that is answered later", async () => {
  const { pipe, join, last } = await aHub();
  const peer = join();
  peer.send({ id: 1, ...ATTACH });
  pipe.isSilent = true;
  peer.send({ id: 2, ...ATTACH });
  const late = last().id;
  peer.got = [];
  peer.leave();
  assert.deepEqual(pipe.closed, ["session-1 of own"]);
  pipe.onmessage({ id: late, sessionId: "own", result: { sessionId: "session-late" } });
  assert.deepEqual(pipe.closed, ["session-1 of own", "session-late of own"]);
  pipe.onmessage({ method: "Page.x", params: {}, sessionId: "session-late" });
  assert.deepEqual(peer.got, []);
});

Deno.test("hub: a session that nobody knows is closed, once", async () => {
  const { pipe, join } = await aHub();
  const peer = join();
  for (let count = 0; count < 3; count++) {
    pipe.onmessage({ method: "Page.x", params: {}, sessionId: "stray" });
  }
  assert.deepEqual(pipe.closed, ["stray of the browser"]);
  assert.deepEqual(peer.got, []);
});

Deno.test("hub: of sessions that nobody knows so many are closed a second, however many there are", async () => {
  using clock = new FakeClock();
  const { pipe } = await aHub();
  pipe.isSilent = true;
  const MANY = 100_000;
  for (let count = 0; count < MANY; count++) pipe.onmessage({ method: "x", sessionId: `E${count}` });
  assert.equal(pipe.closed.length, 200);
  for (let count = 0; count < MANY; count++) {
    pipe.onmessage({ id: 2_000_000_000 + count, result: { sessionId: `A${count}` } });
  }
  assert.equal(pipe.closed.length, 200);
  await clock.advance(1000);
  for (let count = 0; count < MANY; count++) pipe.onmessage({ method: "x", sessionId: `L${count}` });
  assert.equal(pipe.closed.length, 220);
  assert.equal(pipe.closed[200], "L0 of the browser");
});

Deno.test("hub: an attaching that is never answered hides no session once its peer has left", async () => {
  const { pipe, join } = await aHub();
  pipe.isSilent = true;
  for (let count = 0; count < 1000; count++) {
    const peer = join();
    peer.send({ id: 1, ...ATTACH });
    pipe.onmessage({ method: "Page.x", params: {}, sessionId: "early" });
    assert.deepEqual(pipe.closed, []);
    peer.leave();
  }
  pipe.onmessage({ method: "Page.x", params: {}, sessionId: "stray" });
  assert.deepEqual(pipe.closed, ["stray of the browser"]);
});

Deno.test("hub: a session has a short name of its own, or is nobody's", async () => {
  const wrong = ["", "a b", "x".repeat(65), "x".repeat(1_000_000), "own", "taken", 5, null, {}, ["a"]];
  for (const sessionId of wrong) {
    const { pipe, join, last } = await aHub();
    pipe.isSilent = true;
    const [peer, owner] = [join(), join()];
    owner.send({ id: 1, ...ATTACH });
    pipe.onmessage({ id: last().id, sessionId: "own", result: { sessionId: "taken" } });
    peer.send({ id: 1, ...ATTACH });
    pipe.onmessage({ id: last().id, sessionId: "own", result: { sessionId } });
    const what = String(sessionId).slice(0, 20);
    assert.match(peer.got.pop()!.error?.message ?? "", /opened no session/, what);
    peer.send({ id: 2, method: "Page.enable", sessionId: String(sessionId) });
    assert.match(peer.got.pop()!.error?.message ?? "", /not found/, what);
    owner.send({ id: 2, method: "Page.enable", sessionId: "taken" });
    assert.equal(last().method, "Page.enable");
  }
});

Deno.test("hub: a browser that gives it no session with a short name is none", async () => {
  for (const own of ["", "x".repeat(1_000_000), 5, undefined]) {
    const [pipe, note] = [Object.assign(new PretendedPipe(), { own }), noted()];
    await assert.rejects(Hub.open(pipe, note), /opened no session/);
    assert.equal(note.session, null);
  }
});

Deno.test("hub: a peer has at most 100 sessions at once", async () => {
  const { pipe, join } = await aHub();
  const [peer, other] = [join(), join()];
  for (let id = 1; id <= 110; id++) peer.send({ id, ...ATTACH });
  const refused = peer.got.filter(({ error }) => error);
  assert.deepEqual(refused.map(({ id }) => id), [101, 102, 103, 104, 105, 106, 107, 108, 109, 110]);
  assert.match(refused[0].error!.message, /too many/);
  assert.deepEqual([pipe.closed.length, pipe.closed[0]], [10, "session-101 of own"]);
  other.send({ id: 1, ...ATTACH });
  assert.deepEqual(other.got.pop(), { id: 1, result: { sessionId: "session-111" } });
  const params = { sessionId: "session-1" };
  pipe.onmessage({ method: "Target.detachedFromTarget", params, sessionId: "own" });
  peer.send({ id: 111, ...ATTACH });
  assert.deepEqual(peer.got.pop(), { id: 111, result: { sessionId: "session-112" } });
});

Deno.test("hub: what an earlier one left open is closed first, with one session that holds them all", async () => {
  const pipe = new PretendedPipe();
  const note = noted("earlier");
  await Hub.open(pipe, note);
  assert.deepEqual(pipe.sent.map(({ method }) => method), [
    "Target.detachFromTarget",
    "Target.attachToBrowserTarget",
  ]);
  assert.deepEqual(pipe.closed, ["earlier of the browser"]);
  assert.equal(note.session, "own");
});

Deno.test("hub: a browser that ends while it is asked is none", async () => {
  const pipe = new PretendedPipe();
  pipe.isSilent = true;
  const opening = Hub.open(pipe, noted());
  pipe.close();
  await assert.rejects(opening, /has ended/);
});

Deno.test("hub: the browser's end is everybody's, and what is sent then is answered", async () => {
  const { pipe, hub, join } = await aHub();
  const [a, b] = [join(), join()];
  b.leave();
  await pipe.close();
  await hub.ended;
  assert.deepEqual([a.isEnded, b.isEnded], [true, false]);
  a.send({ id: 1, method: "Target.getTargets" });
  assert.match(a.got[0].error!.message, /has ended/);
});

Deno.test("hub: commands without an answer are counted, until their page is gone", async () => {
  const { pipe, join, last } = await aHub();
  const [peer, other] = [join(), join()];
  peer.send({ id: 0, ...ATTACH });
  pipe.isSilent = true;
  const hang = (id: number) => peer.send({ id, method: "Runtime.evaluate", sessionId: "session-1" });
  for (let id = 1; id <= 1000; id++) hang(id);
  assert.equal(pipe.sent.length, 201);
  assert.match(peer.got.at(-1)!.error!.message, /too many/);
  other.send({ id: 1, method: "Browser.getVersion" });
  assert.equal(last().method, "Browser.getVersion");
  pipe.onmessage({
    method: "Target.detachedFromTarget",
    params: { sessionId: "session-1" },
    sessionId: "own",
  });
  peer.send({ id: 2000, method: "Browser.getVersion" });
  assert.equal(pipe.sent.length, 203);
});

Deno.test("hub: junk of the browser's changes nothing", async () => {
  const { pipe, join } = await aHub();
  const peer = join();
  const junk = [{}, { id: 5 }, { id: 1e300 }, { method: 5 }, { method: "x", params: 5 }, { id: "1" }, {
    error: {},
  }];
  for (const message of junk) pipe.onmessage(message as Message);
  assert.deepEqual(peer.got, []);
  assert.deepEqual(pipe.sent, []);
});
