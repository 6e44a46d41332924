/**
 * The bridge's cost: bytes a second and the time of an update through the web app's port against the VNC proxy directly,
 * turn by turn in one run, with the same client.
 */
import { DEFAULT_TIMINGS } from "../lib/timings.ts";
import { connectToProxy } from "../lib/takeover/bridge.ts";
import type { Endpoint } from "../lib/machine/websocket/endpoint.ts";
import { type Encoding, RfbViewer } from "../tests/support/rfb.ts";
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
const SMALL = { width: 16, height: 16 };

/** What a viewer needs of a WebSocket, over our own client: only that can send a token as the host. */
function asSocket(endpoint: Endpoint): WebSocket {
  const socket = {
    readyState: WebSocket.OPEN,
    send: (bytes: Uint8Array) => void endpoint.send(bytes),
    close: () => void endpoint.close({ code: 1000, reason: "" }),
  } as unknown as WebSocket;
  (async () => {
    for (let data; (data = await endpoint.receiveBytes());) {
      socket.onmessage!({ data: data.slice().buffer } as MessageEvent);
    }
    socket.onclose!(endpoint.closed as CloseEvent);
  })();
  return socket;
}

/** Opens a viewer of a stream by one of the two ways. */
async function open(service: TestService, id: string, way: keyof Ways, encoding: Encoding) {
  const { token } = await (await service.api("GET", `/api/streams/${id}/vnc`)).json();
  const { host, port, origin } = new URL(service.url);
  const target = way === "direct"
    ? { at: Number(service.env.VNC_PROXY_PORT), path: "/", host: token }
    // the client has no use for other headers
    : { at: Number(port), path: `/?token=${token}`, host: `${host}\r\nOrigin: ${origin}` };
  return await RfbViewer.connect(asSocket(await connectToProxy(target, DEFAULT_TIMINGS.vnc)), encoding);
}

/** MB a second of whole pictures, one asked for ahead. */
async function throughput(viewer: RfbViewer): Promise<number> {
  viewer.request(false);
  const [start, before] = [performance.now(), viewer.received];
  while (performance.now() - start < SECONDS * 1000) {
    viewer.request(false);
    await viewer.update();
  }
  return (viewer.received - before) / (performance.now() - start) / 1000;
}

/** Median milliseconds from the request of a small update to its last byte. */
async function updateTime(viewer: RfbViewer): Promise<number> {
  const times: number[] = [];
  while (times.length < UPDATES) {
    const start = performance.now();
    viewer.request(false, SMALL);
    await viewer.update();
    times.push(performance.now() - start);
  }
  return median(times);
}

/** What each way gave, a number a round. */
type Ways = Record<"bridge" | "direct", number[]>;

/** Of `measure`, in each round by both ways, each of which begins every other round. */
async function compare(
  service: TestService,
  id: string,
  encoding: Encoding,
  measure: (viewer: RfbViewer) => Promise<number>,
): Promise<Ways> {
  const given: Ways = { direct: [], bridge: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of round % 2 ? (["direct", "bridge"] as const) : (["bridge", "direct"] as const)) {
      await using viewer = await open(service, id, way, encoding);
      given[way].push(await measure(viewer));
    }
  }
  return given;
}

function row(what: string, { bridge, direct }: Ways, unit: string, better: Row["better"]): Row {
  const all = (values: number[]) => values.map((one) => one.toFixed(2)).join(" ");
  progress(`${what}, ${unit}: bridge ${all(bridge)}, direct ${all(direct)}`);
  const beside = "websockify asked directly";
  return { name: `VNC, ${what}`, ours: median(bridge), baseline: median(direct), beside, unit, better };
}

export const vnc: Bench = {
  name: "vnc",
  limitMs: 240_000,
  async run(scope) {
    const service = await serviceIn(scope);
    const { id } = await service.create({
      name: "Bench",
      url: `${service.pageUrl}camera.html`,
      resolution: "1280x720",
      fps: 5,
      audio: false,
    });
    await service.untilState(id, "running");
    await pause(SETTLE_MS);
    const pictures = (encoding: Encoding) => compare(service, id, encoding, throughput);
    return [
      row("whole pictures, ZRLE", await pictures("zrle"), "MB/s", "more"),
      row("whole pictures, raw", await pictures("raw"), "MB/s", "more"),
      row("a small update", await compare(service, id, "raw", updateTime), "ms", "less"),
    ];
  },
};
