/** The connection to a display, with a server that misbehaves. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { join } from "node:path";
import { newXauthority } from "../../../lib/display/xauth.ts";
import { readCookie, XConnection } from "../../../lib/display/x11/connection.ts";
import { request } from "../../../lib/display/x11/messages.ts";
import { writeAll } from "../../../lib/machine/tools/write_all.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { tempDir } from "../../support/fixture.ts";
import { patience, until } from "../../support/same.ts";
import {
  errorBytes,
  eventBytes,
  FIRST_ID,
  greetingBytes,
  type Received,
  replyBytes,
  type Said,
  startXServer,
} from "../../support/x_server.ts";

const COOKIE = new Uint8Array(16).fill(9);
const ASK = 43, TELL = 60;
const ask = request(ASK, 0, []);
const tell = request(TELL, 0, []);

/** Answers what is asked, with the request's number. */
function obliging({ major, sequence }: Received): Said {
  return major === ASK ? replyBytes(sequence, [sequence]) : undefined;
}

Deno.test("x11: answers find their requests, whatever the server's writes are cut into", async () => {
  for (const chunk of [1, 3, 31, 33, Infinity]) {
    await using server = await startXServer(obliging, { chunk });
    using x = await XConnection.open(server.path, COOKIE);
    assert.deepEqual([x.screen.width, x.screen.height], [64, 36]);
    x.send(tell, tell);
    const answers = await Promise.all([x.answer(ask), x.answer(ask)]);
    assert.deepEqual(answers.map((answer) => answer.getUint8(8)), [3, 4]);
    assert.equal(x.newId(), FIRST_ID + 1);
    x[Symbol.dispose]();
    await x.ended;
  }
});

Deno.test("x11: the numbers of requests wrap around after 65535", async () => {
  await using server = await startXServer(obliging);
  using x = await XConnection.open(server.path, COOKIE, patience());
  // an answer now and then: so much may wait to be sent, and no more
  for (let at = 1; at <= 65_540; at++) {
    if (at % 1000 === 0 || at > 65_530) await x.answer(ask);
    else x.send(tell);
  }
  assert.equal(server.received.at(-1)!.sequence, 65_540 & 0xffff);
  x[Symbol.dispose]();
  await x.ended;
});

Deno.test("x11: an error comes out at its own request, or at the next that has an answer", async () => {
  await using server = await startXServer(({ sequence, major, minor }) => {
    if (major === TELL) return errorBytes(sequence, 8, TELL, 4);
    return minor === 1 ? errorBytes(sequence, 1, ASK) : replyBytes(sequence);
  });
  using x = await XConnection.open(server.path, COOKIE);
  await assert.rejects(x.answer(request(ASK, 1, [])), /refused request 43.0: error 1/);
  await x.answer(ask);
  x.send(tell);
  await assert.rejects(x.answer(ask), /refused request 60.4: error 8/);
  await x.answer(ask);
  x[Symbol.dispose]();
  await x.ended;
});

Deno.test("x11: events come one by one between the answers, long ones as well", async () => {
  const long = new Uint8Array(32 + 8);
  long.set([35, 0, 0, 0, 2]);
  await using server = await startXServer(({ sequence }) =>
    Uint8Array.from([...eventBytes(91, 7), ...long, ...replyBytes(sequence), ...eventBytes(0x80 | 92)])
  );
  using x = await XConnection.open(server.path, COOKIE);
  const codes: number[] = [];
  x.onevent = (code) => codes.push(code);
  await x.answer(ask);
  await x.answer(ask);
  assert.deepEqual(codes.slice(0, 5), [91, 35, 92, 91, 35]);
  x[Symbol.dispose]();
  await x.ended;
});

Deno.test("x11: events without end are read no faster than half a kilobyte of each allows, and others beside them", async () => {
  using clock = new FakeClock();
  const MANY = 50_000;
  await using server = await startXServer(obliging);
  using x = await XConnection.open(server.path, COOKIE);
  let events = 0;
  x.onevent = () => events++;
  const flood = new Uint8Array(MANY * 32);
  for (let at = 0; at < flood.length; at += 32) flood.set(eventBytes(91), at);
  const said = server.say(flood);
  using other = await XConnection.open(server.path, COOKIE);
  for (let count = 0; count < 700; count++) await other.answer(ask);
  // 4 MiB at once
  assert.ok(events > 5000 && events < 8192, `${events} events`);
  await until("all events", async () => {
    await clock.advance(500);
    return events === MANY;
  });
  await said;
  for (const one of [x, other]) {
    one[Symbol.dispose]();
    await one.ended;
  }
});

