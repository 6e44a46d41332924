/** Checks of software and rights: packages, fonts, users, the sandbox, policies, memory limits. */
import { type Config, uidRangeOf } from "../../config.ts";
import { instanceName, pathsOf } from "../../paths.ts";
import { readAuthorities } from "../../browser/authorities.ts";
import { unpackedProblem } from "../../reach/extension_policy.ts";
import { readExtensions } from "../../browser/extensions.ts";
import { Policies, policyFile, policyText } from "../../reach/policy.ts";
import { isRoot } from "../../machine/os/exec.ts";
import { MemoryGroups } from "../../machine/os/memory_group.ts";
import { installCommand, missingPackages, SERVICE_PACKAGES } from "../../machine/os/packages.ts";
import { run } from "../../machine/os/process.ts";
import { findUser } from "../../machine/os/users.ts";
import type { SelfCommand } from "../self.ts";
import { howToMakeUser } from "../shared_users.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import { policiesProblem } from "./policies.ts";
import { canMakeNamespaces, SANDBOX_OFF } from "./sandbox.ts";

/** The packages whose versions people ask for. */
const SHOWN = ["chromium", "tigervnc-standalone-server", "ffmpeg", "nginx-light", "supervisor"];

export async function checkPackages(): Promise<Finding> {
  const missing = await missingPackages();
  if (missing.length > 0) return problem(`missing: ${missing.join(" ")}`, installCommand(missing));
  const query = ["/usr/bin/dpkg-query", "--show", "--showformat=${Package} ${Version}\\n", ...SHOWN];
  const { stdout } = await run(query, { timeoutMs: 10_000 });
  const versions = stdout.trim().split("\n").join(", ");
  return ok(`all ${SERVICE_PACKAGES.length} are there${versions ? `: ${versions}` : ""}`);
}

export async function checkUser(config: Config): Promise<Finding> {
  const { first, last } = uidRangeOf(config);
  const { WEB_USER } = config;
  if (isRoot() && WEB_USER !== "" && await findUser(WEB_USER) === null) {
    return problem(`WEB_USER names the user ${WEB_USER}, who does not exist`, howToMakeUser(WEB_USER));
  }
  if (isRoot()) return ok(`root: each stream gets a user of its own, of ${first}-${last}`);
  return warning(
    "a normal user: all streams run as it, and a page that breaks out of its browser reaches all of them",
    "Start the service, and this command, as root.",
  );
}

export async function checkNamespaces(config: Config): Promise<Finding> {
  if (await canMakeNamespaces(config)) return ok("the kernel allows Chromium's sandbox its user namespaces");
  if (config.CHROMIUM_SANDBOX === "setuid") {
    return ok("forbidden, and not needed with CHROMIUM_SANDBOX=setuid");
  }
  return warning(SANDBOX_OFF.says, SANDBOX_OFF.remedy);
}

export async function checkPolicies(
  config: Config,
  program: SelfCommand,
  isRunning: boolean,
): Promise<Finding> {
  const file = policyFile(config.CHROMIUM_POLICY_DIR, instanceName(config));
  const { certificates, problems } = await readAuthorities(pathsOf(config).caDir);
  if (problems.length > 0) {
    return warning(
      `a certificate in CA_DIR is not used: ${problems.join("; ")}`,
      "Replace or remove it.",
    );
  }
  const text = policyText(certificates);
  if (await new Policies(file, text).areThere()) return ok("installed");
  if (isRoot() && !isRunning) return ok("the start will install them");
  const { says, remedy } = policiesProblem(
    file,
    isRunning ? "the service was started without them" : "only root can write there",
    program,
  );
  return warning(says, remedy);
}

