/**
 * The hub of a browser that a test has started by itself. It runs as a worker, since what it reads would count as some
 * test's leak (lone_browser.ts starts it).
 */
import { Hub } from "../../lib/devtools/hub.ts";
import { HubListener } from "../../lib/devtools/hub_socket.ts";
import { BrowserPipe } from "../../lib/devtools/pipe.ts";

const worker = self as unknown as {
  onmessage: (event: MessageEvent<{ input: string; output: string; socket: string }>) => void;
  postMessage(message: string): void;
};

worker.onmessage = async ({ data: { input, output, socket } }) => {
  let hub: Promise<Hub> | null = null;
  const open = () => {
    const note = { read: () => Promise.resolve(null), write: () => Promise.resolve() };
    return Hub.open(new BrowserPipe({ input, output }), note);
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
