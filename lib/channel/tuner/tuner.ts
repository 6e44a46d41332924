/** The service as a tuner: its device, its limit of tuners, and its answers to clients that look for one. */
import { randomBytes } from "node:crypto";
import { type Config, isLoginOn, type LoginConfig } from "../../config.ts";
import type { DatagramAnswers, DatagramPort } from "../../machine/net/datagrams.ts";
import { readOrNull, writeFileAtomic } from "../../machine/os/files.ts";
import type { MachineLoad } from "../../machine/os/machine_load.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import type { Part } from "../../machine/tools/part.ts";
import { deviceIdOf, isDeviceId, TUNER_PATH, type TunerDevice } from "./device.ts";
import { Discovery, DISCOVERY_PORTS } from "./discovery.ts";

/** What the tuner needs of the machine. */
export interface TunerMachine {
  hostname: string;
  load(): Promise<MachineLoad>;
  /** Whether only this machine and its other containers reach the network that we are in. */
  isBridged(): Promise<boolean>;
  /** Answers the datagrams of a port. */
  listen(at: DatagramPort, answers: DatagramAnswers): Part;
  /** Milliseconds of a steady clock. */
  elapsed(): number;
}

export interface TunerParts {
  config: Pick<Config, "HOST" | "PORT" | "PUBLIC_URL" | "TUNERS" | "TUNER_DISCOVERY"> & LoginConfig;
  /** The file that keeps the device's ID. */
  file: string;
  machine: TunerMachine;
}

/** Channels for each processor: passing on a running channel takes some 1.5 % of one, and its encoder some 20 %. */
const TUNERS_PER_CORE = 4;
const MIN_TUNERS = 4;
const MAX_TUNERS = 32;

export class Tuner implements Part {
  #parts: TunerParts;
  #id: string;
  #listening: Part[] = [];
  #tuners = MIN_TUNERS;
  #starting: Promise<void> = Promise.resolve();

  private constructor(parts: TunerParts, id: string) {
    this.#parts = parts;
    this.#id = id;
  }

  /** The tuner with the ID of its file, which is made where it is missing. */
  static async open(parts: TunerParts): Promise<Tuner> {
    const unknown = (error: unknown) => {
      log("warn", "the tuner has another ID at each start", { file: parts.file, error: errorText(error) });
      return null;
    };
    const stored = (await readOrNull(parts.file).catch(unknown))?.trim() ?? "";
    if (isDeviceId(stored)) return new Tuner(parts, stored);
    const id = deviceIdOf(randomBytes(16).toString("hex"));
    // a full disk keeps no service from starting
    await writeFileAtomic(parts.file, id, 0o600).catch(unknown);
    return new Tuner(parts, id);
  }

  async device(): Promise<TunerDevice> {
    const { config, machine } = this.#parts;
    const { cores } = await machine.load();
    const carried = Math.min(Math.max(Math.floor(cores * TUNERS_PER_CORE), MIN_TUNERS), MAX_TUNERS);
    this.#tuners = config.TUNERS || carried;
    return this.#device();
  }

  start(): void {
    this.#starting = this.#start().catch((error) =>
      log("warn", "the tuner is not announced", { error: errorText(error) })
    );
  }

  /** Resolves when clients are answered, or it is clear that they are not. */
  async settled(): Promise<void> {
    await this.#starting;
  }

  async stop(): Promise<void> {
    await this.#starting;
    await Promise.all(this.#listening.map((one) => one.stop()));
  }

  async #start(): Promise<void> {
    const { config, machine } = this.#parts;
    if (config.TUNER_DISCOVERY === "off") return;
    const reason = isLoginOn(config)
      ? "with a login, apps need an address with a token"
      : /^(127\.|::1$)/.test(config.HOST)
      ? "HOST is this machine alone"
      : await machine.isBridged()
      ? "nobody outside reaches a container's own network; run it with network_mode: host"
      : null;
    if (reason) return log("info", "the tuner is not announced", { reason });
    await this.device();
    const discovery = new Discovery(machine.elapsed);
    this.#listening = DISCOVERY_PORTS.map((at) =>
      machine.listen(at, (datagram, towards) => {
        if (!["0.0.0.0", "::", towards].includes(config.HOST)) return [];
        const origin = config.PUBLIC_URL || `http://${towards}:${config.PORT}`;
        return discovery.answers(at.port, datagram, this.#device(), origin + TUNER_PATH);
      })
    );
    for (const one of this.#listening) one.start();
  }

  #device(): TunerDevice {
    return { id: this.#id, name: `Browser Stream (${this.#parts.machine.hostname})`, tuners: this.#tuners };
  }
}
