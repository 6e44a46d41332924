/** The network of this machine. */
import { happensWithin } from "../machine/tools/time.ts";
import { lookup } from "node:dns/promises";
import type { Network } from "./reach.ts";

/** Milliseconds to resolve a name: a person waits at a form, or for a stream's start. */
const RESOLVE_MS = 3000;

export const thisNetwork: Network = {
  hostname: Deno.hostname(),
  ownAddresses: () => Deno.networkInterfaces().map(({ address }) => address),
  ownNetworks: () => Deno.networkInterfaces().map(({ cidr }) => cidr),
  // with /etc/hosts, as Chromium resolves names
  resolve: async (name) => {
    const found: string[] = [];
    const answer = lookup(name, { all: true, verbatim: true }).then(
      (all) => found.push(...all.map(({ address }) => address)),
      () => {},
    );
    await happensWithin(RESOLVE_MS, answer);
    return found;
  },
};
