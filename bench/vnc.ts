/**
 * The bridge's cost: bytes a second and the time of an update through the web app's port against the VNC proxy directly,
 * turn by turn in one run, with the same client.
 *
 *     deno task build && deno run -A bench/vnc.ts
 */
import { WsClient } from "../lib/vnc/ws_client.ts";
import { startService, type TestService, until } from "../tests/service.ts";
import { median } from "./processes.ts";

const ROUNDS = 7;
const SECONDS = 4;
const UPDATES = 150;
/** Bytes of a whole picture of the display in the raw encoding. */
const WIDTH = 1280, HEIGHT = 720, PICTURE = WIDTH * HEIGHT * 4;
/** A small update: 16 x 16 pixels, its header and its rectangle's. */
const SMALL = 16, SMALL_BYTES = 4 + 12 + SMALL * SMALL * 4;

class Viewer {
  #client: WsClient;
  received = 0;

  private constructor(client: WsClient) {
    this.#client = client;
  }

  static async open(service: TestService, id: string, isDirect: boolean): Promise<Viewer> {
    const { token } = await (await service.api("GET", `/api/streams/${id}/vnc`)).json();
    const { host, port, origin } = new URL(service.url);
    const client = await WsClient.connect(
      isDirect
        ? { port: Number(service.env.VNC_PROXY_PORT), path: "/", host: token }
        // the client has no use for other headers
        : { port: Number(port), path: `/?token=${token}`, host: `${host}\r\nOrigin: ${origin}` },
    );
    const viewer = new Viewer(client);
    await viewer.#receive(12);
    await client.send(new TextEncoder().encode("RFB 003.008\n"));
    await viewer.#receive(2);
    await client.send(new Uint8Array([1]));
    await viewer.#receive(4);
    await client.send(new Uint8Array([1]));
    await viewer.#receive(24);
    await new Promise((done) => setTimeout(done, 200)); // the name
    await client.send(new Uint8Array([2, 0, 0, 1, 0, 0, 0, 0])); // raw alone
    return viewer;
  }

  /** Reads until `count` more bytes have come. */
  async #receive(count: number): Promise<void> {
    const wanted = this.received + count;
    while (this.received < wanted) {
      const data = await this.#client.receive();
      if (!data) throw new Error(`the connection ended: ${this.#client.end.code}`);
      this.received += data.length;
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
      await this.#receive(PICTURE);
    }
    return (this.received - before) / (performance.now() - start) * 1000;
  }

  /** Median milliseconds from the request of a small update to its last byte. */
  async updateTime(): Promise<number> {
    const times: number[] = [];
    for (let update = 0; update < UPDATES; update++) {
      const start = performance.now();
      await this.#ask(SMALL, SMALL);
      await this.#receive(SMALL_BYTES);
      times.push(performance.now() - start);
    }
    return median(times);
  }

  close(): Promise<void> {
    return this.#client.close({ code: 1000, reason: "" });
  }
}

const service = await startService();
try {
  const fields = {
    url: `${service.pageUrl}static.html`,
    resolution: `${WIDTH}x${HEIGHT}`,
    fps: 5,
    audio: false,
  };
  const { id } = await service.create({ name: "Bench", ...fields });
  await until("the stream to run", 60_000, async () => (await service.status(id)).state === "running");
  await new Promise((done) => setTimeout(done, 4000));
  const rates = { direct: [] as number[], bridge: [] as number[] };
  const times = { direct: [] as number[], bridge: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 ? (["direct", "bridge"] as const) : (["bridge", "direct"] as const);
    for (const way of order) {
      const quick = await Viewer.open(service, id, way === "direct");
      times[way].push(await quick.updateTime());
      await quick.close();
      const busy = await Viewer.open(service, id, way === "direct");
      rates[way].push(await busy.throughput());
      await busy.close();
    }
  }
  const span = (values: number[], digits: number) =>
    `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${
      Math.max(...values).toFixed(digits)
    })`;
  const megabytes = (values: number[]) => span(values.map((value) => value / 1e6), 0);
  console.log(`MB/s of raw pictures: bridge ${megabytes(rates.bridge)}, direct ${megabytes(rates.direct)}`);
  console.log(`  ratio ${(median(rates.bridge) / median(rates.direct)).toFixed(2)}, the aim is 0.8 or more`);
  console.log(`ms per small update: bridge ${span(times.bridge, 2)}, direct ${span(times.direct, 2)}`);
  console.log(`  added ${(median(times.bridge) - median(times.direct)).toFixed(2)} ms, the aim is 5 or less`);
} finally {
  await service.stop();
}
