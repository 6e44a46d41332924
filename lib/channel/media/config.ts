/** The media server's configuration, from its templates. */
import { basename, join } from "node:path";
import type { Config } from "../../config.ts";
import { networkRules } from "../../door/front/network_rules.ts";
import type { Paths } from "../../paths.ts";
import { applicationOf, longestSegmentMs, TARGETS } from "../../model/segments.ts";
import { render, type Templates } from "../../templates.ts";
import { accessRules } from "./access.ts";
import { mediaListen } from "./listen.ts";

/** Of one client: each takes three of the connections that the media server has in all (templates/nginx.conf). */
const MOST_CONNECTIONS = 2000;

/** Where the part that counts connections passes them on to the part that speaks HTTP. */
export function publicMediaSocket({ mediaDir }: Pick<Paths, "mediaDir">): string {
  return join(mediaDir, "public.sock");
}

interface MediaSecrets {
  /** What the encoders' keys are made from. */
  publishSecret: string;
  /** What the web app shows; null without a login. */
  mediaKey: string | null;
}

/** nginx.conf with an application for each target duration. @param secrets of this run. */
export function mediaConfig(
  config: Config,
  paths: Pick<Paths, "runDir" | "hlsDir" | "mediaDir" | "mediaSocket" | "mediaPlaySocket">,
  templates: Pick<Templates, "nginx" | "rtmpApplication" | "networks">,
  { publishSecret, mediaKey }: MediaSecrets,
): string {
  const { mediaAccess, rtmpPlay } = accessRules(mediaKey);
  const applications = TARGETS.map((target) =>
    render(templates.rtmpApplication, {
      name: applicationOf(target),
      maxFragmentMs: longestSegmentMs(target),
      hls: paths.hlsDir,
      // beside the folder that nginx works in: with a path, the request would have a Host that nginx refuses
      ownSocketName: basename(paths.mediaSocket),
      rtmpPlay,
    }).trimEnd().replaceAll("\n", "\n    ")
  );
  return render(templates.nginx, {
    run: paths.runDir,
    hls: paths.hlsDir,
    port: config.PORT,
    rtmpPort: config.RTMP_PORT,
    networks: networkRules(config, templates),
    maxConnections: Math.min(config.MAX_CONNECTIONS, MOST_CONNECTIONS),
    publicSocket: publicMediaSocket(paths),
    ownSocket: paths.mediaSocket,
    playSocket: paths.mediaPlaySocket,
    requestMs: config.TIMINGS.requestMs,
    mediaListen: mediaListen(config),
    publishSecret,
    mediaAccess,
    applications: applications.join("\n    "),
  });
}
