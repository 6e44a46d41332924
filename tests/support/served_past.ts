/** A channel's past on a real disk, of which the real ffmpeg makes what players ask for over HTTP. */
import { runBytes } from "../../lib/machine/os/process.ts";
import { streamId } from "../../lib/model/id.ts";
import type { PastElsewhere } from "../../lib/store/pieces.ts";
import { LIST_TYPE } from "../../lib/rewind/film.ts";
import { Rewind, type StreamPast } from "../../lib/rewind/rewind.ts";
import { tempDir } from "./fixture.ts";
import { pastFolder, type PastPiece, writePast } from "./past.ts";

export interface ServedPast extends AsyncDisposable {
  past: StreamPast;
  /** The address of a list. */
  list(query: string): string;
}

/** @param now Unix time in s. @param elsewhere what other nodes keep. */
export async function servedPast(
  pieces: readonly PastPiece[],
  now: number,
  elsewhere?: PastElsewhere,
): Promise<ServedPast> {
  const dir = await tempDir();
  await writePast(pastFolder({ rewindDir: dir.path }), pieces);
  const rewind = new Rewind({ folder: dir.path, machine: { runBytes, now: () => now * 1000 }, elsewhere });
  const past = rewind.of({ id: streamId("clock") }, "operator");
  const answer = async ({ url, signal }: Request) => {
    const { pathname, searchParams } = new URL(url);
    if (pathname === "/healthz") return new Response("ok", { headers: { "content-type": "text/html" } });
    if (pathname === "/index.m3u8") {
      return new Response(await past.list(searchParams, []), { headers: { "content-type": LIST_TYPE } });
    }
    const { bytes } = await past.segment(searchParams, signal);
    return new Response(bytes, { headers: { "content-type": "video/mp2t" } });
  };
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen() {},
    onError: (error) => new Response(String(error), { status: 404 }),
  }, answer);
  return {
    past,
    list: (query) => `http://127.0.0.1:${server.addr.port}/index.m3u8?${query}`,
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await dir[Symbol.asyncDispose]();
    },
  };
}
