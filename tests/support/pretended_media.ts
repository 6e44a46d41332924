/**
 * The media servers of machines in virtual time, where nothing has sockets: what encoders write is below each machine's
 * folder, in lists as nginx writes them, and is asked for by the machine's port.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { channelDir, playlistFile } from "../../lib/channel/media/hls.ts";
import type { StreamId } from "../../lib/model/id.ts";
import { firstSequence } from "../../lib/model/segments.ts";
import type { TestApp } from "./app.ts";

/** Segments in a list. */
const LISTED = 8;

interface Channel {
  /** Of the encoder that wrote last. */
  pid: number;
  /** The number of the first entry, and the entries. */
  first: number;
  entries: string[];
}

export class PretendedMedia implements Disposable {
  #real = globalThis.fetch;
  #apps = new Map<string, TestApp>();

  /** Takes the place of the network until it is disposed of. */
  constructor() {
    globalThis.fetch = (input, init) => this.#answer(new URL(String(input)), init?.method ?? "GET");
  }

  [Symbol.dispose](): void {
    globalThis.fetch = this.#real;
  }

  /** Lets encoders of a machine write, and viewers read. Each segment says whose it is. */
  serve(app: TestApp, name: string): void {
    const channels = new Map<StreamId, Channel>();
    // names tell the time: of no two machines the same, as it is by chance
    const later = this.#apps.size;
    this.#apps.set(String(app.config.MEDIA_PORT), app);
    app.living!.onsegment = (id) => {
      const folder = channelDir(app.paths.hlsDir, id);
      if (!existsSync(folder)) return;
      const file = playlistFile(app.paths.hlsDir, id);
      const pid = app.living!.pid(`encoder-${id}`);
      const known = existsSync(file) ? channels.get(id) : undefined;
      const least = app.service.fleet.get(id).spec?.sequence ?? 0;
      const channel = known ?? { pid: 0, first: Math.max(firstSequence(Date.now()), least), entries: [] };
      channels.set(id, channel);
      const segment = `${Date.now() + later}.ts`;
      const mark = channel.pid === pid ? "" : "#EXT-X-DISCONTINUITY\n";
      channel.pid = pid;
      channel.entries.push(`${mark}#EXTINF:1.000,\n${segment}\n`);
      const left = channel.entries.splice(0, channel.entries.length - LISTED).length;
      channel.first += left;
      Deno.writeTextFileSync(join(folder, segment), `${name}: ${segment}`);
      Deno.writeTextFileSync(
        file,
        `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:${channel.first}\n#EXT-X-TARGETDURATION:1\n` +
          channel.entries.join(""),
      );
    };
  }

  async #answer({ port, pathname }: URL, method: string): Promise<Response> {
    const app = this.#apps.get(port);
    if (!app) throw new TypeError("nobody listens there");
    try {
      const bytes = await Deno.readFile(join(app.paths.hlsDir, pathname));
      const type = pathname.endsWith(".ts") ? "video/mp2t" : "application/vnd.apple.mpegurl";
      const headers = { "content-type": type, "content-length": String(bytes.length) };
      return new Response(method === "HEAD" ? null : bytes, { headers });
    } catch {
      return new Response("none", { status: 404 });
    }
  }
}
