/** `policies`: Chromium's policies, to install them by hand. */
import type { Config } from "../../config.ts";
import { pathsOf } from "../../paths.ts";
import { readAuthorities } from "../../pipeline/authorities.ts";
import { readExtensions } from "../../pipeline/extensions.ts";
import { policyText } from "../../pipeline/policy.ts";
import { isWebRtcTaken } from "../checks/filter.ts";

/** Prints the policies with the certificates of own issuers, and for own extensions. */
export async function printPolicies(config: Config): Promise<void> {
  const { caDir, givenExtensionsDir } = pathsOf(config);
  const { certificates } = await readAuthorities(caDir);
  const { extensions } = await readExtensions(givenExtensionsDir);
  const hasExtensions = extensions.length > 0 || await isWebRtcTaken();
  console.log(policyText(certificates, hasExtensions).trimEnd());
}
