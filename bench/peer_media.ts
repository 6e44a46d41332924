/** A media server as it is set up where nothing else stands before it: RTMP in, HLS of seconds out. */
import { join } from "node:path";
import { reserveSlot } from "../tests/support/slot.ts";
import { folderIn } from "./bench.ts";
import { startOther } from "./peer.ts";
import { within } from "../tests/support/within.ts";

export interface PeerMedia {
  /** Where to publish a channel. */
  publishUrl(name: string): string;
  playlistUrl(name: string): string;
}

const START_MS = 5000;

const config = (folder: string, rtmpPort: number, httpPort: number) => `
load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;
daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/log warn;
events { worker_connections 4096; }
rtmp {
  access_log off;
  server {
    listen 127.0.0.1:${rtmpPort};
    application live {
      live on; hls on; hls_path ${folder}/live; hls_nested on; hls_fragment 1s; hls_playlist_length 8s;
    }
  }
}
http {
  access_log off; sendfile on; tcp_nopush on;
  server {
    listen 127.0.0.1:${httpPort};
    root ${folder};
    types { application/vnd.apple.mpegurl m3u8; video/mp2t ts; }
    add_header Access-Control-Allow-Origin *; add_header Cache-Control no-cache;
  }
}
`;

/** Starts one that ends with the scope. */
export async function peerMediaIn(scope: AsyncDisposableStack): Promise<PeerMedia> {
  const folder = folderIn(scope, { dir: "/dev/shm" });
  const [rtmpPort, httpPort] = scope.use(reserveSlot()).ports;
  await Deno.writeTextFile(join(folder, "nginx.conf"), config(folder, rtmpPort, httpPort));
  scope.use(startOther(["/usr/sbin/nginx", "-e", "stderr", "-c", join(folder, "nginx.conf")], {}, "SIGTERM"));
  const url = `http://127.0.0.1:${httpPort}/live`;
  await within("the media server", START_MS, async () => {
    const answer = await fetch(url).catch(() => null);
    await answer?.body?.cancel();
    return answer !== null;
  });
  return {
    publishUrl: (name) => `rtmp://127.0.0.1:${rtmpPort}/live/${name}`,
    playlistUrl: (name) => `${url}/${name}/index.m3u8`,
  };
}
