/** The network of the machine that we are on. */
import { happensWithin } from "../system/time.ts";
import { lookup } from "node:dns/promises";
import type { Network } from "./reach.ts";

/** Milliseconds for a name: a person waits at a form, or for a stream's start. */
const RESOLVE_MS = 3000;

export const thisNetwork: Network = {
  hostname: Deno.hostname(),
  ownAddresses: () => Deno.networkInterfaces().map(({ address }) => address),
  // as Chromium does it, with /etc/hosts
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
