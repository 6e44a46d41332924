/** `vnc-proxy`: the VNC proxy. */
import type { Config } from "../../config.ts";
import { execve } from "../../system/exec.ts";
import { killByCommand } from "../../system/orphans.ts";
import { sharedContext } from "./context.ts";

/** Becomes the VNC proxy, websockify. */
export async function vncProxy(config: Config): Promise<never> {
  const { paths, env } = await sharedContext(config, ({ vncProxyDir }) => vncProxyDir);
  // the token goes in the Host header, because websockify would write one in the address to its log
  const tokens = [
    ...["--host-token", "--token-plugin", "vnc_targets.StreamTargets", "--token-source", paths.tokensFile],
  ];
  // a proxy that was killed leaves children, which have its port for as long as somebody watches
  killByCommand(paths.runDir, "/usr/bin/websockify");
  const address = `127.0.0.1:${config.VNC_PROXY_PORT}`;
  const web = ["--web", "/usr/share/novnc", "--heartbeat", "30"];
  const python = { PYTHONPATH: paths.proxyPythonDir, PYTHONDONTWRITEBYTECODE: "1" };
  return execve(["/usr/bin/websockify", ...web, ...tokens, address], { ...env, ...python });
}
