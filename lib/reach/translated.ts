/** IPv6 addresses with an IPv4 address in them, by which gateways lead to the latter. Pure, also for the form. */

/**
 * The IPv6 networks that lead to IPv4 networks: by NAT64 (RFC 6052), by 6to4 (RFC 3056), and compatible ones (RFC 4291).
 * @param networks addresses and networks of both families; IPv6 ones give none.
 */
export function translated(networks: readonly string[]): string[] {
  return networks.filter((network) => !network.includes(":")).flatMap((network) => {
    const [address, length = "32"] = network.split("/");
    const [a, b, c, d] = address.split(".").map(Number);
    const [high, low, bits] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16), Number(length)];
    return [
      `64:ff9b::${high}:${low}/${96 + bits}`,
      `2002:${high}:${low}::/${16 + bits}`,
      `::${high}:${low}/${96 + bits}`,
    ];
  });
}
