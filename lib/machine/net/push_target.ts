/** The server that a channel is pushed to, as people type it. Pure, and light enough for the form. */

export interface PushTarget {
  protocol: "rtmp" | "rtmps" | "srt";
  /** As URL.hostname has it for web addresses: in lower case, IPv4 in four numbers, IPv6 in brackets. */
  host: string;
  port: number;
  /** SRT alone: whether the receiver calls, and we wait for it at the port. */
  isListener: boolean;
  /** RTMP alone: the path without its first slash, such as "live2". */
  path: string;
  /** SRT alone: milliseconds; null: the receiver's wish. */
  latencyMs: number | null;
  /** SRT alone; "" without one. */
  streamId: string;
}

const PORTS = { rtmp: 1935, rtmps: 443, srt: null };

/** A port below is another service's. */
const FIRST_LISTENING_PORT = 1024;

/** The bounds of an SRT passphrase, characters. Source: libsrt, SRTO_PASSPHRASE. */
export const PASSPHRASE = { least: 10, most: 64 };

const EXAMPLES = "Examples: rtmp://a.rtmp.youtube.com/live2, srt://receiver.example.org:9000";

/** The target of a text; a problem, which a person can mend, for any other text. */
export function readPushTarget(text: string): PushTarget | string {
  const [, scheme, rest] = /^([a-z]+):\/\/([^]*)$/i.exec(text) ?? [];
  const protocol = (["rtmp", "rtmps", "srt"] as const).find((one) => one === scheme?.toLowerCase());
  if (!protocol) return `The address begins with rtmp://, rtmps:// or srt://. ${EXAMPLES}`;
  // deno-lint-ignore no-control-regex -- what no address has
  if (/[\s\x00-\x1f\x7f\\#]/.test(text)) return `The address has no blanks, backslashes and "#". ${EXAMPLES}`;
  // parsed as a web address: hosts of other schemes stay as they were typed
  if (!URL.canParse(`http://${rest}`)) return `The address has no valid host. ${EXAMPLES}`;
  const { hostname, username, password, pathname, searchParams, search } = new URL(`http://${rest}`);
  const typedPort = /^(?:\[[^\]]*\]|[^/?:]*):(\d{1,5})(?:[/?]|$)/.exec(rest)?.[1];
  const port = typedPort === undefined ? PORTS[protocol] : Number(typedPort);
  if (username + password !== "") {
    return `The address has no user and password. The key has a field of its own. ${EXAMPLES}`;
  }
  if (!/^([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/.test(hostname)) {
    return `The address has no valid host. ${EXAMPLES}`;
  }
  if (port === null || port < 1 || port > 65535) {
    return `The address needs a port from 1 to 65535. ${EXAMPLES}`;
  }
  const common = {
    protocol,
    host: hostname,
    port,
    isListener: false,
    path: "",
    latencyMs: null,
    streamId: "",
  };
  if (protocol !== "srt") {
    const path = pathname.slice(1).replace(/\/+$/, "");
    if (search !== "") return 'What follows a "?" belongs to the stream key, which has a field of its own.';
    if (!/^[\w.~%@:+,!$()*-]+(\/[\w.~%@:+,!$()*-]+)*$/.test(path)) {
      return "The address needs the server's application. Example: rtmp://a.rtmp.youtube.com/live2";
    }
    return { ...common, path };
  }
  if (pathname !== "/" && pathname !== "") return `An SRT address has no path. ${EXAMPLES}`;
  return srtTarget(common, searchParams);
}

function srtTarget(common: PushTarget, query: URLSearchParams): PushTarget | string {
  const unknown = [...query.keys()].find((name) => !["mode", "latency", "streamid"].includes(name));
  if (unknown === "passphrase") return "The passphrase belongs to the key, which has a field of its own.";
  if (unknown !== undefined) {
    return `An SRT address takes mode, latency and streamid, and no ${unknown.slice(0, 40)}.`;
  }
  const mode = query.get("mode") || "caller";
  if (mode !== "caller" && mode !== "listener") return "mode is caller or listener.";
  const latency = query.get("latency") || null;
  if (latency !== null && !(/^\d{1,5}$/.test(latency) && Number(latency) <= 10_000)) {
    return "latency is in milliseconds, 0 to 10000. Example: srt://receiver.example.org:9000?latency=200";
  }
  const streamId = query.get("streamid") ?? "";
  if (!/^[\x21-\x7e]{0,512}$/.test(streamId)) return "streamid has at most 512 letters, digits and signs.";
  const isListener = mode === "listener";
  if (isListener && !/^(0\.0\.0\.0|\[::\])$/.test(common.host)) {
    return "A listener waits at all addresses. Example: srt://0.0.0.0:9000?mode=listener";
  }
  if (isListener && common.port < FIRST_LISTENING_PORT) return "A listener's port is 1024 or more.";
  return { ...common, isListener, latencyMs: latency === null ? null : Number(latency), streamId };
}

/** The problem of a text; null: it is a target, or empty. */
export function pushTargetProblem(text: string): string | null {
  if (text === "") return null;
  const target = readPushTarget(text);
  return typeof target === "string" ? target : null;
}

/** The target of a valid text; null for any other. */
export function parsePushTarget(text: string): PushTarget | null {
  const target = text === "" ? "" : readPushTarget(text);
  return typeof target === "string" ? null : target;
}

/** The target's host and port, for people and comparison. */
export function pushPlace({ protocol, host, port, isListener }: PushTarget): string {
  return isListener ? `${protocol} listener at ${port}` : `${protocol}://${host}:${port}`;
}
