/** Questions to the programs that all streams share. */
import { captureQuestion } from "../../display/capture/sign_of_life.ts";
import type { Config } from "../../config.ts";
import { rtmpQuestion } from "../../channel/media/probe.ts";
import { localHost } from "../../machine/net/host.ts";
import type { Paths } from "../../paths.ts";
import { httpQuestion, type Question } from "../../machine/tools/probe.ts";
import type { SharedName } from "./shared_words.ts";

type Ports = Pick<Config, "HOST" | "PORT" | "MEDIA_PORT" | "RTMP_PORT" | "VNC_PROXY_PORT">;

/** The questions to each program. All its questions must be answered. */
export function sharedQuestions(
  config: Ports,
  { captureDir, mediaSocket }: Pick<Paths, "captureDir" | "mediaSocket">,
): Record<SharedName, readonly Question[]> {
  const here = (port: number) => ({ hostname: "127.0.0.1", port });
  return {
    // the media server would log a request for a path that it does not have
    media: [
      { ...httpQuestion({ transport: "unix", path: mediaSocket }, "/publish"), wantsBytes: true },
      rtmpQuestion(config.RTMP_PORT),
    ],
    // the VNC proxy logs each connection except an end without a byte
    "vnc-proxy": [{ address: here(config.VNC_PROXY_PORT), bytes: new Uint8Array(0) }],
    capture: [captureQuestion(captureDir)],
    front: [httpQuestion({ hostname: localHost(config.HOST), port: config.PORT }, "/healthz")],
  };
}
