/** Pushes a channel to another server, again and again: a receiver that is away is tried with growing pauses. */
import { pushPlace, type PushTarget } from "../../../../machine/net/push_target.ts";
import type { JudgedPlace } from "../../../../reach/reach.ts";
import type { PushReport } from "../../../../model/answers/push.ts";
import { happensWithin, sleep } from "../../../../machine/tools/time.ts";
import { presetText, pushCommand, pushSecrets } from "./command.ts";
import type { HeldPort } from "./held_port.ts";

/** A program under way that takes the channel and sends it. */
export interface PushRun {
  /** Takes the transport stream. */
  stdin: WritableStream<Uint8Array<ArrayBuffer>>;
  /** ffmpeg's lines of progress. */
  stdout: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Resolves with the end of its errors when it has ended. */
  ended: Promise<string>;
  kill(): void;
  /** The program has read its preset file. */
  opened(): Promise<void>;
}

/** The channel's end at the web app. */
export interface PushChannel {
  readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  report(report: PushReport): Promise<void>;
  close(): void;
}

export interface PusherParts {
  target: PushTarget;
  key: string;
  /** The file with the issuers of valid certificates. */
  issuers: string;
  /** Connects to the web app. @throws {Error} while it is away. */
  channel(): Promise<PushChannel>;
  /** A listener's port; null: the receiver is called. */
  held: Pick<HeldPort, "hold" | "rest" | "inner"> | null;
  /** One look at the target's name: its addresses, or why it may not be reached. It may lead elsewhere at the next try. */
  place(): Promise<JudgedPlace>;
  /** Starts a command line with the preset file's text. */
  run(command: (preset: string) => string[], presetText: string): Promise<PushRun>;
  /** Milliseconds of a steady clock. */
  elapsed(): number;
}

/** Milliseconds: the pause after the first failure, doubled each time, up to the longest. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** A push that went on for so long has recovered. */
const RECOVERED_MS = 60_000;
/** A receiver that is called may take so long until it takes something, and between two times that it does. */
const BEGIN_MS = 30_000;
const SILENT_MS = 20_000;

/** Pushes until the signal aborts. */
export async function push(parts: PusherParts, signal: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const { problem, sentMs, channel } = await pushOnce(parts, signal);
    if (signal.aborted) return;
    // a receiver that has had its fill is no failure: the next one may call at once
    if (sentMs >= RECOVERED_MS || (parts.held && sentMs > 0)) pauseMs = FIRST_PAUSE_MS;
    const place = pushPlace(parts.target);
    console.error(`${place}: ${problem}; the next try is in ${pauseMs / 1000} s`);
    await channel?.report({ state: "waiting", kbps: 0, problem, retrySeconds: pauseMs / 1000 }).catch(
      () => {},
    );
    // while it waits nobody takes the channel
    channel?.close();
    await sleep(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

interface Outcome {
  problem: string;
  /** Milliseconds that it was sending. */
  sentMs: number;
  /** Still open, for the report; null: the web app is away. */
  channel: PushChannel | null;
}

async function pushOnce(parts: PusherParts, signal: AbortSignal): Promise<Outcome> {
  const { target, key, issuers, elapsed } = parts;
  let channel: PushChannel | null = null;
  try {
    channel = await parts.channel();
    const text = presetText(target, key);
    const { addresses, problem } = await parts.place();
    if (problem !== null) return { problem, sentMs: 0, channel };
    await parts.held?.hold();
    const at = parts.held
      ? { name: "127.0.0.1", port: parts.held.inner }
      : { name: addresses[0], port: target.port };
    if (at.name === undefined) return { problem: NO_ADDRESS, sentMs: 0, channel };
    await channel.report({ state: "connecting", kbps: 0, problem: "", retrySeconds: 0 });
    const run = await parts.run((preset) => pushCommand(target, at, preset, issuers), text);
    return await follow(run, channel, target, pushSecrets(target, key), elapsed, signal);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error), sentMs: 0, channel };
  } finally {
    parts.held?.rest();
  }
}

