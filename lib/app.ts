/** What routes share: the state of a request, and typed helpers. */
import { createDefine } from "fresh";
import type { Service } from "./service.ts";

export interface State {
  service: Service;
}

export const define = createDefine<State>();

let current: Service | null = null;

/** Sets the service all requests from now on work with. */
export function useService(service: Service): void {
  current = service;
}

/** Hands the service to every route. */
export const withService = define.middleware((ctx) => {
  if (!current) throw new Error("the service is not built yet");
  ctx.state.service = current;
  return ctx.next();
});
