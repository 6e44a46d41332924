/** Where the web app listens for the front door. */
import { removeTree } from "../../machine/os/files.ts";

const [PEER, PEER_PORT] = ["x-front-peer", "x-front-peer-port"];

/**
 * Serves what the front door passes on, as if each client were connected to us.
 * @param path in a folder of ours for the front door's group: nobody else but root can connect, and name the client.
 */
export async function serveFront(
  path: string,
  options: Pick<Deno.ServeOptions, "onError" | "onListen">,
  handler: (request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>,
): Promise<Deno.HttpServer<Deno.UnixAddr>> {
  await removeTree(path); // of a web app that was killed
  const server = Deno.serve({ ...options, path }, (request, info) => {
    // Deno calls it http+unix:, for which the rules of web addresses do not hold
    Object.defineProperty(request, "url", { value: request.url.replace("http+unix:", "http:") });
    return handler(request, clientInfo(request, info));
  });
  await Deno.chmod(path, 0o660);
  return server;
}

function clientInfo({ headers }: Request, info: Deno.ServeHandlerInfo<Deno.UnixAddr>): Deno.ServeHandlerInfo {
  const hostname = headers.get(PEER) ?? "";
  const port = Number(headers.get(PEER_PORT)) || 0;
  return {
    remoteAddr: { transport: "tcp", hostname, port },
    get completed() {
      return info.completed;
    },
  };
}
