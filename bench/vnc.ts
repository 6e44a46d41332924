/**
 * The bridge's cost: bytes a second and the time of an update through the web app's port against the VNC proxy directly,
 * turn by turn in one run, with the same client.
 */
import { DEFAULT_TIMINGS } from "../lib/timings.ts";
import { connectToProxy } from "../lib/vnc/bridge.ts";
import type { Endpoint } from "../lib/websocket/endpoint.ts";
import { type TestService } from "../tests/support/service.ts";
import { type Bench, progress, serviceIn, shortened } from "./bench.ts";
import { median } from "./figures.ts";
import type { Row } from "./table.ts";
import { pause } from "../tests/support/within.ts";

const ROUNDS = shortened(5);
const SECONDS = shortened(2);
/** The page has been painted by then. */
const SETTLE_MS = 4000;
const UPDATES = 150;
const WIDTH = 1280, HEIGHT = 720;
/** Width and height of a small update. */
const SMALL = 16;

/** What pictures come as: plain, or packed by the display as for a real viewer. Source: RFC 6143, section 7.7. */
const ENCODING = { raw: 0, zrle: 16 };
type Encoding = keyof typeof ENCODING;

class Viewer {
  #client: Endpoint;
  #chunk: Uint8Array = new Uint8Array();
  received = 0;

  private constructor(client: Endpoint) {
    this.#client = client;
  }

  static async open(
    service: TestService,
    id: string,
    isDirect: boolean,
    encoding: Encoding,
  ): Promise<Viewer> {
    const { token } = await (await service.api("GET", `/api/streams/${id}/vnc`)).json();
    const { host, port, origin } = new URL(service.url);
    const client = await connectToProxy(
      isDirect
        ? { at: Number(service.env.VNC_PROXY_PORT), path: "/", host: token }
        // the client has no use for other headers
        : { at: Number(port), path: `/?token=${token}`, host: `${host}\r\nOrigin: ${origin}` },
      DEFAULT_TIMINGS.vnc,
    );
    const viewer = new Viewer(client);
    await viewer.#skip(12);
    await client.send(new TextEncoder().encode("RFB 003.008\n"));
    await viewer.#skip(2);
    await client.send(new Uint8Array([1]));
    await viewer.#skip(4);
    await client.send(new Uint8Array([1]));
    await viewer.#skip(20);
    await viewer.#skip((await viewer.#take(4)).getUint32(0)); // the name
    await client.send(new Uint8Array([2, 0, 0, 1, 0, 0, 0, ENCODING[encoding]]));
    return viewer;
  }

  /** The next bytes that are there, at most `count`. */
  async #next(count: number): Promise<Uint8Array> {
    if (this.#chunk.length === 0) {
      const data = await this.#client.receiveBytes();
      if (!data) throw new Error(`the connection ended: ${this.#client.closed.code}`);
      this.received += data.length;
      this.#chunk = data;
    }
    const bytes = this.#chunk.subarray(0, count);
    this.#chunk = this.#chunk.subarray(bytes.length);
    return bytes;
  }

  async #skip(count: number): Promise<void> {
    while (count > 0) count -= (await this.#next(count)).length;
  }

  async #take(count: number): Promise<DataView> {
    const taken = new Uint8Array(count);
    for (let at = 0; at < count;) {
      const bytes = await this.#next(count - at);
      taken.set(bytes, at);
      at += bytes.length;
    }
    return new DataView(taken.buffer);
  }

  /** The rest of an update that was asked for. */
  async #update(): Promise<void> {
    const head = await this.#take(4);
    if (head.getUint8(0) !== 0) throw new Error(`message ${head.getUint8(0)} instead of an update`);
    for (let left = head.getUint16(2); left > 0; left--) {
      const rectangle = await this.#take(12);
      const isRaw = rectangle.getInt32(8) === ENCODING.raw;
      const pixels = rectangle.getUint16(4) * rectangle.getUint16(6);
      await this.#skip(isRaw ? pixels * 4 : (await this.#take(4)).getUint32(0));
    }
  }

  #ask(width: number, height: number): Promise<void> {
    return this.#client.send(
      new Uint8Array([3, 0, 0, 0, 0, 0, width >> 8, width & 255, height >> 8, height & 255]),
    );
  }

  /** Bytes a second of whole pictures, one asked for ahead. */
  async throughput(): Promise<number> {
    await this.#ask(WIDTH, HEIGHT);
    const [start, before] = [performance.now(), this.received];
    while (performance.now() - start < SECONDS * 1000) {
      await this.#ask(WIDTH, HEIGHT);
      await this.#update();
    }
    return (this.received - before) / (performance.now() - start) * 1000;
  }

  /** Median milliseconds from the request of a small update to its last byte. */
  async updateTime(): Promise<number> {
    const times: number[] = [];
    for (let update = 0; update < UPDATES; update++) {
      const start = performance.now();
      await this.#ask(SMALL, SMALL);
      await this.#update();
      times.push(performance.now() - start);
    }
    return median(times);
  }

  close(): Promise<void> {
    return this.#client.close({ code: 1000, reason: "" });
  }
}

/** What each way gave, a number a round. */
type Ways = Record<"bridge" | "direct", number[]>;

const ways = (): Ways => ({ direct: [], bridge: [] });

async function compare(service: TestService, id: string): Promise<Record<Encoding | "update", Ways>> {
  const all = { raw: ways(), zrle: ways(), update: ways() };
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 ? (["direct", "bridge"] as const) : (["bridge", "direct"] as const);
    for (const way of order) {
      const quick = await Viewer.open(service, id, way === "direct", "raw");
      all.update[way].push(await quick.updateTime());
      await quick.close();
      for (const encoding of ["raw", "zrle"] as const) {
        const busy = await Viewer.open(service, id, way === "direct", encoding);
        all[encoding][way].push(await busy.throughput() / 1e6);
        await busy.close();
      }
    }
  }
  return all;
}

function row(what: string, { bridge, direct }: Ways, unit: string, better: Row["better"]): Row {
  const span = (values: number[]) =>
    `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})`;
  progress(`${what}, ${unit}: bridge ${span(bridge)}, direct ${span(direct)}`);
  const beside = "websockify asked directly";
  return { name: `VNC, ${what}`, ours: median(bridge), baseline: median(direct), beside, unit, better };
}

export const vnc: Bench = {
  name: "vnc",
  limitMs: 240_000,
  async run(scope) {
    const service = await serviceIn(scope);
    const { id } = await service.create({
      ...{ name: "Bench", url: `${service.pageUrl}camera.html`, resolution: `${WIDTH}x${HEIGHT}` },
      ...{ fps: 5, audio: false },
    });
    await service.untilState(id, "running");
    await pause(SETTLE_MS);
    const { raw, zrle, update } = await compare(service, id);
    return [
      row("whole pictures, ZRLE", zrle, "MB/s", "more"),
      row("whole pictures, raw", raw, "MB/s", "more"),
      row("a small update", update, "ms", "less"),
    ];
  },
};
