/** Whether this is a container whose network is its own, so that no other machine's broadcast comes in. */

/** The files by which engines mark their containers. */
const MARKS = ["/.dockerenv", "/run/.containerenv"];
const INTERFACES = "/sys/class/net";

async function textOf(path: string): Promise<string> {
  return (await Deno.readTextFile(path).catch(() => "")).trim();
}

/** Whether an interface is one end of a pair of which the host has the other. */
async function isPaired(name: string): Promise<boolean> {
  const file = (field: string) => textOf(`${INTERFACES}/${name}/${field}`);
  const [own, other, event] = await Promise.all([file("ifindex"), file("iflink"), file("uevent")]);
  return own !== other && !/^DEVTYPE=/m.test(event);
}

/** True: the engine gave the container a bridge's network; with the host's network or a macvlan it is false. */
export async function isBridged(): Promise<boolean> {
  const marks = await Promise.all(MARKS.map((path) => Deno.stat(path).then(() => true, () => false)));
  if (!marks.includes(true)) return false;
  const names: string[] = [];
  for await (const { name } of Deno.readDir(INTERFACES)) if (name !== "lo") names.push(name);
  // the host's own network has interfaces that are no pair's
  return (await Promise.all(names.map(isPaired))).every((paired) => paired);
}
