/**
 * The least that a web app on Deno can do: answers every request with one of the given files, whole, with the headers
 * and the form of body that the HLS proxy has. What it reaches is what the proxy could at most.
 *
 *     deno run -A bench/bare_server.ts PORT FILE…
 */
import { basename } from "node:path";
import { isPlaylist } from "../lib/media/hls.ts";
import { fileHeaders } from "../lib/media/hls_headers.ts";
import { atOnce } from "../lib/media/shared_file.ts";

const [port, ...paths] = Deno.args;
const files = new Map(paths.map((path) => {
  const bytes = Deno.readFileSync(path);
  const text = isPlaylist(path) ? new TextDecoder().decode(bytes) : null;
  const type = isPlaylist(path) ? "application/vnd.apple.mpegurl" : "video/mp2t";
  const headers = fileHeaders(path, { type, size: bytes.length, etag: isPlaylist(path) ? null : '"1"' });
  return [basename(path), { bytes, text, headers }];
}));

Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen() {} }, ({ url }) => {
  const { bytes, text, headers } = files.get(url.slice(url.lastIndexOf("/") + 1))!;
  return new Response(text ?? atOnce(bytes), { headers });
});
