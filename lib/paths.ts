/** Where things are: every path of the service, from one Config. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Config } from "./config.ts";

export interface Paths {
  /** The stream list and the thumbnails: the only thing to back up. */
  streamsDir: string;
  streamsFile: string;
  /** The access tokens' hashes. */
  accessTokensFile: string;
  /** What the sessions are made with. No stream's folder can have its name. */
  sessionSecretFile: string;
  /** Where earlier versions kept the list. */
  oldStreamsFile: string;
  logsDir: string;
  configDir: string;
  programsDir: string;
  profilesDir: string;
  /** Everything below is gone after a stop. */
  runDir: string;
  hlsDir: string;
  specsDir: string;
  vncDir: string;
  /** Not in a folder of the pipeline's user, who could put a link in its place. */
  tokensFile: string;
  /** The login's user name and password for the web app alone: no environment of a program has them. */
  authUserFile: string;
  authPassFile: string;
  /** The key to the X displays. */
  xauthority: string;
  pulseDir: string;
  mediaDir: string;
  /** The front door's files, and the folder of the web app's socket, which it alone may enter. */
  frontDir: string;
  webDir: string;
  webSocket: string;
  /** What the playlists' EXT-X-DISCONTINUITY-SEQUENCE counts on from. */
  discontinuitiesFile: string;
  homeDir: string;
  /** Of the browsers, which leave a folder there each time they are killed. */
  tempDir: string;
  /** What the encoders' keys to the media server are made from. */
  publishSecretFile: string;
  supervisorSocket: string;
  upLock: string;
}

/** A short name for this data directory, so that several services live side by side. */
export function instanceName(config: Config): string {
  return `browser-stream-${createHash("sha256").update(config.DATA_DIR).digest("hex").slice(0, 8)}`;
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
    sessionSecretFile: join(config.DATA_DIR, "streams", "session.key"),
    oldStreamsFile: join(config.DATA_DIR, "streams.json"),
    logsDir: join(config.DATA_DIR, "logs"),
    configDir,
    programsDir: join(configDir, "streams"),
    profilesDir: join(pipelineDir, "profiles"),
    runDir,
    hlsDir: join(runDir, "hls"),
    specsDir: join(runDir, "streams"),
    vncDir: join(runDir, "vnc"),
    tokensFile: join(runDir, "tokens"),
    authUserFile: join(runDir, "auth-user"),
    authPassFile: join(runDir, "auth-pass"),
    xauthority: join(runDir, "xauthority"),
    pulseDir: join(runDir, "pulse"),
    mediaDir: join(runDir, "media"),
    frontDir: join(runDir, "front"),
    webDir: join(runDir, "web"),
    webSocket: join(runDir, "web", "http.sock"),
    discontinuitiesFile: join(runDir, "discontinuities.json"),
    homeDir: join(runDir, "home"),
    tempDir: join(runDir, "tmp"),
    publishSecretFile: join(runDir, "publish-secret"),
    supervisorSocket: join(runDir, "supervisor.sock"),
    upLock: join(runDir, "up.lock"),
  };
}
