/** The search for UPnP devices, UDP port 1900 (UPnP Device Architecture 1.1, section 1.3). Pure. */
import { DEVICE_TYPE, deviceUuid, type TunerDevice } from "./device.ts";

export const SSDP_PORT = 1900;
export const SSDP_GROUP = "239.255.255.250";

const ROOT = "upnp:rootdevice";
const ALL = "ssdp:all";
/** Seconds that a client may remember the device. */
const MAX_AGE = 1800;

/** The kinds of device that a datagram looks for and this device is; empty: it is no search, or for others. */
export function soughtKinds(datagram: Uint8Array, device: Pick<TunerDevice, "id">): string[] {
  const [first, ...lines] = new TextDecoder().decode(datagram).split("\r\n");
  if (!/^M-SEARCH \* HTTP\/1\.1$/i.test(first)) return [];
  const headers = new Map(lines.map((line): [string, string] => {
    const [name, ...value] = line.split(":");
    return [name.trim().toLowerCase(), value.join(":").trim()];
  }));
  if (headers.get("man") !== '"ssdp:discover"') return [];
  const kinds = [ROOT, DEVICE_TYPE, `uuid:${deviceUuid(device)}`];
  const sought = headers.get("st");
  return sought === ALL ? kinds : kinds.filter((kind) => kind === sought);
}

/** The answer to a search for a kind of device. @param base address of the tuner's files. */
export function searchAnswer(
  device: Pick<TunerDevice, "id">,
  kind: string,
  base: string,
): Uint8Array<ArrayBuffer> {
  const uuid = `uuid:${deviceUuid(device)}`;
  const lines = [
    "HTTP/1.1 200 OK",
    `CACHE-CONTROL: max-age=${MAX_AGE}`,
    "EXT:",
    `LOCATION: ${base}/device.xml`,
    "SERVER: Linux/1.0 UPnP/1.1 BrowserStream/1.0",
    `ST: ${kind}`,
    `USN: ${kind === uuid ? uuid : `${uuid}::${kind}`}`,
    "CONTENT-LENGTH: 0",
  ];
  return new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`);
}
