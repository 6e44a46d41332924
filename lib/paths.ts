/** Where things are: every path of the service, from one Config. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Config } from "./config.ts";
import type { StreamId } from "./model/id.ts";

export interface Paths {
  /** The stream list and the thumbnails: the only thing to back up. */
  streamsDir: string;
  streamsFile: string;
  heartbeatsFile: string;
  monthFile: string;
  /** What the playlists' EXT-X-DISCONTINUITY-SEQUENCE counts on from. */
  discontinuitiesFile: string;
  /** Room for the stream list on a full disk. */
  reserveFile: string;
  /** The access tokens' hashes. */
  accessTokensFile: string;
  /** Who may log in beside AUTH_USER. */
  usersFile: string;
  /** The layouts of walls. */
  wallsFile: string;
  /** What the sessions are made with. No stream's folder can have its name. */
  sessionSecretFile: string;
  /** The tuner's device ID, by which clients know it again. */
  tunerFile: string;
  /** What the webhook's receiver was told, and what is still to be sent. */
  webhookFile: string;
  /** The receivers of messages that people set up, with their secrets. */
  receiversFile: string;
  /** Which streams of a cluster are this machine's. */
  ownStreamsFile: string;
  /** Where earlier versions kept the list. */
  oldStreamsFile: string;
  /** The operator's own browser extensions, unpacked. */
  givenExtensionsDir: string;
  /** The copies that browsers get. */
  extensionsDir: string;
  logsDir: string;
  configDir: string;
  /** The extension of ours that takes WebRTC from pages. */
  withoutWebRtcDir: string;
  /** The extension of ours that mutes the tabs behind. */
  frontSoundDir: string;
  /** What supervisord loads beside its own modules. */
  pythonDir: string;
  /** Of the VNC proxy, for everybody to read. */
  proxyPythonDir: string;
  programsDir: string;
  profilesDir: string;
  /** The channels' past: a folder for each stream, of the capture program, which the web app reads. */
  rewindDir: string;
  /** Films of it that people had made: a folder for each stream, of the web app, whose sizes the capture program reads. */
  exportsDir: string;
  /** The certificates of the operator's own issuers. */
  caDir: string;
  /** Everything below is gone after a stop. Root's, as far as nothing else is said: it has folders for each user. */
  runDir: string;
  /** What the web app alone reads and writes. */
  webDir: string;
  /** What the programs of running streams were started with: the web app's. */
  specsDir: string;
  /** The login's user name and password, the web app's: no environment of a program has them. */
  authUserFile: string;
  authPassFile: string;
  /** The webhook's address, which may hold a secret, and what its messages are signed with: the web app's likewise. */
  webhookUrlFile: string;
  webhookSecretFile: string;
  metricsTokenFile: string;
  proxyLoginFile: string;
  clusterSecretFile: string;
  clusterLoginFile: string;
  /** Where the web app listens for the front door. */
  webSocket: string;
  /** Where it takes VNC viewers from it. */
  viewersSocket: string;
  frontDir: string;
  /** Where the slates of channels that start go on: the web app's. */
  slatesFile: string;
  /** With a login, what the web app shows the media server: without it, every user of the machine could watch there. */
  mediaKeyFile: string;
  /** What the tokens of walls' channels are made from: the web app's. */
  wallSecretFile: string;
  /** What the encoders' keys to the media server are made from. */
  publishSecretFile: string;
  /** What the start has promised of the programs' surroundings (lib/machine/os/promises.ts). */
  promisesFile: string;
  /** The kernel's rules for the streams' network, a file a user. */
  networkRulesDir: string;
  /** The issuers of certificates that a push takes for valid. */
  issuersFile: string;
  /** The web app writes it, and the VNC proxy reads it. */
  tokensFile: string;
  mediaDir: string;
  /** Where the web app asks the media server. */
  mediaSocket: string;
  /** Where the web app plays the channels by RTMP: every user of the machine reaches the port. */
  mediaPlaySocket: string;
  vncProxyDir: string;
  hlsDir: string;
  /** A folder for each stream, with its display's socket for the VNC proxy. */
  vncDir: string;
  /** A folder for each display in use, of its stream's user. */
  slotsDir: string;
  /** A copy of each display's key, for the web app, which covers displays. */
  displayKeysDir: string;
  /** A folder for each stream, root's, with the two pipes to its browser. */
  pipesDir: string;
  /** A folder for each stream, where the web app lets its helpers talk to its browser. */
  hubsDir: string;
  captureDir: string;
  /** The same for the capture program. */
  captureKeysDir: string;
  /** A folder for each display in use, with the capture program's sockets for its stream. */
  picturesDir: string;
  supervisorSocket: string;
  /** That of `up` alone: where others connect without end, the kernel refuses who comes to theirs. */
  supervisorOwnSocket: string;
  /** Where `up` listens for what only it may do. */
  brokerSocket: string;
  upLock: string;
}

