/** A socket for datagrams: Deno's own is unstable. */
import { createSocket } from "node:dgram";
import { once } from "node:events";

export interface Datagrams extends AsyncDisposable {
  port: number;
}

/** Hears what comes to a port of an address; an answer of `heard` is sent back. @param port 0: any that is free. */
export async function listenForDatagrams(
  hostname: string,
  port: number,
  heard: (bytes: Uint8Array) => Uint8Array | void,
): Promise<Datagrams> {
  const socket = createSocket(hostname.includes(":") ? "udp6" : "udp4");
  socket.on("message", (bytes, from) => {
    const answer = heard(bytes);
    if (answer) socket.send(answer, from.port, from.address);
  });
  socket.bind(port, hostname);
  await once(socket, "listening");
  return {
    port: socket.address().port,
    [Symbol.asyncDispose]: async () => {
      const closed = once(socket, "close");
      socket.close();
      await closed;
    },
  };
}
