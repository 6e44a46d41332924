/** The app of `deno task dev`: its service has a machine in memory, so that pages can be worked on without displays. */
import { join } from "node:path";
import { App, staticFiles } from "fresh";
import { appConfig } from "../fresh.config.ts";
import { type State, withService } from "../lib/app.ts";
import { createGate } from "../lib/door/gate.ts";
import { memoryService } from "../tests/support/memory_service.ts";

const STREAMS = [
  { name: "Operations", url: "https://grafana.example.org/", group: "Walls" },
  { name: "Departures", url: "https://departures.example.org/", group: "Lobby" },
  { name: "Camera", url: "https://camera.example.org/", desiredState: "stopped" },
];

const { service, config, machine } = await memoryService({
  // a folder of its own that stays: every restart of the development server goes on with it
  dir: join(import.meta.dirname!, "../data/dev"),
  env: { RUN_DIR: "/dev/shm/browser-stream-dev" },
  isStarted: true,
});
if (service.streams.list("viewer").length === 0) {
  for (const stream of STREAMS) {
    await service.streams.create(stream);
  }
}
const gate = createGate(config, machine.hostname, null);

export const app = new App<State>(appConfig)
  .use(async (ctx) => {
    const admitted = gate(ctx.req, ctx.info);
    if (admitted instanceof Response) return admitted;
    Object.assign(ctx.info, { service, admitted });
    return await ctx.next();
  })
  .use(staticFiles())
  .use(withService)
  .fsRoutes();
