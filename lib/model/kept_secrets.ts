/** The changes after which a stored secret may not stay: else an editor could have it sent to themselves. Pure. */
import { DIRECT } from "../net/proxy_server.ts";
import { parsePushTarget, pushPlace } from "../net/push_target.ts";
import { gainedOrigin } from "./login_origins.ts";
import type { StreamFields } from "./schema.ts";
import { type SecretField, SECRETS } from "./secrets.ts";

type Reached =
  & Pick<StreamFields, "url" | "loginOrigins" | "js" | "proxy">
  & Partial<Pick<StreamFields, "pushTo">>;

/** The reason why a stored secret cannot stay after a change, for its field; null: the secret can stay. */
export function keepProblem(before: Reached, after: Reached, field: SecretField): string | null {
  const isOne = field === "pass" || field === "pushKey";
  const [was, it, they] = isOne ? ["was", "it", "it"] : ["were", "them", "they"];
  const stored = `The stored ${SECRETS[field]}`;
  if (field === "pushKey") {
    const [from, to] = [before, after].map(({ pushTo = "" }) => placeOf(pushTo));
    return to === null || to === from
      ? null
      : `${stored} was given for another server. Give it again, so that it may go to ${to}, or clear it.`;
  }
  const origin = gainedOrigin(before, after);
  if (origin !== null) {
    return `${stored} ${was} given for another site. Give ${it} again, so that ${they} may go to ${origin}, ` +
      `or clear ${it}.`;
  }
  // a script sees typed texts, and its page's cookies
  const isNewScript = after.js !== "" && after.js !== before.js;
  // without TLS a proxy sees all; with TLS, too, once a person accepts its certificate
  const isNewProxy = after.proxy !== "" && after.proxy !== DIRECT && after.proxy !== before.proxy;
  const reader = isNewScript ? "script" : isNewProxy ? "proxy" : null;
  return reader && `${stored} could be read by the ${reader}. Give ${it} again, or clear ${it}.`;
}

function placeOf(pushTo: string): string | null {
  const target = parsePushTarget(pushTo);
  return target && pushPlace(target);
}
