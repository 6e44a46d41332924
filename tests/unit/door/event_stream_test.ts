import { strict as assert } from "node:assert";
import { EventStream, type EventStreamLimits, eventText } from "../../../lib/door/event_stream.ts";
import { EventParser } from "../../../components/client/eventParser.ts";
import { until } from "../../support/same.ts";

const LIMITS: EventStreamLimits = { beatMs: 60_000, silentMs: 60_000, longestMs: 60_000 };

/** A connection that tells what is put into `news`. */
function connected(limits: Partial<EventStreamLimits> = {}) {
  const news: string[] = [];
  let ends = 0;
  const stream = new EventStream({
    take: () => news.shift() ?? "",
    pause: () => Promise.resolve(),
    idleMs: () => 0,
    onend: () => void ends++,
    limits: { ...LIMITS, ...limits },
  });
  const reader = stream.response.body!.getReader();
  const read = async () => {
    const { done, value } = await reader.read();
    return done ? null : new TextDecoder().decode(value);
  };
  return { news, stream, reader, read, ends: () => ends };
}

Deno.test("an event stream is told what there is, waits, and goes on when woken", async () => {
  const { news, stream, reader, read } = connected();
  news.push(eventText("a", "1"), eventText("b", "2"));
  assert.equal(await read(), "retry: 3000\n\n");
  assert.equal(await read(), "event: a\ndata: 1\n\n");
  assert.equal(await read(), "event: b\ndata: 2\n\n");
  const next = read();
  news.push(eventText("c", "3"));
  stream.wake();
  assert.equal(await next, "event: c\ndata: 3\n\n");
  assert.equal(stream.response.headers.get("content-type"), "text/event-stream");
  assert.equal(stream.response.headers.get("cache-control"), "no-store, no-transform");
  await reader.cancel();
});

Deno.test("an event stream with nothing to tell gives signs of life, as comments", async () => {
  const { reader, read } = connected({ beatMs: 1 });
  await read();
  for (let beats = 0; beats < 2; beats++) assert.match((await read())!, /^:[^\n]*\n\n$/);
  await reader.cancel();
});

Deno.test("an event stream gives signs of life between news too, and none ends an event that goes on", async () => {
  const { news, reader, read } = connected({ beatMs: 0 });
  await read();
  news.push("event: state\ndata: 1\n", "data: 2\n\n", eventText("a", "3"));
  const told = [await read(), await read(), await read()].join("");
  const parser = new EventParser();
  assert.deepEqual(parser.push(told), [{ name: "state", data: "1\n2" }, { name: "a", data: "3" }]);
  assert.equal(parser.comments, 3);
  await reader.cancel();
});

Deno.test("an event stream's client that takes nothing is given up, and costs one piece until then", async () => {
  const { news, reader, read, ends } = connected({ silentMs: 5 });
  news.push("x", "y");
  await read();
  await until("its end", () => ends() > 0);
  assert.deepEqual(news, ["x", "y"], "nothing was made ready for it");
  await assert.rejects(reader.read(), /reads nothing/);
});

Deno.test("an event stream ends when it is ended, when its time is over, and when its client leaves", async () => {
  const ended = connected();
  await ended.read();
  const waiting = ended.read();
  ended.stream.end();
  assert.equal(await waiting, null);

  const old = connected({ longestMs: 5, beatMs: 1 });
  while (await old.read() !== null);

  const left = connected();
  await left.read();
  const read = left.read();
  await left.reader.cancel();
  assert.equal(await read, null);
  left.stream.end();
  assert.deepEqual([ended.ends(), old.ends(), left.ends()], [1, 1, 1]);
});
