/** ffmpeg as the program that pushes a channel: the command line, and the file with what nobody else may read. Pure. */
import { hostText } from "../../../../machine/net/host.ts";
import { PASSPHRASE, type PushTarget } from "../../../../machine/net/push_target.ts";

/** Microseconds that a receiver may take nothing, and that a connection may take. */
const SILENT_US = 10_000_000;

/** Where ffmpeg connects to or listens. */
export interface PushAddress {
  /** An address. */
  name: string;
  port: number;
}

/**
 * ffmpeg's command line: the transport stream on stdin goes to the target as it is; progress comes on stdout.
 * @param at the target's address, as it was judged, or where to listen. By TLS ffmpeg gets the name instead, since it sends the server no
 * other: the certificate has to be that name's, and the kernel's rules judge the address that ffmpeg finds.
 * @param preset the file of `presetText`. @param issuers the file with the issuers of valid certificates.
 */
export function pushCommand(target: PushTarget, at: PushAddress, preset: string, issuers: string): string[] {
  const { protocol, host, port, isListener, latencyMs } = target;
  const place = protocol === "rtmps" ? `${host}:${port}` : hostText(at);
  const url = `${protocol}://${place}${protocol === "srt" ? "" : "/"}`;
  const network = protocol === "srt"
    ? [
      ...["-f", "mpegts", "-mode", isListener ? "listener" : "caller", "-timeout", String(SILENT_US)],
      ...(latencyMs === null ? [] : ["-latency", String(latencyMs * 1000)]),
      ...["-pes_payload_size", "0", "-mpegts_flags", "+pat_pmt_at_frames"],
    ]
    : [
      ...["-f", "flv", "-flvflags", "no_duration_filesize", "-rw_timeout", String(SILENT_US)],
      ...(protocol === "rtmps" ? ["-tls_verify", "1", "-ca_file", issuers] : []),
    ];
  return [
    "/usr/bin/ffmpeg",
    ...["-hide_banner", "-nostats", "-loglevel", "error", "-progress", "pipe:1", "-stats_period", "1"],
    ...["-fflags", "nobuffer", "-probesize", "500000", "-analyzeduration", "1500000", "-f", "mpegts"],
    ...[
      "-i",
      "pipe:0",
      "-map",
      "0:v:0",
      "-map",
      "0:a:0",
      "-c",
      "copy",
      "-flush_packets",
      "1",
      "-muxdelay",
      "0",
    ],
    ...["-fpre", preset, ...network, url],
  ];
}

/** RTMP's application, and the stream's name there, which is the key. "": there is none. */
function rtmpNames(path: string, key: string): { app: string; name: string } {
  const parts = path.split("/");
  const name = key === "" && parts.length > 1 ? parts.pop()! : key;
  return { app: parts.join("/"), name };
}

/** Shorter texts are no secrets, and hiding each of them would spoil the message. */
const SHORTEST_SECRET = 4;

/** The secrets of a push, whole and in their parts, the longest first: only the receiver may read them. */
export function pushSecrets({ path, streamId }: PushTarget, key: string): string[] {
  const whole = [rtmpNames(path, key).name, streamId];
  return [...whole, ...whole.flatMap((text) => text.split(/[?&=,:;]/))]
    .filter((text) => text.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length);
}

/**
 * The text of ffmpeg's preset file: names and keys, which every user of the machine would see in a command line.
 * @throws {Error} for a key that the target cannot have.
 */
export function presetText({ protocol, host, port, path, streamId }: PushTarget, key: string): string {
  if (protocol !== "srt") {
    const { app, name } = rtmpNames(path, key);
    if (name === "") throw new Error("the stream key is missing: it is the last part of an RTMP address");
    // the server gets its public name, as in a push without an address
    return `rtmp_app=${app}\nrtmp_playpath=${name}\nrtmp_tcurl=${protocol}://${host}:${port}/${app}\n`;
  }
  if (key !== "" && (key.length < PASSPHRASE.least || key.length > PASSPHRASE.most)) {
    throw new Error(`an SRT passphrase has ${PASSPHRASE.least} to ${PASSPHRASE.most} characters`);
  }
  return (streamId ? `srt_streamid=${streamId}\n` : "") + (key ? `passphrase=${key}\n` : "");
}
