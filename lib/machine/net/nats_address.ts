/** Addresses of NATS servers, such as "nats://10.0.0.1:4222" or "tls://nats.lan". Pure. */
import { type Host, parseHost } from "./host.ts";

const DEFAULT_PORT = 4222;

export interface NatsAddress extends Host {
  port: number;
  isTls: boolean;
}

/** What an address says; null for anything else, such as one with a login: that stands in a file. */
export function parseNatsAddress(text: string): NatsAddress | null {
  const [, scheme, rest] = /^(nats|tls):\/\/([^/@]+)\/?$/.exec(text) ?? [];
  const host = rest === undefined ? null : parseHost(rest);
  return host && { name: host.name, port: host.port ?? DEFAULT_PORT, isTls: scheme === "tls" };
}
