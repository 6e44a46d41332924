/** Request bodies, limited. */
import { Buffer } from "node:buffer";
import { badInput, ServiceError } from "../errors.ts";
import { JsonBounds, type JsonLimits } from "../machine/tools/json_bounds.ts";
import {
  type Decoded,
  decoded,
  EncodingError,
  encodingOf,
  TELLING_BYTES,
} from "../machine/tools/text_encoding.ts";
import { refuseRepeated } from "./repeated.ts";

interface BodyLimit {
  bytes: number;
  /** Of a body that is JSON. */
  json?: JsonLimits;
  /** Milliseconds for the whole body. */
  ms: number;
}

/** Deeper than any stream may be; the model says it in its own words. */
const DEPTH = 32;
const TEXT = 256 * 1024;
/** Characters of a field's name that are repeated to who sent it. */
const MAX_NAME = 100;

/** A form of a few short fields. */
const FORM: BodyLimit = { bytes: 16 * 1024, ms: 10_000 };

/** Far more than any stream, or an order of all, needs. */
const ONE_STREAM: BodyLimit = {
  bytes: 256 * 1024,
  json: { depth: DEPTH, members: 500, values: 5000, text: TEXT },
  ms: 10_000,
};

/**
 * A list of 1000 streams with 40 fields each and of 100 full walls, sent from a phone; one with ids as names is an object
 * of 1000 members.
 */
export const STREAM_LIST: BodyLimit = {
  bytes: 8 * 1024 * 1024,
  json: { depth: DEPTH, members: 1200, values: 60_000, text: TEXT },
  ms: 60_000,
};

/** As much of a body that nobody wanted as is read to keep its connection. */
const REST: BodyLimit = { bytes: 64 * 1024, ms: 2000 };

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;
}

/**
 * The body as JSON.
 * @throws {ServiceError} 415 for another content type (a form of another site cannot send JSON), 413 when larger than
 * the limit (256 KiB unless given) or of too many values, 408 when it takes longer (10 s), 400 when it is not JSON, in
 * another encoding than UTF-8 and UTF-16, has a field twice in one object, or the client broke off.
 */
export async function jsonBody(request: Request, limit: BodyLimit = ONE_STREAM): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json *(?:;|$)/i.test(type)) {
    throw new ServiceError(415, "Send the body as JSON, with the header Content-Type: application/json.");
  }
  const [, said = ""] = /;\s*charset\s*=\s*"?([\w-]+)/i.exec(type) ?? [];
  const text = await bodyText(request, limit, said);
  try {
    return JSON.parse(text);
  } catch {
    throw badInput({ "": 'The body is not valid JSON. Example: {"name": "Grafana", "url": "https://…"}' });
  }
}

/**
 * The fields of an HTML form that was sent.
 * @throws {ServiceError} 415, 413 (16 KiB) or 408 (10 s), as `jsonBody`; 400 for a field that comes twice.
 */
export async function formBody(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded *(?:;|$)/i.test(type)) {
    throw new ServiceError(
      415,
      "Send a form, with the header Content-Type: application/x-www-form-urlencoded.",
    );
  }
  const form = new URLSearchParams(await bodyText(request, FORM));
  refuseRepeated("form", form);
  return form;
}

/** @param said the encoding that a header names. */
async function bodyText(request: Request, limit: BodyLimit, said = ""): Promise<string> {
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  let bounds = limit.json && new JsonBounds(limit.json);
  /** Whether the bytes are counted as they come; null: it is not known yet. Another encoding is counted as a whole. */
  let isCounted: boolean | null = null;
  let size = 0;
  const count = (bytes: Uint8Array) => {
    const problem = bounds?.push(bytes);
    if (!problem) return;
    reader?.cancel().catch(() => {});
    throw new ServiceError(413, `The body ${problem}.`);
  };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reader?.cancel().catch(() => {});
  }, limit.ms);
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader!.read()) {
      size += part.value.length;
      if (size > limit.bytes) {
        reader!.cancel().catch(() => {});
        throw new ServiceError(413, `The body is larger than ${sizeText(limit.bytes)}.`);
      }
      chunks.push(part.value);
      if (isCounted) count(part.value);
      else if (isCounted === null && size >= TELLING_BYTES) {
        const first = Buffer.concat(chunks);
        isCounted = encodingOf(first) === "utf-8";
        if (isCounted) count(first);
      }
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw badInput({ "": "The body broke off, or its chunks are not valid." });
  } finally {
    clearTimeout(timer);
  }
  const bytes = Buffer.concat(chunks);
  if (isLate) throw new ServiceError(408, `The body did not arrive within ${limit.ms / 1000} s.`);
  if (!limit.json) return new TextDecoder().decode(bytes);
  const { text, isUtf8 } = read(bytes, said);
  if (!isCounted || !isUtf8) {
    bounds = new JsonBounds(limit.json);
    count(new TextEncoder().encode(text));
  }
  if (bounds?.repeated != null) {
    const name = JSON.stringify(bounds.repeated.slice(0, MAX_NAME));
    throw badInput({
      "": `The body has the field ${name} twice in one object. Give it once. Example: {${name}: …}`,
    });
  }
  return text;
}

/** @throws {ServiceError} 400 that names another encoding. */
function read(bytes: Uint8Array, said: string): Decoded {
  try {
    return decoded(bytes, "The body", said);
  } catch (error) {
    throw error instanceof EncodingError ? badInput({ "": error.message }) : error;
  }
}

/**
 * Reads a body that nobody read, such as a refused request's, when it is short and comes soon. The servers before us end
 * a connection whose request was answered before its body came, and a reverse proxy's next request there, which may be
 * another person's, would be answered with 502.
 */
export async function readRest(request: Request): Promise<void> {
  if (!request.body || request.bodyUsed || Number(request.headers.get("content-length")) > REST.bytes) return;
  await bodyText(request, REST).catch(() => {});
}
