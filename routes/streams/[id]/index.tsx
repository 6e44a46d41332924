import { page } from "fresh";
import { Head } from "fresh/runtime";
import { StreamPage } from "../../../islands/StreamPage.tsx";
import { define } from "../../../lib/app.ts";
import { withoutForeignFields } from "../../../lib/model/schema.ts";

export const handler = define.handlers({
  /** What any role may see of the stream, and any node knows; the page asks for the programs' logs by itself. */
  async GET(ctx) {
    const { service } = ctx.state;
    const stream = withoutForeignFields(service.streams.get(ctx.params.id));
    const { id, name } = stream;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const data = {
      stream,
      status: await service.statuses.get(id),
      heartbeats: service.heartbeats.readOne(id),
      figures: (await service.figures.all())[id],
      log: {
        ...{ id, name, timeZone, programs: [], program: null, part: { text: "", next: "" } },
        happened: service.events.read(id),
      },
    };
    return page(data, { headers: { "cache-control": "no-store" } });
  },
});

export default define.page<typeof handler>(function OneStream({ data }) {
  return (
    <>
      <Head>
        <title>{`${data.stream.name}, state · Browser Stream`}</title>
      </Head>
      <StreamPage {...data} />
    </>
  );
});
