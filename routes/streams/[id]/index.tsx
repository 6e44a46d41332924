import { page } from "fresh";
import { Head } from "fresh/runtime";
import { StreamPage } from "../../../islands/StreamPage.tsx";
import { define, headerOf } from "../../../lib/app.ts";
import { withoutForeignFields } from "../../../lib/model/schema.ts";
import { shownEvents, shownStatus } from "../../../lib/model/shown_stream.ts";

export const handler = define.handlers({
  /** What any role may see of the stream, and any node knows; the page asks for the programs' logs by itself. */
  async GET(ctx) {
    const { service, admitted: { role } } = ctx.state;
    const stream = withoutForeignFields(service.streams.get(ctx.params.id, role));
    // before anything is waited for: a later change is then told as one
    const listVersion = service.streams.version();
    const { id, name } = stream;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const data = {
      header: headerOf(ctx),
      stream,
      listVersion,
      status: shownStatus(await service.statuses.get(id), role),
      heartbeats: service.heartbeats.readOne(id),
      figures: (await service.figures.all())[id],
      log: {
        id,
        name,
        timeZone,
        programs: [],
        program: null,
        part: { text: "", next: "" },
        happened: shownEvents(service.events.read(id), role),
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
