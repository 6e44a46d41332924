/** Composition: builds every part of the service from a Config. The only file that knows them all. */
import { join } from "node:path";
import { Slots } from "./control/slots.ts";
import { captureThumbnail } from "./pipeline/thumbnail_capture.ts";
import type { Config } from "./config.ts";
import { PageWatchdog } from "./control/page_watchdog.ts";
import { noSuchStream } from "./errors.ts";
import { DiscontinuitySequences } from "./media/discontinuity_sequence.ts";
import { channelOf, playlistAge } from "./media/hls.ts";
import { HlsCache } from "./media/hls_cache.ts";
import { HlsProxy } from "./media/hls_proxy.ts";
import { type Paths, pathsOf } from "./paths.ts";
import { type ImportSummary, planImport } from "./streams/backup.ts";
import { Reconciler } from "./control/reconciler.ts";
import { StreamLogs } from "./streams/logs.ts";
import { reordered } from "./streams/order.ts";
import { streamStatus } from "./control/status.ts";
import { StreamStore } from "./streams/store.ts";
import { type PublicStream, publicStream, type Stream, type StreamStatus } from "./streams/schema.ts";
import { Thumbnails } from "./control/thumbnails.ts";
import { watch } from "./control/program_watchdog.ts";
import { Supervisor } from "./supervisor/control.ts";
import { askPrograms, ProgramStatus } from "./supervisor/status.ts";
import { lastLine } from "./system/files.ts";
import { errorText, log } from "./system/log.ts";
import { run, runBytes } from "./system/process.ts";
import { pipelineUser } from "./system/users.ts";
import type { Templates } from "./templates.ts";
import { VncGateway } from "./vnc/gateway.ts";
import { VncTokens } from "./vnc/tokens.ts";

export interface Service {
  config: Config;
  paths: Paths;
  templates: Templates;
  streams: {
    list(): PublicStream[];
    /** Another one after each change of what `list` answers, and after a new start. */
    version(): string;
    /** @throws {ServiceError} 404. */
    get(id: string): PublicStream;
    find(id: string): PublicStream | undefined;
    /** Sets the order of the cards; answers it. @throws {ServiceError} 400, 409 with the current order. */
    reorder(body: unknown): Promise<string[]>;
    /** What an import would do. @throws {ServiceError} 400. */
    previewImport(content: unknown): ImportSummary;
  };
  /** The logs of a stream's programs. @throws {ServiceError} 404. */
  logs(id: string): StreamLogs;
  lifecycle: Reconciler;
  thumbnails: Thumbnails;
  /** The channels for viewers. */
  hls: HlsProxy;
  /** Keeps the browsers on their streams' pages. */
  pages: PageWatchdog;
  /** The runtime state of all streams, by id; at most 3 s old. */
  statuses(): Promise<Record<string, StreamStatus>>;
  /** @throws {ServiceError} 404. */
  status(id: string): Promise<StreamStatus>;
  vnc: {
    /** The secret that opens the stream's display; it is for our own pages, never for a log. */
    tokenOf(id: string): string | undefined;
    /** How many people are in the stream's browser right now. */
    viewers(id: string): number;
    /** The answer to a WebSocket upgrade; null for every other request. */
    upgrade(request: Request, peer: Deno.Addr, publicHost: () => string): Response | null;
    /** Sends all viewers away; resolves when they are gone. */
    end(): Promise<void>;
  };
  /** Restores the desired states and watches them until `signal` aborts. */
  begin(signal: AbortSignal): void;
}

/**
 * Builds the service around an open store.
 * @throws {StreamFileError} when the stream list cannot be read.
 */
