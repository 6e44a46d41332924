/** A client's one line. */

/** The line, without its line feed. @param most its bytes at most, with the line feed. @throws {Error} when no such line comes. */
export async function readLine(connection: Deno.Conn, most: number): Promise<string> {
  const bytes = new Uint8Array(most);
  for (let length = 0; length < bytes.length;) {
    const read = await connection.read(bytes.subarray(length));
    if (read === null) break;
    length += read;
    if (bytes[length - 1] === 0x0a) return new TextDecoder().decode(bytes.subarray(0, length - 1));
  }
  throw new Error("no line came");
}
