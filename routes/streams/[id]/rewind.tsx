import { page } from "fresh";
import { asset, Head } from "fresh/runtime";
import { parseMoment } from "../../../components/rewind/moment.ts";
import { RewindPage } from "../../../islands/RewindPage.tsx";
import { define, headerOf } from "../../../lib/app.ts";
import { whyNothing } from "../../../lib/model/past.ts";

export const handler = define.handlers({
  /** What the stream showed `at` a moment, or just now. */
  GET(ctx) {
    const { service: { config, streams, rewind }, admitted: { role } } = ctx.state;
    const stream = streams.get(ctx.params.id, "operator");
    rewind.of(stream, role); // who may not see the past sees no page of it
    const { id, name } = stream;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const data = {
      header: headerOf(ctx),
      name,
      channels: [{ id, name, why: whyNothing(config, stream) }],
      wall: null,
      at: parseMoment(ctx.url.searchParams.get("at")),
      library: asset("/vendor/hls.light.min.js"),
      timeZone,
    };
    return page(data, { headers: { "cache-control": "no-store" } });
  },
});

export default define.page<typeof handler>(function RewindOfStream({ data }) {
  return (
    <>
      <Head>
        <title>{`${data.name}, rewind · Browser Stream`}</title>
      </Head>
      <RewindPage {...data} />
    </>
  );
});
