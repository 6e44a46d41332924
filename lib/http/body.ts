/** JSON request bodies, limited. */
import { badInput, ServiceError } from "../errors.ts";

/** Far more than any stream needs; an import of thousands of streams has its own limit. */
const MAX_BYTES = 256 * 1024;
const MAX_MS = 10_000;

/**
 * The body as JSON.
 * @throws {ServiceError} 415 for another content type (a form of another site cannot send JSON), 413 when larger than
 * 256 KiB, 408 when it takes over 10 s, 400 when it is not JSON.
 */
export async function jsonBody(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\b/i.test(type)) {
    throw new ServiceError(415, "Send the body as JSON, with the header Content-Type: application/json.");
  }
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reader?.cancel().catch(() => {});
  }, MAX_MS);
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader!.read()) {
      size += part.value.length;
      if (size > MAX_BYTES) {
        reader!.cancel().catch(() => {});
        throw new ServiceError(413, `The body is larger than ${MAX_BYTES / 1024} KiB.`);
      }
      chunks.push(part.value);
    }
  } finally {
    clearTimeout(timer);
  }
  if (isLate) throw new ServiceError(408, `The body did not arrive within ${MAX_MS / 1000} s.`);
  try {
    return JSON.parse(await new Blob(chunks as BlobPart[]).text());
  } catch {
    throw badInput({ "": 'The body is not valid JSON. Example: {"name": "Grafana", "url": "https://…"}' });
  }
}
