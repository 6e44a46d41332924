/** Takeover by VNC as a viewer's browser does it: token, WebSocket, RFB. */
import { RfbViewer } from "./rfb.ts";
import { until } from "./same.ts";
import { type Reachable, type TestService } from "./service.ts";

/** A stream of tests/fixtures/takeover.html, which is light for the machine. */
export function takeoverStream(service: TestService, name: string, colour = "") {
  const url = `${service.pageUrl}takeover.html${colour && `#${colour}`}`;
  return { name, url, audio: false, fps: 5, resolution: "1280x720", scale: "640x360" };
}

export async function tokenOf(service: Reachable, id: string): Promise<string> {
  return (await (await service.api("GET", `/api/streams/${id}/vnc`)).json()).token;
}

export function openSocket(service: Reachable, token: string, path = "/websockify"): WebSocket {
  const options = { headers: { origin: service.url } };
  // Deno takes headers, which the types of the DOM do not know
  return new WebSocket(
    `${service.url.replace("http", "ws")}${path}?token=${token}`,
    options as unknown as string[],
  );
}

/** A viewer in a stream's display, as soon as it is up and has shown a picture: then it knows what the viewer can do. */
export async function enter(service: Reachable, token: string): Promise<RfbViewer> {
  let viewer: RfbViewer | null = null;
  await until("the display to let a viewer in", async () => {
    return viewer = await RfbViewer.connect(openSocket(service, token)).then(seeing).catch(() => null);
  });
  return viewer!;
}

async function seeing(viewer: RfbViewer): Promise<RfbViewer> {
  await viewer.refresh();
  return viewer;
}

/** Waits until a point of the remote page has one of the colours. */
export async function untilColour(viewer: RfbViewer, ...colours: number[]): Promise<void> {
  await until(`a colour of ${colours.map((one) => one.toString(16))}`, async () => {
    await viewer.refresh();
    return colours.includes(viewer.colour(1000, 600));
  });
}

/** The web app's process. */
export function webPid(service: TestService): number {
  const [pid] = service.processes(/browser-stream\S* serve$/);
  if (!pid) throw new Error("the web app does not run");
  return pid;
}
