/** A client of supervisord's that keeps its connection, as none of the service's own does. */
export class SupervisorConnection implements Disposable {
  readonly #connection: Deno.Conn;

  private constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  static async open(socket: string): Promise<SupervisorConnection> {
    return new SupervisorConnection(await Deno.connect({ transport: "unix", path: socket }));
  }

  /** Sends a call, whose parameters are strings, and waits for no answer. */
  async send(method: string, ...parameters: string[]): Promise<void> {
    const values = parameters.map((text) => `<param><value><string>${text}</string></value></param>`);
    const body = `<?xml version="1.0"?><methodCall><methodName>supervisor.${method}</methodName>` +
      `<params>${values.join("")}</params></methodCall>`;
    const head = `POST /RPC2 HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}`;
    await this.#connection.write(new TextEncoder().encode(`${head}\r\n\r\n${body}`));
  }

  /** The answer to a call as it came. */
  async ask(method: string, ...parameters: string[]): Promise<string> {
    await this.send(method, ...parameters);
    return await this.answer();
  }

  /** The answer to one call as it came. */
  async answer(): Promise<string> {
    const bytes = new Uint8Array(4096);
    let text = "";
    while (!text.includes("</methodResponse>")) {
      const length = await this.#connection.read(bytes);
      if (length === null) throw new Error(`supervisord closed the connection: ${text}`);
      text += new TextDecoder().decode(bytes.subarray(0, length));
    }
    return text;
  }

  [Symbol.dispose]() {
    this.#connection.close();
  }
}
