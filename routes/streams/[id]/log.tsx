import { page } from "fresh";
import { Head } from "fresh/runtime";
import { LogView } from "../../../islands/LogView.tsx";
import { define } from "../../../lib/app.ts";
import type { LogInfo } from "../../../lib/streams/log_text.ts";
import type { StreamStatus } from "../../../lib/streams/status.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const { id, name } = service.streams.get(ctx.params.id);
    const logs = service.logs(id);
    const programs = await logs.list();
    const wanted = ctx.url.searchParams.get("program");
    const chosen = programs.find(({ name }) => name === wanted) ??
      mostTelling(programs, await service.statuses.get(id).catch(() => null));
    const part = chosen ? await logs.read(chosen.name) : { text: "", next: "" };
    const names = programs.map(({ name }) => name);
    const props = { id, name, programs: names, program: chosen?.name ?? null, part };
    return page(props, { headers: { "cache-control": "no-store" } });
  },
});

/** The program that the stream's reason is about; else the browser, whose log says most about the page. */
function mostTelling(programs: LogInfo[], status: StreamStatus | null): LogInfo | undefined {
  return programs.find(({ name }) => name === status?.program) ??
    programs.find(({ name }) => name === "browser") ?? programs[0];
}

export default define.page<typeof handler>(function Log({ data }) {
  return (
    <>
      <Head>
        <title>{`Log of ${data.name} · Browser Stream`}</title>
      </Head>
      <LogView {...data} />
    </>
  );
});
