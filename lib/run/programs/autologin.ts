/** `autologin ID`: the helper that logs in on a stream's page. */
import { type ProxyLogin, readProxyLogin } from "../../door/access/proxy_login.ts";
import { openOwners } from "../../door/access/secret_file.ts";
import type { Config } from "../../config.ts";
import { autoLogin } from "../../signin/autologin.ts";
import { browserAt, isTakenOver } from "../../browser/hub_socket.ts";
import { printReport } from "../../signin/report.ts";
import { hubSocket } from "../../paths.ts";
import type { StreamId } from "../../model/id.ts";
import { streamContext } from "./context.ts";
import { untilTerminated } from "./life.ts";

/** Logs in on a stream's page whenever the page asks for a login, until the helper is stopped. */
export async function autologin(config: Config, id: StreamId): Promise<never> {
  let proxyLogin: ProxyLogin | null = null;
  // the start has put the file into the web app's folder
  const asRoot = async () => void (proxyLogin = await readProxyLogin(config, openOwners));
  const { paths, spec: { stream } } = await streamContext(config, id, { asRoot });
  const browser = browserAt(hubSocket(paths, id));
  const login = {
    ...stream,
    proxyLogin,
    browser,
    isTakenOver: () => isTakenOver(browser),
    report: printReport,
    limits: config.TIMINGS.signIn,
  };
  return await untilTerminated((signal) => autoLogin(login, signal));
}
