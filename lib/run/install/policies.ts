/** `policies`: Chromium's policies, to install them by hand. */
import type { Config } from "../../config.ts";
import { pathsOf } from "../../paths.ts";
import { readAuthorities } from "../../browser/authorities.ts";
import { policyText } from "../../reach/policy.ts";

/** Prints the policies with the certificates of own issuers. */
export async function printPolicies(config: Config): Promise<void> {
  const { certificates } = await readAuthorities(pathsOf(config).caDir);
  console.log(policyText(certificates).trimEnd());
}
