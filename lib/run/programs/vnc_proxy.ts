/** `vnc-proxy`: the VNC proxy. */
import type { Config } from "../../config.ts";
import { execve } from "../../machine/os/exec.ts";
import { killByCommand } from "../../machine/os/orphans.ts";
import { sharedContext } from "./context.ts";
import { hasSocket } from "./sockets.ts";

/** Becomes the VNC proxy, websockify. */
export async function vncProxy(config: Config): Promise<never> {
  const { paths, env } = await sharedContext(config, ({ vncProxyDir }) => vncProxyDir);
  // the token goes in the Host header, because websockify would log a token in the address
  const tokens = [
    ...["--host-token", "--token-plugin", "vnc_targets.StreamTargets", "--token-source", paths.tokensFile],
  ];
  // a killed proxy leaves children, as long as they have viewers
  killByCommand(paths.runDir, "/usr/bin/websockify");
  // the socket is its standard input, as inetd hands over a socket
  const [place, options] = hasSocket()
    ? [["--inetd"], { sockets: 1, isInput: true }]
    : [[`127.0.0.1:${config.VNC_PROXY_PORT}`], {}];
  const web = ["--web", "/usr/share/novnc", "--heartbeat", "30"];
  const python = { PYTHONPATH: paths.proxyPythonDir, PYTHONDONTWRITEBYTECODE: "1" };
  return execve(["/usr/bin/websockify", ...web, ...tokens, ...place], { ...env, ...python }, options);
}
