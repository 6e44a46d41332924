/** A web server that has the fault a test asks for, on one port all the time (faulty_server_worker.ts). */

export type Fault =
  | "none"
  | "401"
  | "502"
  | "204"
  | "download"
  | "blank"
  | "hangs"
  | "memory"
  | "moves"
  | "no answer"
  | "refused";

interface Tls {
  cert: string;
  key: string;
}

export interface FaultyServer {
  url: string;
  set(fault: Fault, tls?: Tls): Promise<void>;
}

export interface FaultyServers extends Disposable {
  /** @param tls certificates and key, for https. */
  start(tls?: Tls): Promise<FaultyServer>;
}

export async function faultyServers(): Promise<FaultyServers> {
  const worker = new Worker(new URL("faulty_server_worker.ts", import.meta.url), { type: "module" });
  const port = await new Promise<number>((done) => worker.onmessage = ({ data }) => done(data));
  const ask = async (body: unknown): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(body) });
    return await answer.json();
  };
  return {
    async start(tls) {
      const server = await ask({ tls });
      const own = await ask({ server });
      return {
        url: `${tls ? "https" : "http"}://127.0.0.1:${own}/`,
        async set(fault, tls) {
          await ask({ server, fault, tls });
        },
      };
    },
    [Symbol.dispose]: () => worker.terminate(),
  };
}
