/** The service that users of the machine and streamed pages attack: one, with few streams, for all tests that attack it. */
import { join } from "node:path";
import { parseConfig } from "../../lib/config.ts";
import { pathsOf, slotPaths } from "../../lib/paths.ts";
import { attackLogin } from "./attack_login.ts";
import { sharedService, SMALLEST, type TestService } from "./service.ts";

/** What the address of each stream's page has for itself. */
export const ADDRESS_SECRET = crypto.randomUUID();

/** Registers a test of the service. It runs without the browser's policies, which are another wall. */
export const attackedTest = sharedService({ env: attackLogin() });

/** The address of a page that never changes. */
export function stillPage(service: TestService): string {
  return `${service.pageUrl}still.html?key=${ADDRESS_SECRET}`;
}

/** A running stream, which all tests share, and what there is of it. */
export async function runningStream(service: TestService, name: "Left" | "Right") {
  const fields = {
    url: stillPage(service),
    pass: `secret-${name}`,
    autoReload: name === "Left",
    ...SMALLEST,
  };
  const { id } = await service.sharedStream({ name, ...fields });
  await service.untilState(id, "running");
  const paths = pathsOf(parseConfig(service.env));
  const spec = JSON.parse(await Deno.readTextFile(join(paths.specsDir, `${id}.json`)));
  const profile = join(paths.profilesDir, id);
  const { uid } = await Deno.stat(profile);
  const { display } = spec as { display: number };
  return { id, uid: uid!, display, profile, paths, slot: slotPaths(paths, display) };
}

export type RunningStream = Awaited<ReturnType<typeof runningStream>>;

/** The key by which a stream's encoder publishes. */
export function encoderKey({ homeDir }: RunningStream["slot"], id: string): string {
  return /key=(\S+)/.exec(Deno.readTextFileSync(join(homeDir, `${id}.ffpreset`)))![1];
}