/** A short name for this data directory, so that several services live side by side. */
export function instanceName(config: Config): string {
  return `browser-stream-${createHash("sha256").update(config.DATA_DIR).digest("hex").slice(0, 8)}`;
}

/** The name of this service's table of nftables. */
export function filterTable(config: Config): string {
  return instanceName(config).replaceAll("-", "_");
}

/** The paths of a service. RUN_DIR's default is short since socket paths have at most 107 bytes. */
export function pathsOf(config: Config): Paths {
  const pipelineDir = config.PIPELINE_DIR || config.DATA_DIR;
  const runDir = config.RUN_DIR || join("/dev/shm", instanceName(config));
  const configDir = join(pipelineDir, "config");
  return {
    streamsDir: join(config.DATA_DIR, "streams"),
    streamsFile: join(config.DATA_DIR, "streams", "streams.json"),
    accessTokensFile: join(config.DATA_DIR, "streams", "access-tokens.json"),
    usersFile: join(config.DATA_DIR, "streams", "users.json"),
    wallsFile: join(config.DATA_DIR, "streams", "walls.json"),
    discontinuitiesFile: join(config.DATA_DIR, "streams", "discontinuities.json"),
    heartbeatsFile: join(config.DATA_DIR, "streams", "heartbeats.json"),
    monthFile: join(config.DATA_DIR, "streams", "heartbeats-month.json"),
    reserveFile: join(config.DATA_DIR, "streams", ".reserve"),
    sessionSecretFile: join(config.DATA_DIR, "streams", "session.key"),
    tunerFile: join(config.DATA_DIR, "streams", "tuner.id"),
    webhookFile: join(config.DATA_DIR, "streams", "webhook.json"),
    receiversFile: join(config.DATA_DIR, "streams", "receivers.json"),
    ownStreamsFile: join(config.DATA_DIR, "streams", "own-streams.json"),
    oldStreamsFile: join(config.DATA_DIR, "streams.json"),
    caDir: config.CA_DIR || join(config.DATA_DIR, "ca"),
    givenExtensionsDir: join(config.DATA_DIR, "extensions"),
    extensionsDir: join(configDir, "extensions"),
    logsDir: join(config.DATA_DIR, "logs"),
    configDir,
    withoutWebRtcDir: join(configDir, "without-webrtc"),
    frontSoundDir: join(configDir, "front-sound"),
    pythonDir: join(configDir, "python"),
    proxyPythonDir: join(configDir, "vnc-proxy"),
    programsDir: join(configDir, "streams"),
    profilesDir: join(pipelineDir, "profiles"),
    rewindDir: join(pipelineDir, "rewind"),
    exportsDir: join(pipelineDir, "exports"),
    runDir,
    webDir: join(runDir, "web"),
    specsDir: join(runDir, "streams"),
    authUserFile: join(runDir, "web", "auth-user"),
    authPassFile: join(runDir, "web", "auth-pass"),
    webhookUrlFile: join(runDir, "web", "webhook-url"),
    webhookSecretFile: join(runDir, "web", "webhook-secret"),
    metricsTokenFile: join(runDir, "web", "metrics-token"),
    proxyLoginFile: join(runDir, "web", "proxy-login"),
    clusterSecretFile: join(runDir, "web", "cluster-secret"),
    clusterLoginFile: join(runDir, "web", "cluster-login"),
    webSocket: join(runDir, "door", "http.sock"),
    viewersSocket: join(runDir, "door", "viewers.sock"),
    frontDir: join(runDir, "front"),
    mediaKeyFile: join(runDir, "web", "media-key"),
    wallSecretFile: join(runDir, "web", "wall-secret"),
    publishSecretFile: join(runDir, "publish-secret"),
    promisesFile: join(runDir, "promises.json"),
    networkRulesDir: join(runDir, "network-rules"),
    issuersFile: join(runDir, "issuers.pem"),
    slatesFile: join(runDir, "web", "slates.json"),
    tokensFile: join(runDir, "tokens", "vnc"),
    mediaDir: join(runDir, "media"),
    mediaSocket: join(runDir, "media", "own.sock"),
    mediaPlaySocket: join(runDir, "media", "play.sock"),
    vncProxyDir: join(runDir, "vnc-proxy"),
    hlsDir: join(runDir, "hls"),
    vncDir: join(runDir, "vnc"),
    slotsDir: join(runDir, "slots"),
    displayKeysDir: join(runDir, "display-keys"),
    pipesDir: join(runDir, "pipes"),
    hubsDir: join(runDir, "hubs"),
    captureDir: join(runDir, "capture"),
    captureKeysDir: join(runDir, "capture-keys"),
    picturesDir: join(runDir, "pictures"),
    supervisorSocket: join(runDir, "supervisor", "supervisor.sock"),
    supervisorOwnSocket: join(runDir, "supervisor", "own.sock"),
    brokerSocket: join(runDir, "broker.sock"),
    upLock: join(runDir, "up.lock"),
  };
}

