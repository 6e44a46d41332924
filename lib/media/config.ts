/** The media server's configuration, from its templates. */
import type { Config } from "../config.ts";
import type { Paths } from "../paths.ts";
import { applicationOf, longestSegmentMs, TARGETS } from "../streams/segments.ts";
import { render, type Templates } from "../templates.ts";
import { accessRules } from "./access.ts";
import { mediaListen } from "./listen.ts";

interface MediaSecrets {
  /** What the encoders' keys are made from. */
  publishSecret: string;
  /** What the web app shows; null without a login. */
  mediaKey: string | null;
}

/** nginx.conf with an application for each target duration. @param secrets of this run. */
export function mediaConfig(
  config: Config,
  paths: Pick<Paths, "runDir" | "hlsDir">,
  templates: Pick<Templates, "nginx" | "rtmpApplication">,
  { publishSecret, mediaKey }: MediaSecrets,
): string {
  const { mediaAccess, rtmpPlay } = accessRules(mediaKey);
  const applications = TARGETS.map((target) =>
    render(templates.rtmpApplication, {
      name: applicationOf(target),
      maxFragmentMs: longestSegmentMs(target),
      hls: paths.hlsDir,
      mediaPort: config.MEDIA_PORT,
      rtmpPlay,
    }).trimEnd().replaceAll("\n", "\n    ")
  );
  return render(templates.nginx, {
    run: paths.runDir,
    hls: paths.hlsDir,
    port: config.PORT,
    rtmpPort: config.RTMP_PORT,
    mediaPort: config.MEDIA_PORT,
    mediaListen: mediaListen(config),
    publishSecret,
    mediaAccess,
    applications: applications.join("\n    "),
  });
}
