/**
 * The service as an HDHomeRun tuner: the files by which Plex, Jellyfin, Emby and Channels DVR know one (Silicondust,
 * "HDHomeRun HTTP Development Guide"). Pure.
 */
import { createHash } from "node:crypto";
import type { Channel } from "../playlist/channels.ts";
import { oneLine } from "../playlist/text.ts";
import { escapeMarkup } from "../../machine/tools/entities.ts";

/** The folder of the tuner's files below the base of all addresses. */
export const TUNER_PATH = "/hdhr";

/** The device type by which UPnP clients look for it. */
export const DEVICE_TYPE = "urn:schemas-upnp-org:device:MediaServer:1";

/** A model whose programs come by HTTP as they are: of others, clients ask that the device recode them. */
const MODEL = "HDHR4-2US";
const FIRMWARE = { FirmwareName: "hdhomerun4_atsc", FirmwareVersion: "20200521" };

export interface TunerDevice {
  /** Eight hexadecimal digits; the same for as long as the installation lives. */
  id: string;
  /** The name in the lists of clients. */
  name: string;
  /** Channels that can be tuned at the same time. */
  tuners: number;
}

/** The nibbles whose exclusive-or is 0 in each device ID (libhdhomerun, hdhomerun_discover_validate_device_id). */
const CHECK = [0xa, 0x5, 0xf, 0x6, 0x7, 0xc, 0x1, 0xb, 0x9, 0x2, 0x8, 0xd, 0x4, 0x3, 0xe, 0x0];

/** Whether a text is a device ID as clients accept it. */
export function isDeviceId(text: string): boolean {
  return /^[0-9A-F]{8}$/.test(text) && checkOf(text) === 0;
}

/** A device ID: "10" as tuners have it, five digits of the seed's hash, and the digit that makes the check right. */
export function deviceIdOf(seed: string): string {
  const digits = createHash("sha256").update(seed).digest("hex").slice(0, 5).toUpperCase();
  const body = `10${digits}`;
  return body + checkOf(`${body}0`).toString(16).toUpperCase();
}

function checkOf(id: string): number {
  return [...id].reduce((sum, digit, at) => {
    const value = parseInt(digit, 16);
    return sum ^ (at % 2 === 0 ? CHECK[value] : value);
  }, 0);
}

/** The UPnP name of the device. */
export function deviceUuid({ id }: Pick<TunerDevice, "id">): string {
  const hex = createHash("sha256").update(`tuner ${id}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${
    hex.slice(20, 32)
  }`;
}

/** discover.json. @param base the beginning of every address. */
export function discovery({ id, name, tuners }: TunerDevice, base: string): Record<string, string | number> {
  return {
    FriendlyName: name,
    ModelNumber: MODEL,
    ...FIRMWARE,
    DeviceID: id,
    DeviceAuth: "",
    BaseURL: base + TUNER_PATH,
    LineupURL: `${base}${TUNER_PATH}/lineup.json`,
    TunerCount: tuners,
  };
}

/** lineup_status.json: the list of channels is always there, and a scan finds nothing else. */
export const LINEUP_STATUS = { ScanInProgress: 0, ScanPossible: 1, Source: "Cable", SourceList: ["Cable"] };

/** lineup.json: the channels, numbered as in the playlist and in the guide. @param base as in the playlist. */
export function lineup(channels: readonly Channel[], base: string): Record<string, string | number>[] {
  return channels.map(({ id, name, number }) => ({
    GuideNumber: String(number),
    GuideName: oneLine(name) || id,
    VideoCodec: "H264",
    AudioCodec: "AAC",
    HD: 1,
    URL: `${base}${TUNER_PATH}/tune/${encodeURIComponent(id)}`,
  }));
}

/** device.xml, the UPnP description. */
export function deviceXml(device: TunerDevice, base: string): string {
  const fields = {
    deviceType: DEVICE_TYPE,
    friendlyName: device.name,
    manufacturer: "Browser Stream",
    modelName: MODEL,
    modelNumber: MODEL,
    serialNumber: device.id,
    UDN: `uuid:${deviceUuid(device)}`,
    presentationURL: `${base}/`,
  };
  const lines = Object.entries(fields).map(([name, text]) =>
    `    <${name}>${escapeMarkup(oneLine(text))}</${name}>\n`
  );
  return '<?xml version="1.0" encoding="UTF-8"?>\n<root xmlns="urn:schemas-upnp-org:device-1-0">\n' +
    "  <specVersion><major>1</major><minor>0</minor></specVersion>\n" +
    `  <URLBase>${escapeMarkup(base + TUNER_PATH)}</URLBase>\n` +
    `  <device>\n${lines.join("")}  </device>\n</root>\n`;
}
