/**
 * The hub of a browser that a test has started by itself. It runs as a worker, since what it reads would count as some
 * test's leak (lone_browser.ts starts it).
 */
import { Hub } from "../../lib/browser/hub.ts";
import { HubListener } from "../../lib/browser/hub_socket.ts";
import { sessionNote } from "../../lib/browser/hubs.ts";
import { BrowserPipe } from "../../lib/browser/pipe.ts";

export interface HubPaths {
  input: string;
  output: string;
  /** Where it listens. */
  socket: string;
  /** Of its session. */
  note: string;
}

const worker = self as unknown as {
  onmessage: (event: MessageEvent<HubPaths>) => void;
  postMessage(message: string): void;
};

worker.onmessage = async ({ data: { input, output, socket, note } }) => {
  let hub: Promise<Hub> | null = null;
  const open = () => {
    return Hub.open(new BrowserPipe({ input, output }), sessionNote(note));
  };
  await HubListener.listen(socket, 0o600, async (peer) => {
    hub ??= open();
    try {
      return (await hub).join(peer);
    } catch (error) {
      hub = null;
      throw error;
    }
  });
  worker.postMessage("listening");
};