Deno.test("x11: a server that reads nothing is left before more than a picture waits for it", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "X");
  using listener = Deno.listen({ transport: "unix", path });
  const greeted = (async () => {
    const server = await listener.accept();
    await server.read(new Uint8Array(1000));
    await writeAll(server, greetingBytes());
    return server;
  })();
  using x = await XConnection.open(path, COOKIE);
  using _server = await greeted;
  const part = request(TELL, 0, [], new Uint8Array(250_000));
  for (let bytes = 0; bytes < 3840 * 2160 * 4; bytes += part.length) x.send(part);
  assert.equal(x.isOpen, true, "a picture of the largest display");
  for (let count = 0; count < 100; count++) x.send(part);
  assert.equal(x.isOpen, false);
  await assert.rejects(x.answer(ask), /closed/);
  await x.ended;
});

Deno.test("x11: a long answer is read to its end, though only its beginning is kept; a huge one ends it", async () => {
  await using server = await startXServer(({ sequence, minor }) => {
    if (minor === 0) return replyBytes(sequence, [5], 50_000);
    const huge = replyBytes(sequence);
    new DataView(huge.buffer).setUint32(4, 0xffff_ffff, true);
    return huge;
  });
  using x = await XConnection.open(server.path, COOKIE);
  const answer = await x.answer(ask);
  assert.equal(answer.getUint8(8), 5);
  assert.ok(answer.byteLength < 100_000, `${answer.byteLength} bytes are kept`);
  assert.equal((await x.answer(ask)).getUint8(8), 5, "what comes next is read as such");
  await assert.rejects(x.answer(request(ASK, 1, [])), /closed/);
  await x.ended;
});

Deno.test("x11: a server that closes, or says nothing, keeps nobody waiting", async () => {
  await using silent = await startXServer(({ minor }) => minor === 1 ? "close" : undefined);
  using x = await XConnection.open(silent.path, COOKIE, 500);
  await assert.rejects(x.answer(ask), /does not answer/);
  using y = await XConnection.open(silent.path, COOKIE);
  await assert.rejects(y.answer(request(ASK, 1, [])), /closed/);
  await y.ended;
  assert.equal(y.isOpen, false);
  await assert.rejects(y.answer(ask), /closed/);
  await using mute = await startXServer(obliging, { greeting: greetingBytes().subarray(0, 20) });
  await assert.rejects(XConnection.open(mute.path, COOKIE, 100), /does not answer/);
  await assert.rejects(XConnection.open(`${mute.path}-none`, COOKIE, 100));
});

Deno.test("x11: junk after the greeting, or instead of it, ends in an error and leaves nothing open", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.boolean(), async (junk, isLate) => {
      await using server = await startXServer(() => junk, { greeting: isLate ? greetingBytes() : junk });
      const opened = await XConnection.open(server.path, COOKIE, 50).catch((error: Error) => error);
      if (opened instanceof Error) return;
      using x = opened;
      await x.answer(ask).catch((error: Error) => assert.ok(error.message));
      x[Symbol.dispose]();
      await x.ended;
    }),
    { numRuns: 20 },
  );
});

Deno.test("x11: who is refused, or greeted with nonsense, has no connection", async () => {
  const refusal = new Uint8Array(8);
  const huge = greetingBytes();
  new DataView(huge.buffer).setUint16(6, 0xffff, true);
  const cut = greetingBytes();
  new DataView(cut.buffer).setUint16(8 + 16, 60_000, true); // a vendor's name beyond the end
  for (const greeting of [refusal, huge, cut]) {
    await using server = await startXServer(obliging, { greeting });
    await assert.rejects(XConnection.open(server.path, COOKIE), /refused|too much|no screen/);
  }
});

Deno.test("x11: the key is what stands in our Xauthority files; a link is not followed", async () => {
  await using dir = await tempDir();
  const [path, link] = [join(dir.path, "key"), join(dir.path, "link")];
  const file = newXauthority();
  await Deno.writeFile(path, file);
  await Deno.symlink(path, link);
  assert.deepEqual(await readCookie(path), file.subarray(-16));
  await assert.rejects(readCookie(link), /no key/);
  await assert.rejects(readCookie(join(dir.path, "none")), /no key/);
});
