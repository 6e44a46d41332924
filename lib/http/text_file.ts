/**
 * A generated text file that clients fetch again and again. Its length is told by us, so that HEAD tells it as well:
 * Deno would say 0 there.
 */
export function textFile(text: string, type: string, headers: Record<string, string> = {}): Response {
  const bytes = new TextEncoder().encode(text);
  return new Response(bytes, {
    headers: {
      "content-type": type,
      "content-length": String(bytes.length),
      "cache-control": "no-cache",
      ...headers,
    },
  });
}
