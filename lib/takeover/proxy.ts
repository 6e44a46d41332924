/** The VNC proxy, which listens on loopback. */
import { isListeningAsService } from "../machine/os/ports.ts";

export interface VncProxy {
  /** On 127.0.0.1. */
  port: number;
  /** Whether what listens there is ours: nobody else sees a display's token, or has scripts in the service's pages. */
  isOurs(): Promise<boolean>;
}

/** The proxy of this run: its port is held by the user that owns the run directory, from the start to the end. */
export function proxyOfRun(port: number, runDir: string): VncProxy {
  return {
    port,
    isOurs: async () => await isListeningAsService(runDir, port),
  };
}
