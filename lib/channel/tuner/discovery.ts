/** The answers to clients on the local network that look for a tuner. */
import { type TunerDevice } from "./device.ts";
import { DISCOVERY_PORT, discoveryReply, isAskedFor } from "./packets.ts";
import { searchAnswer, soughtKinds, SSDP_GROUP, SSDP_PORT } from "./ssdp.ts";
import type { DatagramPort } from "../../machine/net/datagrams.ts";

/** Answers of one second: a flood of forged requests gets no more. */
const MAX_ANSWERS = 50;

/** The ports where clients look for tuners: that of HDHomeRun, and that of UPnP. */
export const DISCOVERY_PORTS: readonly DatagramPort[] = [
  { port: DISCOVERY_PORT, group: null },
  { port: SSDP_PORT, group: SSDP_GROUP },
];

export class Discovery {
  #elapsed: () => number;
  #second = 0;
  #answers = 0;

  /** @param elapsed ms of a steady clock. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** @param port where the datagram came in. @param base address of the tuner's files as the client reaches it. */
  answers(port: number, datagram: Uint8Array, device: TunerDevice, base: string): Uint8Array[] {
    const answers = port === DISCOVERY_PORT
      ? isAskedFor(datagram, device.id) ? [discoveryReply(device, base)] : []
      : soughtKinds(datagram, device).map((kind) => searchAnswer(device, kind, base));
    return answers.filter(() => this.#isWithinLimit());
  }

  #isWithinLimit(): boolean {
    const second = Math.floor(this.#elapsed() / 1000);
    if (second !== this.#second) [this.#second, this.#answers] = [second, 0];
    return ++this.#answers <= MAX_ANSWERS;
  }
}
