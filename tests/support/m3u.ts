/**
 * A strict reader of IPTV playlists: takes what every app understands, and refuses the rest with its line. Stricter
 * than any player, so that nothing has to be guessed.
 */

export interface M3uChannel {
  /** The attributes of `#EXTINF`, by name. */
  attributes: Record<string, string>;
  /** What stands after the comma. */
  name: string;
  url: string;
}

export interface M3u {
  /** The attributes of `#EXTM3U`. */
  header: Record<string, string>;
  channels: M3uChannel[];
}

const HEADER = ["x-tvg-url", "url-tvg"];
const CHANNEL = ["tvg-id", "tvg-name", "tvg-chno", "channel-number", "tvg-logo", "group-title"];

const ATTRIBUTES = /^(?: [a-z][a-z0-9-]*="[^"]*")*/;

/**
 * Reads a playlist.
 * @param file its bytes, or its text. @throws {Error} naming the line and what is wrong with it.
 */
export function parseM3u(file: Uint8Array | string): M3u {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const lines = text.slice(0, -1).split("\n");
  const fail = (at: number, why: string): never => {
    throw new Error(`line ${at + 1}: ${why}: ${JSON.stringify(lines[at])}`);
  };
  lines.forEach((line, at) => {
    if (/[\p{Cc}\p{Zl}\p{Zp}\uFEFF]/u.test(line)) fail(at, "a control character or byte order mark");
    if (line.trim() === "") fail(at, "an empty line");
  });

  if (!/^#EXTM3U(?: |$)/.test(lines[0])) fail(0, "no #EXTM3U");
  const { attributes: header, rest } = readAttributes(lines[0].slice("#EXTM3U".length));
  if (rest !== "") fail(0, "something after the attributes");
  for (const name of HEADER) if (!isAbsolute(header[name])) fail(0, `no absolute ${name}`);

  const channels: M3uChannel[] = [];
  for (let at = 1; at < lines.length; at += 2) {
    if (!lines[at].startsWith("#EXTINF:-1")) fail(at, "no #EXTINF:-1");
    const { attributes, rest } = readAttributes(lines[at].slice("#EXTINF:-1".length));
    if (!rest.startsWith(",")) fail(at, 'attributes that are not name="value", or no comma after them');
    const name = rest.slice(1);
    if (name.trim() !== name || name === "" || name.includes('"')) fail(at, "no clean name after the comma");
    for (const key of CHANNEL) if (!(key in attributes)) fail(at, `no ${key}`);
    if (attributes["tvg-id"] === "") fail(at, "an empty tvg-id");
    if (attributes["tvg-name"] !== name) fail(at, "tvg-name is not the name");
    if (!/^[1-9]\d*$/.test(attributes["tvg-chno"])) fail(at, "tvg-chno is no number");
    if (attributes["channel-number"] !== attributes["tvg-chno"]) fail(at, "two channel numbers");
    if (!isAbsolute(attributes["tvg-logo"])) fail(at, "tvg-logo is not absolute");
    if (at + 1 >= lines.length) fail(at, "no address follows");
    if (!isAbsolute(lines[at + 1])) fail(at + 1, "no absolute address");
    channels.push({ attributes, name, url: lines[at + 1] });
  }
  for (const key of ["tvg-id", "tvg-chno"]) {
    const values = channels.map(({ attributes }) => attributes[key]);
    const twin = values.find((value, at) => values.indexOf(value) !== at);
    if (twin !== undefined) throw new Error(`two channels have ${key}="${twin}"`);
  }
  return { header, channels };
}

function readAttributes(text: string): { attributes: Record<string, string>; rest: string } {
  const attributes: Record<string, string> = {};
  const [listed] = ATTRIBUTES.exec(text)!;
  for (const [, name, value] of listed.matchAll(/ ([a-z][a-z0-9-]*)="([^"]*)"/g)) {
    if (name in attributes) throw new Error(`${name} stands twice in ${JSON.stringify(text)}`);
    attributes[name] = value;
  }
  return { attributes, rest: text.slice(listed.length) };
}

/** Whether it is a complete http or https address, written as URLs are: no spaces, no letters beyond ASCII. */
function isAbsolute(text: string | undefined): boolean {
  if (!text || !/^https?:\/\/[\x21-\x7e]+$/.test(text) || /["<>\\^`{|}]/.test(text)) return false;
  return URL.canParse(text) && new URL(text).username === "";
}
