/** Clients that read for a while, and then neither read nor close: whose place is another's soon, and who keeps it. */
import { strict as assert } from "node:assert";
import { receiveWindows } from "../../../lib/machine/os/receive_windows.ts";
import { streamId } from "../../../lib/model/id.ts";
import { sleep } from "../../../lib/machine/tools/time.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { fakeRfb } from "../../support/fake_rfb.ts";
import { type Front, startFront } from "../../support/front.ts";
import { audioSettings, picture, sound, videoSettings } from "../../support/rtmp_channel.ts";
import { unlessUsual } from "../../support/soak.ts";
import { until } from "../../support/same.ts";
import { tellTime } from "../../support/times.ts";

/** Seconds until its place is another's. */
const MOST_SECONDS = 30;

const UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

class Client implements Disposable {
  conn!: Deno.TcpConn;
  read = 0;
  isOver = false;
  silentAt = 0;

  static async open({ port }: Front, path: string, also = ""): Promise<Client> {
    const client = new Client();
    client.conn = await Deno.connect({ hostname: "127.0.0.1", port });
    const head =
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\n${also}\r\n`;
    await client.conn.write(new TextEncoder().encode(head));
    return client;
  }

  /** Reads so many bytes, as they come; then no more. */
  async take(bytes: number): Promise<this> {
    const buffer = new Uint8Array(16_384);
    while (this.read < bytes && !this.isOver) {
      const count = await this.conn.read(buffer).catch(() => null);
      if (count === null) this.isOver = true;
      this.read += count ?? 0;
    }
    this.silentAt = performance.now();
    return this;
  }

  /** Whether the front door has a connection for it. */
  isAtDoor(front: Front): boolean {
    const own = this.conn.localAddr as Deno.NetAddr;
    return receiveWindows(front.port).some(({ port }) => port === own.port);
  }

  [Symbol.dispose](): void {
    this.conn.close();
  }
}

/** A channel of so many bytes of pictures every 100 ms, with thin sound. */
function playing(app: TestApp, bytes: number): Disposable {
  let time = 10_000;
  const timer = setInterval(() => {
    const isKey = time % 2000 === 0;
    // a relay may come at any time
    if (isKey) app.machine.channel.send([videoSettings(), audioSettings()]);
    app.machine.channel.send([picture(time, isKey, bytes), sound(time, 60), sound(time + 50, 60)]);
    time += 100;
  }, 100);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Bytes of pictures every 100 ms: 8 Mbit/s, a still page's 130 kbit/s, and next to nothing. */
const RATES = { fast: 100_000, still: 1500, thin: 20 };

for (const [rate, bytes] of Object.entries(RATES)) {
  unlessUsual(rate === "still", Deno.test)(
    `front door: a client that takes nothing of a ${rate} channel has no place after a while, one that reads keeps its own`,
    async () => {
      await using display = fakeRfb();
      await using app = await testApp({
        isStarted: true,
        env: { VNC_PROXY_PORT: String(display.port), TUNERS: "2" },
      });
      await app.create();
      app.service.vncProxy.isOurs = () => Promise.resolve(true);
      const picture = new Uint8Array(Math.max(bytes, 5000)).fill(7);
      picture.set([0xff, 0xd8, 0xff], 0);
      picture.set([0xff, 0xd9], picture.length - 2);
      app.machine.broker.watch = async function* (_id, _resolution, _fps, signal) {
        for (; !signal.aborted; await sleep(200, signal)) yield picture;
      };
      await using front = await startFront((request, info) => app.handler(request, info));
      app.machine.receiveWindows = () => receiveWindows(front.port);
      using _playing = playing(app, bytes);
      const { service } = app;
      const token = service.tokens.get(streamId("clock"));
      const open = (path: string, also?: string) => Client.open(front, path, also);
      const mjpeg = "/api/streams/clock/mjpeg?fps=5";
      const vnc = `/?token=${token}`;
      const reader = await open("/api/ts/clock");
      const listener = await open("/api/events");
      const reading = [reader.take(Infinity), listener.take(Infinity)];
      // Deno takes headers, which the types of the DOM do not know; it answers pings, and is told nothing
      const options = { headers: { origin: front.url } } as unknown as string[];
      const idle = new WebSocket(`${front.url.replace("http", "ws")}${vnc}`, options);
      const isIdleOver = new Promise((done) => idle.onclose = done);
      const kinds: [kind: string, client: Promise<Client>, read: number][] = [
        ["tuner", open("/hdhr/tune/clock"), 60_000],
        ["second tuner", open("/hdhr/tune/clock"), 20_000],
        ["transport stream", open("/api/ts/clock"), 5000],
        ["pictures", open(mjpeg), 100],
        ["feed", open("/api/events"), 100],
        ["instant view", open("/api/ts/clock", UPGRADE), 5000],
        ["VNC", open(vnc, UPGRADE), 100],
      ];
      if (rate !== "fast") kinds.push(["file", open("/static/vendor/wall.js"), 100]);
      const silent = await Promise.all(kinds.map(async ([kind, client, read]) => {
        const opened = await (await client).take(read);
        assert.equal(opened.isOver, false, kind);
        return { kind, client: opened };
      }));
      try {
        const tuners = until("the tuners to be free", () => service.relays.tuners === 0);
        await Promise.all(silent.map(async ({ kind, client }) => {
          await until(`${kind} to be let go`, () => !client.isAtDoor(front));
          tellTime(
            `${rate}: ${kind} of a silent client`,
            (performance.now() - client.silentAt) / 1000,
            MOST_SECONDS,
          );
        }));
        await tuners;
        const { json: figures } = await app.api("GET", "/api/figures");
        assert.deepEqual(
          [figures.clock.viewers, service.feed.listeners, service.vnc.bridges.viewers(streamId("clock"))],
          [1, 1, 1],
          "all have left but those who read",
        );
        assert.deepEqual([reader.isOver, listener.isOver, idle.readyState], [false, false, WebSocket.OPEN]);
      } finally {
        reader[Symbol.dispose]();
        listener[Symbol.dispose]();
        idle.close();
        await Promise.all([...reading, isIdleOver]);
        for (const { client } of silent) client[Symbol.dispose]();
      }
    },
  );
}
