import { page } from "fresh";
import { Head } from "fresh/runtime";
import { LogView } from "../../../islands/LogView.tsx";
import { define, headerOf } from "../../../lib/app.ts";

export const handler = define.handlers({
  /** The stream's events, or with `program` the log of that program. */
  async GET(ctx) {
    const { service } = ctx.state;
    const { id, name } = service.streams.get(ctx.params.id, "viewer");
    const logs = service.logs(id);
    const programs = (await logs.list()).map(({ name }) => name);
    const wanted = ctx.url.searchParams.get("program");
    const program = programs.find((name) => name === wanted) ?? null;
    const part = program ? await logs.read(program) : { text: "", next: "" };
    const happened = service.events.read(id);
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const props = { header: headerOf(ctx), id, name, programs, program, part, happened, timeZone };
    return page(props, { headers: { "cache-control": "no-store" } });
  },
});

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
