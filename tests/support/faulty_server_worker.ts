/**
 * The web servers that have the fault a test asks for, each on one port all the time. They run as a worker, since what they
 * read and accept would count as some test's leak (faulty_server.ts starts it).
 */

const FAULTS: Record<string, string> = {
  "none": html("<h1>The page</h1>"),
  "401": html('<body style="background:#208040"><h1>Who?</h1>', 401, {
    "www-authenticate": 'Basic realm="wall"',
  }),
  "502": html("<h1>Bad gateway</h1>", 502),
  "204": head(204, {}),
  "download": html("PK", 200, { "content-type": "application/zip" }),
  "blank": html('<div id="root"></div>'),
  "memory": html(
    "<h1>Leak</h1><script>const all = []; setInterval(() => all.push(new Uint8Array(2 ** 26).fill(1)), 20)</script>",
  ),
  "moves": html(
    "<h1>Moves</h1><script>(function turn(at) { document.body.style.background = `hsl(${at / 9 % 360} 80% 50%)`;" +
      " requestAnimationFrame(turn); })(0)</script>",
  ),
  // it waits for an answer that never comes: a loop would take a core for as long
  "hangs": html(
    "<h1>Busy</h1><script>setTimeout(() => { for (;;) { try {" +
      ' const asked = new XMLHttpRequest(); asked.open("GET", "/never", false); asked.send(); } catch {} } }, 300)</script>',
  ),
};

function head(status: number, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `HTTP/1.1 ${status} X\r\n${lines}connection: close\r\n\r\n`;
}

function html(body: string, status = 200, more: Record<string, string> = {}): string {
  const page = body && status !== 204 && !more["content-type"]
    ? `<!doctype html><link rel="icon" href="data:,">${body}`
    : body;
  return head(status, { "content-type": "text/html", "content-length": String(page.length), ...more }) + page;
}

interface Tls {
  cert: string;
  key: string;
}

class FaultyServer {
  #fault = "none";
  #tls: Tls | undefined;
  #listener: Deno.Listener | null = null;
  #open = new Set<Deno.Conn>();
  readonly port: number;

  constructor(tls?: Tls) {
    this.#tls = tls;
    this.port = this.#listen(0);
  }

  /** Takes over a fault, and another certificate if one is given. */
  async set(fault: string, tls = this.#tls): Promise<void> {
    const isRestarted = fault === "refused" || tls !== this.#tls;
    this.#fault = fault;
    this.#tls = tls;
    for (const conn of this.#open) conn.close();
    this.#open.clear();
    if (isRestarted) {
      this.#listener?.close();
      this.#listener = null;
    }
    // the port is free only once the accept that was under way has ended
    for (let tries = 0; fault !== "refused" && !this.#listener; tries++) {
      try {
        this.#listen(this.port);
      } catch (error) {
        if (tries === 50) throw error;
        await new Promise((done) => setTimeout(done, 20));
      }
    }
  }

  #listen(port: number): number {
    const at = { hostname: "127.0.0.1", port };
    const listener = this.#tls ? Deno.listenTls({ ...at, ...this.#tls }) : Deno.listen(at);
    this.#listener = listener;
    this.#accept(listener);
    return (listener.addr as Deno.NetAddr).port;
  }

  async #accept(listener: Deno.Listener): Promise<void> {
    while (this.#listener === listener) {
      await listener.accept().then((conn) => void this.#talk(conn), () => {});
    }
  }

  async #talk(conn: Deno.Conn): Promise<void> {
    this.#open.add(conn);
    const buffer = new Uint8Array(4096);
    try {
      const size = await conn.read(buffer);
      if (size === null) return;
      if (this.#fault === "no answer") return void await conn.read(buffer);
      const asked = new TextDecoder("latin1").decode(buffer.subarray(0, size));
      if (asked.startsWith("GET /never ")) return void await conn.read(buffer);
      // any login will do
      const isSignedIn = this.#fault === "401" && /^authorization: basic/im.test(asked);
      await conn.write(new TextEncoder().encode(FAULTS[isSignedIn ? "none" : this.#fault]));
    } catch {
      // ended by the browser, or by the test; or the browser does not like the certificate
    } finally {
      if (this.#open.delete(conn)) conn.close();
    }
  }
}

const servers: FaultyServer[] = [];

const control = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
  const { server, fault, tls } = await request.json();
  if (server === undefined) return Response.json(servers.push(new FaultyServer(tls)) - 1);
  if (fault !== undefined) await servers[server].set(fault, tls);
  return Response.json(servers[server].port);
});

postMessage(control.addr.port);
