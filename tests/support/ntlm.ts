/** The server's side of NTLM, version 2. Source: MS-NLMP, sections 2.2.1 and 3.3.2; MD4 is RFC 1320. */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

const SIGNATURE = "NTLMSSP\0";

const hmac = (key: Uint8Array, ...parts: Uint8Array[]) => {
  const sum = createHmac("md5", key);
  for (const part of parts) sum.update(part);
  return sum.digest();
};

const utf16 = (text: string) => Buffer.from(text, "utf16le");

/** Of fewer than 56 bytes: a password's. */
function md4(text: Uint8Array): Buffer {
  const block = Buffer.alloc(64);
  block.set(text);
  block[text.length] = 0x80;
  block.writeUInt32LE(text.length * 8, 56);
  const words = Array.from({ length: 16 }, (_, at) => block.readUInt32LE(at * 4));
  const first = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  let [a, b, c, d] = first;
  const rounds = [
    {
      mix: (x: number, y: number, z: number) => (x & y) | (~x & z),
      add: 0,
      shifts: [3, 7, 11, 19],
      order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    },
    {
      mix: (x: number, y: number, z: number) => (x & y) | (x & z) | (y & z),
      add: 0x5a827999,
      shifts: [3, 5, 9, 13],
      order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    },
    {
      mix: (x: number, y: number, z: number) => x ^ y ^ z,
      add: 0x6ed9eba1,
      shifts: [3, 9, 11, 15],
      order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
    },
  ];
  for (const { mix, add, shifts, order } of rounds) {
    order.forEach((word, at) => {
      const sum = (a + mix(b, c, d) + words[word] + add) | 0;
      const shift = shifts[at % 4];
      [a, b, c, d] = [d, (sum << shift) | (sum >>> (32 - shift)), b, c];
    });
  }
  const digest = Buffer.alloc(16);
  [a, b, c, d].forEach((word, at) => digest.writeUInt32LE((word + first[at]) >>> 0, at * 4));
  return digest;
}

/** A conversation by one connection. */
export class NtlmServer {
  readonly challenge = crypto.getRandomValues(new Uint8Array(8));

  /** What is said to a client's first message: base64. */
  ask(): string {
    const name = utf16("WALL");
    const pair = (id: number, value: Buffer) => {
      const head = Buffer.alloc(4);
      head.writeUInt16LE(id, 0);
      head.writeUInt16LE(value.length, 2);
      return Buffer.concat([head, value]);
    };
    const info = Buffer.concat([pair(2, name), pair(1, name), pair(0, Buffer.alloc(0))]);
    const head = Buffer.alloc(56);
    head.write(SIGNATURE, "latin1");
    head.writeUInt32LE(2, 8);
    const field = (at: number, length: number, offset: number) => {
      head.writeUInt16LE(length, at);
      head.writeUInt16LE(length, at + 2);
      head.writeUInt32LE(offset, at + 4);
    };
    field(12, name.length, head.length);
    // unicode, a target and its information, NTLM, extended session security, 128 and 56 bits
    head.writeUInt32LE(0xa08a8205, 20);
    head.set(this.challenge, 24);
    field(40, info.length, head.length + name.length);
    return Buffer.concat([head, name, info]).toString("base64");
  }

  /** Whether a client's last message has this login. */
  isRight(message: Buffer, user: string, pass: string): boolean {
    const field = (at: number) => {
      const offset = message.readUInt32LE(at + 4);
      return message.subarray(offset, offset + message.readUInt16LE(at));
    };
    const [response, domain, name] = [20, 28, 36].map(field);
    if (name.toString("utf16le") !== user) return false;
    const key = hmac(md4(utf16(pass)), utf16(user.toUpperCase() + domain.toString("utf16le")));
    return hmac(key, this.challenge, response.subarray(16)).equals(response.subarray(0, 16));
  }
}

/** A client's message in an Authorization header; null for anything else. */
export function ntlmMessage(given: string | null): { type: number; bytes: Buffer } | null {
  const bytes = Buffer.from(/^NTLM (\S+)$/i.exec(given ?? "")?.[1] ?? "", "base64");
  return bytes.toString("latin1", 0, 8) === SIGNATURE ? { type: bytes.readUInt32LE(8), bytes } : null;
}
