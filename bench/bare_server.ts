/**
 * The least that a web app on Deno can do: answers every request with one of the given files, whole, with as many
 * headers as the HLS proxy. What it reaches is what the proxy could at most.
 *
 *     deno run -A bench/bare_server.ts PORT FILE…
 */
const [port, ...paths] = Deno.args;
const HEADERS = {
  "content-type": "video/mp2t",
  "cache-control": "no-cache, no-store",
  "accept-ranges": "bytes",
  "last-modified": new Date().toUTCString(),
  "access-control-allow-origin": "*",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};
const files = new Map(paths.map((path) => {
  const bytes = Deno.readFileSync(path);
  const text = path.endsWith(".m3u8") ? new TextDecoder().decode(bytes) : null;
  return [path.split("/").at(-1)!, {
    bytes,
    text,
    headers: new Headers({ ...HEADERS, "content-length": `${bytes.length}` }),
  }];
}));

function asStream(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  }, { highWaterMark: 0 });
}

Deno.serve({ hostname: "127.0.0.1", port: Number(port) }, ({ url }) => {
  const { bytes, text, headers } = files.get(url.slice(url.lastIndexOf("/") + 1))!;
  return new Response(text ?? asStream(bytes), { headers });
});