/** Where a stream's display lets the VNC proxy in. */
export function vncSocket({ vncDir }: Pick<Paths, "vncDir">, id: StreamId): string {
  return join(vncDir, id, "rfb");
}

export interface BrowserPipes {
  /** What the browser reads. */
  input: string;
  /** What it writes. */
  output: string;
}

/** The pipes by which a stream's browser is told and tells, in a folder of root's. */
export function browserPipes({ pipesDir }: Pick<Paths, "pipesDir">, id: StreamId): BrowserPipes {
  return { input: join(pipesDir, id, "in"), output: join(pipesDir, id, "out") };
}

/** Where the web app lets a stream's helpers talk to its browser. */
export function hubSocket({ hubsDir }: Pick<Paths, "hubsDir">, id: StreamId): string {
  return join(hubsDir, id, "ws");
}

/** Where the web app hands a stream's channel to the program that pushes it. */
export function pushSocket({ hubsDir }: Pick<Paths, "hubsDir">, id: StreamId): string {
  return join(hubsDir, id, "ts");
}

/** The web app's key to a display. */
export function displayKey({ displayKeysDir }: Pick<Paths, "displayKeysDir">, display: number): string {
  return join(displayKeysDir, String(display));
}

/** The capture program's key to a display. */
export function captureKey({ captureKeysDir }: Pick<Paths, "captureKeysDir">, display: number): string {
  return join(captureKeysDir, String(display));
}

/** How large a display has to be, for the capture program: what answers there may say otherwise. */
export function displaySizeFile(paths: Pick<Paths, "captureKeysDir">, display: number): string {
  return `${captureKey(paths, display)}.size`;
}

/** Where a display's encoder gets its pictures. */
export function picturesFolder({ picturesDir }: Pick<Paths, "picturesDir">, display: number): string {
  return join(picturesDir, String(display));
}

/** What belongs to a display while a stream has it. Short, since sockets are in it. */
export function slotPaths({ slotsDir }: Pick<Paths, "slotsDir">, display: number): SlotPaths {
  const folder = join(slotsDir, String(display));
  return {
    folder,
    xauthority: join(folder, "xauthority"),
    pulseDir: join(folder, "pulse"),
    homeDir: join(folder, "home"),
    tempDir: join(folder, "tmp"),
    busSocket: join(folder, "bus"),
  };
}

export interface SlotPaths {
  folder: string;
  /** The key to the X display. */
  xauthority: string;
  pulseDir: string;
  homeDir: string;
  /** Of the browser, which leaves a folder there each time it is killed. */
  tempDir: string;
  /** Of the browser's D-Bus. */
  busSocket: string;
}
