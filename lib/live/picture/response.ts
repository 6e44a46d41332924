/** Answers with a stream's thumbnail, or with an image that says there is none yet. */
import { createHash } from "node:crypto";
import { namesTag } from "../../door/conditional.ts";
import { noPicture } from "./no_picture.ts";

/** Seconds after which it makes sense to ask again. */
const RETRY_AFTER_SECONDS = 2;

/** Mid-grey on nothing, so that it suits a light and a dark page; no style, which our content policy forbids. */
const PLACEHOLDER = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" width="640" height="360">
<rect width="640" height="360" fill="#808080" fill-opacity=".14"/>
<g fill="none" stroke="#808080" stroke-width="8" stroke-linejoin="round" stroke-linecap="round">
<rect x="250" y="100" width="140" height="92" rx="10"/><path d="M290 220h60M268 174l32-34 24 24 18-18 30 28"/>
</g>
<text x="320" y="276" font-family="sans-serif" font-size="28" text-anchor="middle" fill="#808080">No picture yet</text>
</svg>
`;

/** A strong validator: the same bytes have the same tag, also after a restart. */
export function entityTag(bytes: Uint8Array): string {
  return `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
}

/** What an address answers that names one picture: a client has it for as long as a channel's segments. */
const ONE_PICTURE = "private, max-age=300, immutable";

/**
 * 200 with the JPEG, PNG or segment, or 304 when the client has it. It asks every time: `no-cache`.
 * @param takenAt Unix ms. @param isNamed whether the address is only this picture's: the client need not ask again.
 */
export function pictureResponse(
  request: Request,
  bytes: Uint8Array<ArrayBuffer>,
  takenAt: number,
  type: "image/jpeg" | "image/png" | "video/mp2t" = "image/jpeg",
  isNamed = false,
): Response {
  const headers = new Headers({
    etag: entityTag(bytes),
    "last-modified": new Date(takenAt).toUTCString(),
    "cache-control": isNamed ? ONE_PICTURE : "no-cache",
  });
  if (namesTag(request.headers.get("if-none-match"), headers.get("etag")!)) {
    return new Response(null, { status: 304, headers });
  }
  headers.set("content-type", type);
  headers.set("content-length", String(bytes.length));
  return new Response(bytes, { headers });
}

interface Shown {
  watched(): void;
  still: {
    get(kind: "jpeg" | "png"): Promise<{ bytes: Uint8Array<ArrayBuffer>; takenAt: number }>;
    /** @throws {ServiceError} when `get` would at once. */
    check(): unknown;
  };
}

/**
 * The picture that a stream shows now. The client is a viewer of the stream, too. HEAD takes no picture.
 * @throws {ServiceError} without a picture.
 */
export async function stillResponse(request: Request, live: Shown, kind: "jpeg" | "png"): Promise<Response> {
  const type = `image/${kind}` as const;
  if (request.method === "HEAD") {
    live.still.check();
    return new Response(null, { headers: { "content-type": type, "cache-control": "no-cache" } });
  }
  live.watched();
  const { bytes, takenAt } = await live.still.get(kind);
  return pictureResponse(request, bytes, takenAt, type);
}

/** 202 when a thumbnail is on its way, else 404; both with an image that an `<img>` shows. */
export function placeholderResponse(isComing: boolean): Response {
  const headers = new Headers({ "content-type": "image/svg+xml", "cache-control": "no-store" });
  if (isComing) headers.set("retry-after", String(RETRY_AFTER_SECONDS));
  return new Response(PLACEHOLDER, { status: isComing ? 202 : 404, headers });
}

/** The logo of a channel without a thumbnail. Apps keep whatever a logo's address gives, so it is a picture of its own. */
export function noLogoResponse(): Response {
  const headers = { "content-type": "image/jpeg", "cache-control": "no-store" };
  return new Response(noPicture(), { headers });
}