/** Feeds a run, reports its progress, and ends it when its receiver takes nothing. */
async function follow(
  run: PushRun,
  channel: PushChannel,
  { isListener }: PushTarget,
  secrets: readonly string[],
  elapsed: () => number,
  signal: AbortSignal,
): Promise<Outcome> {
  const feeding = new AbortController();
  const fed = channel.readable.pipeTo(run.stdin, { signal: feeding.signal, preventCancel: true }).catch(
    () => {},
  );
  const seen = { bytes: 0, at: elapsed(), begunAt: null as number | null };
  let isHanging = false;
  const watching = (async () => {
    while (!feeding.signal.aborted) {
      await sleep(1000, feeding.signal);
      const limitMs = seen.begunAt === null ? BEGIN_MS : SILENT_MS;
      isHanging = elapsed() - seen.at > limitMs && !(isListener && seen.begunAt === null);
      if (isHanging) run.kill();
    }
  })();
  const stop = () => run.kill();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const { bytes } of progressOf(run.stdout)) {
      if (bytes <= seen.bytes) continue;
      const ms = elapsed() - seen.at;
      const kbps = Math.round((bytes - seen.bytes) * 8 / Math.max(ms, 1));
      [seen.bytes, seen.at] = [bytes, elapsed()];
      if (seen.begunAt === null) await run.opened();
      seen.begunAt ??= elapsed();
      await channel.report({ state: "sending", kbps, problem: "", retrySeconds: 0 });
    }
    const said = await run.ended;
    const problem = isHanging
      ? "the receiver accepts no data"
      : plainProblem(said, seen.begunAt !== null, secrets);
    return { problem, sentMs: seen.begunAt === null ? 0 : elapsed() - seen.begunAt, channel };
  } finally {
    signal.removeEventListener("abort", stop);
    feeding.abort();
    run.kill();
    await happensWithin(1000, Promise.all([fed, watching, run.ended]));
  }
}

/** The bytes that were sent so far, as ffmpeg says them once a second. */
async function* progressOf(
  stdout: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<{ bytes: number }> {
  let text = "";
  for await (const part of stdout.pipeThrough(new TextDecoderStream())) {
    text = (text + part).slice(-10_000);
    const lines = text.split("\n");
    text = lines.pop()!;
    for (const line of lines) {
      const bytes = /^total_size=(\d+)$/.exec(line)?.[1];
      if (bytes !== undefined) yield { bytes: Number(bytes) };
    }
  }
}

const NO_ADDRESS = "the receiver's name has no address";

/** ffmpeg's words for what went wrong, with plain ones: the first that fits counts. The last line alone may say "I/O error". */
const WORDS: [RegExp, string][] = [
  [/does not match hostname/i, "the receiver's certificate is for another name"],
  [
    /certificate/i,
    "the receiver's certificate is not valid: its issuer is not trusted here, or it has expired",
  ],
  [/Connection refused/, "the receiver refuses the connection: it does not run, or has another port"],
  [/timed out|Operation not permitted/, "the receiver does not answer"],
  [/resolve|not known|No address/i, NO_ADDRESS],
  [/^\[tls\]/m, "the receiver does not speak TLS as rtmps needs it: is it an rtmp address?"],
  [/RTMP handshake/, "the receiver does not speak RTMP: is it an rtmps address, or another port?"],
  [/Network is unreachable|No route/, "there is no way to the receiver"],
  [/Address already in use|Cannot assign/, "the port is another program's"],
];

/**
 * @param errors the end of ffmpeg's errors. @param hasBegun whether the receiver had taken something.
 * @param secrets the secrets of the push, which a receiver's answer may repeat, the longest first.
 */
export function plainProblem(errors: string, hasBegun: boolean, secrets: readonly string[]): string {
  if (hasBegun) return "the receiver has ended the connection";
  const words = WORDS.find(([pattern]) => pattern.test(errors))?.[1];
  // addresses may have a name that is a key
  const said = (errors.split("\n").at(-1) ?? "").replace(/^\[\w+\] */, "").replace(/\S+:\/\/\S*/g, "").trim();
  const last = secrets.reduce((text, secret) => text.replaceAll(secret, "…"), said);
  return words ?? `the receiver refused the stream (${last.slice(0, 200) || "no reason"})`;
}