export async function buildService(
  config: Config,
  templates: Templates,
  executable: string[],
): Promise<Service> {
  const paths = pathsOf(config);
  const store = await StreamStore.open(paths.streamsFile);
  const status = new ProgramStatus(() => askPrograms(paths.supervisorSocket));
  const user = await pipelineUser(config.PIPELINE_USER);
  const tokens = new VncTokens(paths, user);
  const takeover = new VncGateway(tokens, config.VNC_PROXY_PORT);
  const thumbnails = new Thumbnails({
    streamsDir: paths.streamsDir,
    streams: () => store.list(),
    spec: (id) => lifecycle.spec(id),
    isBusy: (id) => lifecycle.isBusy(id),
    capture: (channel, signal) => captureThumbnail({ run: runBytes, user, ...paths }, channel, signal),
    now: Date.now,
  });
  const discontinuities = await DiscontinuitySequences.open(paths.discontinuitiesFile);
  await thumbnails.load().catch((error) =>
    log("warn", "thumbnails of earlier runs not read", { error: errorText(error) })
  );
  const lifecycle: Reconciler = new Reconciler({
    store,
    supervisor: new Supervisor(run, join(paths.configDir, "supervisord.conf")),
    status,
    slots: new Slots(config.DISPLAY_BASE, config.DEVTOOLS_PORT_BASE),
    tokens,
    thumbnails,
    programFiles: { template: templates.stream, executable, ...paths },
    paths,
    run,
    now: Date.now,
  });

  const pages = new PageWatchdog({
    running: () =>
      store.list().flatMap(({ id, url, desiredState }) => {
        const channel = desiredState === "running" ? lifecycle.spec(id) : undefined;
        return channel ? [{ id, url, port: channel.devtoolsPort, startedAt: channel.startedAt }] : [];
      }),
    isKnown: (id) => store.get(id) !== undefined,
    isBusy: (id) => lifecycle.isBusy(id),
    viewers: (id) => takeover.viewers(id),
    now: Date.now,
  });

  function known(id: string): Stream {
    const stream = store.get(id);
    if (!stream) throw noSuchStream(id);
    return stream;
  }

  async function statusOf(stream: Stream): Promise<StreamStatus> {
    const { blamed, ...shown } = streamStatus(stream, {
      programs: await status.programs(),
      playlistAge: await playlistAge(paths.hlsDir, stream.id),
      startedAt: lifecycle.startedAt(stream.id),
      problem: lifecycle.problem(stream.id),
      now: Date.now(),
    });
    const thumbAt = thumbnails.takenAt(stream.id);
    if (thumbAt !== undefined) shown.thumbAt = thumbAt;
    if (!blamed) return shown;
    const kind = blamed.name.slice(0, blamed.name.indexOf("-"));
    const line = await lastLine(join(paths.logsDir, stream.id, `${kind}.log`)) || blamed.problem;
    return { ...shown, reason: line ? `${shown.reason}. ${blamed.name}: ${line}` : shown.reason };
  }

  return {
    config,
    paths,
    templates,
    streams: {
      list: () => store.list().map(publicStream),
      version: () => store.version,
      get: (id) => publicStream(known(id)),
      find: (id) => {
        const stream = store.get(id);
        return stream && publicStream(stream);
      },
      reorder: async (body) => {
        let ids: string[] = [];
        await store.change((streams) => {
          const next = reordered(streams, body);
          ids = next.map(({ id }) => id);
          return next;
        });
        return ids;
      },
      previewImport: (content) => planImport(content, store.list()).summary,
    },
    logs: (id) => new StreamLogs(paths.logsDir, known(id).id),
    lifecycle,
    thumbnails,
    hls: new HlsProxy(
      new HlsCache(`http://127.0.0.1:${config.MEDIA_PORT}`, {
        rewritePlaylist: (path, playlist) => {
          const channel = channelOf(path);
          return channel === null ? playlist : discontinuities.numbered(channel, playlist);
        },
      }),
    ),
    pages,
    statuses: async () => {
      const all = await Promise.all(store.list().map(statusOf));
      return Object.fromEntries(all.map((one) => [one.id, one]));
    },
    status: (id) => statusOf(known(id)),
    vnc: {
      tokenOf: (id) => tokens.get(id),
      viewers: (id) => takeover.viewers(id),
      upgrade: (request, _peer, publicHost) => takeover.upgrade(request, publicHost),
      end: () => takeover.end(),
    },
    begin(signal) {
      signal.addEventListener("abort", () => lifecycle.end(), { once: true });
      watch({
        streams: () => store.list(),
        programs: () => status.programs(900),
        startedAt: (id) => lifecycle.startedAt(id),
        retry: (id) => lifecycle.retry(id),
        problem: (id) => lifecycle.problem(id),
        isBusy: (id) => lifecycle.isBusy(id),
        restartPrograms: (id, kinds) => lifecycle.restartPrograms(id, kinds),
        hlsDir: paths.hlsDir,
        now: Date.now,
      }, signal);
      thumbnails.begin(signal);
      pages.begin(signal);
      tokens.load()
        .then(() => lifecycle.restore())
        .catch((error) => log("error", "streams not restored", { error: errorText(error) }));
    },
  };
}
