/** The way of viewers from the front door to the web app, with the test as both. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { serveViewers } from "../../../lib/takeover/viewers.ts";
import type { BudgetLimits } from "../../../lib/machine/tools/budget.ts";
import { writeAll } from "../../../lib/machine/tools/write_all.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";
import { encodeFrame, OPCODE } from "../../../lib/machine/websocket/frames.ts";
import { tempDir } from "../../support/fixture.ts";
import { until } from "../../support/same.ts";

const HEAD = new TextEncoder().encode("GET /?token=1 HTTP/1.1\r\nHost: a\r\n\r\n");

/** A viewer that has sent its head, and the connection that the web app has to it. */
async function aViewer(frames?: BudgetLimits) {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await tempDir());
  const [path, web] = ["viewers", "web"].map((name) => join(folder.path, name));
  const listener = stack.use(Deno.listen({ transport: "unix", path: web }));
  stack.use(await serveViewers(path, web, DEFAULT_TIMINGS.vnc, frames));
  const viewer = stack.use(await Deno.connect({ transport: "unix", path }));
  const conn = await listener.accept();
  await writeAll(viewer, HEAD);
  return { viewer, conn, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** What the web app got of a viewer that writes these bytes again and again, for as long as the test likes. */
async function flooded(unit: Uint8Array): Promise<{ bytes: number; seconds: number }> {
  await using pair = await aViewer();
  const { viewer, conn } = pair;
  const start = performance.now();
  let isOver = false;
  const flood = (async () => {
    const many = new Uint8Array(unit.length * 10_000);
    for (let at = 0; at < many.length; at += unit.length) many.set(unit, at);
    for (let count = 0; count < 300 && !isOver; count++) await writeAll(viewer, many);
  })().catch(() => {});
  let bytes = -HEAD.length;
  const reading = (async () => {
    const buffer = new Uint8Array(65_536);
    for (let count = await conn.read(buffer); count !== null; count = await conn.read(buffer)) bytes += count;
  })().catch(() => {});
  await until("more than a burst", () => bytes > 4200 * unit.length);
  const seconds = (performance.now() - start) / 1000;
  const got = bytes;
  isOver = true;
  conn.close(); // as the web app does; the viewer's bytes that nobody has paid for are not read any more
  await Promise.all([flood, reading]);
  return { bytes: got, seconds };
}

for (
  const [what, opcode, length] of [
    ["empty messages", OPCODE.binary, 0],
    ["pings", OPCODE.ping, 0],
    ["messages of one byte", OPCODE.binary, 1],
  ] as const
) {
  Deno.test(`viewers: ${what} reach the web app no faster than 1000 in a second, after 4000 at once`, async () => {
    const unit = encodeFrame(opcode, new Uint8Array(length), new Uint8Array(4));
    const { bytes, seconds } = await flooded(unit);
    const frames = bytes / unit.length;
    assert.ok(frames < 4000 + 1000 * seconds + 2 * 4096 / unit.length, `${frames} in ${seconds} s`);
  });
}

Deno.test("viewers: one that is over its budget for too long is cut off, and its place is free", async () => {
  await using pair = await aViewer({ perSecond: 1000, burst: 10, overMs: 1500 });
  const { viewer, conn } = pair;
  const ping = encodeFrame(OPCODE.ping, new Uint8Array(), new Uint8Array(4));
  const flood = (async () => {
    for (;;) await writeAll(viewer, ping);
  })().catch(() => "cut off");
  const buffer = new Uint8Array(65_536);
  while (await conn.read(buffer).catch(() => null) !== null);
  assert.equal(await flood, "cut off");
  conn.close();
});
