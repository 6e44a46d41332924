/** What routes share: the state of a request, and typed helpers. The only room beside routes/ that knows Fresh. */
import { createDefine } from "fresh";
import type { RequestInfo } from "./handler.ts";
import type { Admitted } from "./door/gate.ts";
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
