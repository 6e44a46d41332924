/** What routes share: the state of a request, and typed helpers. The only room beside routes/ that knows Fresh. */
import { createDefine } from "fresh";
import type { Admitted } from "./door/gate.ts";
import { LEAST_ROLES } from "./door/roles.ts";
import type { RequestInfo } from "./handler.ts";
import type { HeaderFacts, HeaderLink } from "./model/answers/header.ts";
import { isAtLeast } from "./role.ts";
import type { Service } from "./service.ts";

export interface State {
  service: Service;
  /** What the gate found. */
  admitted: Admitted;
}

export const define = createDefine<State>();

/** Hands every route the service and what the gate found; both travel with the request, so that none is global. */
export const withService = define.middleware((ctx) => {
  const { service, admitted } = ctx.info as RequestInfo;
  Object.assign(ctx.state, { service, admitted });
  return ctx.next();
});

/** The pages that the header leads to. */
const PAGES: readonly (readonly [href: string, label: string])[] = [
  ["/", "Streams"],
  ["/wall", "Walls"],
  ["/incidents", "Incidents"],
  ["/messages", "Messages"],
  ["/people", "People"],
  ["/nodes", "Nodes"],
];

/** The header of the page that was asked for. */
export function headerOf({ state, url: { pathname } }: { state: State; url: URL }): HeaderFacts {
  const { service: { login, placement }, admitted: { role, person } } = state;
  const isNode = placement.here !== null;
  const links = PAGES
    .filter(([href]) => isAtLeast(role, LEAST_ROLES[`GET ${href}`]) && (isNode || href !== "/nodes"))
    .map(([href, label]): HeaderLink => {
      const isWithin = pathname.startsWith(href === "/" ? "/streams/" : `${href}/`);
      const current = href === pathname ? "page" as const : isWithin ? "true" as const : undefined;
      return { href, label, ...(current && { current }) };
    });
  const isForAll = person?.by === "environment";
  return { links, person: login.isOn ? { name: person?.name ?? "", role, isForAll } : null };
}
