/** The request that takes a message to a receiver by HTTP, and the receiver's answer without its secrets. Pure. */
import { createHmac } from "node:crypto";
import type { StoredReceiver } from "../model/receivers.ts";
import type { Message } from "./message.ts";
import { addressOf, rowOf } from "./ways.ts";

export interface MessageRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export const SIGNATURE_HEADER = "X-Browser-Stream-Signature";

/**
 * The request that takes a message to its receiver, by HTTP.
 * @param receiver with a valid address. @param now Unix ms; stands in the signature.
 */
export function requestOf(message: Message, receiver: StoredReceiver, now: number): MessageRequest {
  const { way, secret } = receiver;
  const { path, body: bodyOf } = rowOf(way);
  const address = addressOf(receiver)!;
  const url = new URL(address);
  const { username, password } = url;
  url.username = url.password = url.hash = "";
  if (path) url.pathname = path(address);
  const body = JSON.stringify(bodyOf!(message, address, receiver));
  return {
    url: url.href,
    headers: {
      "content-type": "application/json",
      "user-agent": "browser-stream",
      ...(username || password ? { authorization: basic(username, password) } : {}),
      ...(secret ? { [SIGNATURE_HEADER]: signature(body, secret, Math.floor(now / 1000)) } : {}),
    },
    body,
  };
}

/** The header for an address's user name and password, which are percent-encoded there. */
function basic(username: string, password: string): string {
  const bytes = new TextEncoder().encode([username, password].map(decoded).join(":"));
  return `Basic ${bytes.toBase64()}`;
}

/** `t=<Unix seconds>,v1=<hex>`: HMAC-SHA256 of `<Unix seconds>.<body>`, so that an old message cannot be sent again. */
export function signature(body: string, secret: string, seconds: number): string {
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;
}

/** Shorter parts of an address are no secret, and to hide each "v1" would spoil the text for people. */
const SHORTEST_SECRET = 4;
const MAX_SAID = 200;

/**
 * A receiver's answer, fit for people and logs: one short line, without any part of the address but the host.
 * Receivers repeat parts of the request: ntfy repeats its topic, a proxy repeats the whole address.
 */
export function withoutSecrets(said: string, receiver: StoredReceiver): string {
  const url = addressOf(receiver)!;
  const { pathname, searchParams, username, password } = url;
  const raw = [...pathname.split("/"), ...searchParams.values(), username, password, receiver.secret];
  const login = new TextEncoder().encode(`${decoded(username)}:${decoded(password)}`).toBase64();
  const parts = [url.href, `${pathname}${url.search}`, login, ...raw, ...raw.map(decoded)]
    .filter((part) => part.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length); // the longest part first: it may contain others
  const hidden = parts.reduce((text, part) => text.replaceAll(part, "…"), said);
  // deno-lint-ignore no-control-regex
  return hidden.replace(/[\s\x00-\x1f\x7f]+/g, " ").trim().slice(0, MAX_SAID);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