/** Checks the operator's own extensions: their problems, and whether Chromium would load them. */
export async function checkExtensions(config: Config, isRunning: boolean): Promise<Finding> {
  const { givenExtensionsDir, extensionsDir } = pathsOf(config);
  const { extensions, problems } = await readExtensions(givenExtensionsDir);
  if (problems.length > 0) {
    return warning(`an extension is not used: ${problems.join("; ")}`, "Correct it, or remove its folder.");
  }
  const names = extensions.map(({ name }) => name).join(", ");
  const copied = isRunning ? await readExtensions(extensionsDir) : null;
  if (copied && copied.extensions.map(({ name }) => name).join(", ") !== names) {
    return warning(`${givenExtensionsDir} has changed since the start`, "Start the service again.");
  }
  if (names === "") return ok(`there is none in ${givenExtensionsDir}`);
  const problem = isRunning ? await unpackedProblem(config.CHROMIUM_POLICY_DIR) : null;
  if (problem !== null) {
    return warning(
      `browsers do not load them: ${problem}`,
      "Start the service again. It does not replace a file of another program.",
    );
  }
  return ok(names);
}

/** Patterns of fontconfig by languages whose pages are empty boxes without a font. */
const FONTS: Readonly<Record<string, readonly string[]>> = {
  "Latin letters": [":lang=en"],
  "Chinese, Japanese, Korean": [":lang=ja"],
  "Arabic, Hebrew": [":lang=ar", ":lang=he"],
  "Thai, Khmer, Burmese": [":lang=th", ":lang=km", ":lang=my"],
  "Devanagari, Bengali, Tamil": [":lang=hi", ":lang=bn", ":lang=ta"],
  "signs such as ⏻": [":charset=23fb"],
  emoji: [":lang=und-zsye"],
};

/** The fonts that most style sheets name, and fonts of the same widths: others break lines elsewhere. */
const AS_WIDE: Readonly<Record<string, RegExp>> = {
  "Arial": /^(Arial|Arimo|Helvetica|Liberation Sans|Nimbus Sans|TeX Gyre Heros)/,
  "Helvetica": /^(Arial|Arimo|Helvetica|Liberation Sans|Nimbus Sans|TeX Gyre Heros)/,
  "Times New Roman": /^(Times|Tinos|Liberation Serif|Nimbus Roman|TeX Gyre Termes)/,
  "Courier New": /^(Courier|Cousine|Liberation Mono|Nimbus Mono|TeX Gyre Cursor)/,
  "Calibri": /^(Calibri|Carlito)/,
  "Cambria": /^(Cambria|Caladea)/,
};

/** The fonts in whose place the machine has one of another width. @param used what it takes for each, by name. Pure. */
export function otherWidths(used: Readonly<Record<string, string>>): string[] {
  return Object.keys(AS_WIDE).filter((name) => !AS_WIDE[name].test(used[name] ?? ""));
}

export async function checkFonts(): Promise<Finding> {
  const lacking: string[] = [];
  const ask = async (...argv: string[]) => (await run(argv, { timeoutMs: 20_000 })).stdout.trim();
  for (const [name, patterns] of Object.entries(FONTS)) {
    const found = await Promise.all(patterns.map((pattern) => ask("fc-list", pattern, "family")));
    if (found.includes("")) lacking.push(name);
  }
  const used: Record<string, string> = {};
  for (const name of Object.keys(AS_WIDE)) used[name] = await ask("fc-match", "--format=%{family}", name);
  lacking.push(...otherWidths(used).map((name) => `${name}, or one as wide`));
  if (lacking.length === 0) return ok(`there are fonts for ${Object.keys(FONTS).join("; ")}`);
  return warning(
    `no font for ${lacking.join("; ")}: such text is shown as empty boxes, or with other line breaks`,
    installCommand(SERVICE_PACKAGES.map(([name]) => name).filter((name) => name.startsWith("fonts-"))),
  );
}

export async function checkMemoryGroups(config: Config, isRunning: boolean): Promise<Finding> {
  const name = instanceName(config);
  // a group for the check is made; where the service runs, its groups are looked for
  const groups = isRunning ? await MemoryGroups.find(name) : await MemoryGroups.make(`${name}-doctor`);
  if (!isRunning) await groups?.removeAll();
  if (groups) return ok("the kernel enforces memoryLimitMb");
  return warning(
    "cgroups cannot be written: memoryLimitMb has no effect, and one page can take all memory",
    "Start as root, outside of a container, or give the container as a whole a limit.",
  );
}
