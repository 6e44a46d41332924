/** Cloud metadata services, which hold only a machine's credentials. Pure, also for the form. */
import { translated } from "./translated.ts";

/** Sources: the documentation of AWS, Azure, Google Cloud, Alibaba, Oracle, Tencent, Scaleway and OpenStack. */
const ADDRESSES: readonly string[] = [
  "169.254.169.254",
  "169.254.169.253",
  "169.254.170.2",
  "169.254.170.23",
  "169.254.0.23",
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::23",
  "fd00:ec2::253",
  "fd00:ec2::254",
  "fd20:ce::254",
  "fd00:42::42",
  "fe80::a9fe:a9fe",
];

/** The networks that only metadata services are in: their addresses, and what leads to these. */
export const METADATA_NETWORKS: readonly string[] = [
  ...ADDRESSES.map((address) => `${address}/${address.includes(":") ? 128 : 32}`),
  ...translated(ADDRESSES),
];

/** The names of the metadata services. */
export const METADATA_NAMES: readonly string[] = [
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.com",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "metadata.platformequinix.com",
  "metadata.packet.net",
  "instance-data",
  "instance-data.ec2.internal",
  "rancher-metadata",
];

/** An address in the notation of URLs. */
function urlHost(address: string): string {
  return new URL(`http://${address.includes(":") ? `[${address}]` : address}/`).hostname;
}

/** The hosts as URL.hostname has them; IPv4 addresses also as IPv6: mapped, compatible, and translated (RFC 6052). */
const HOSTS: ReadonlySet<string> = new Set([
  ...METADATA_NAMES,
  ...ADDRESSES.flatMap((address) =>
    address.includes(":") ? [address] : [address, `::ffff:${address}`, `::${address}`, `64:ff9b::${address}`]
  ).map(urlHost),
]);

/** Whether a URL's host is a metadata service's, by its name or in any notation of its address. */
export function isMetadataHost(hostname: string): boolean {
  return HOSTS.has(hostname.replace(/\.+$/, ""));
}

/** The metadata hosts for Chromium's policies and rules. */
export const METADATA_HOSTS: readonly string[] = [...HOSTS];
