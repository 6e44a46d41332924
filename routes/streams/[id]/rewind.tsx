import { page } from "fresh";
import { asset, Head } from "fresh/runtime";
import { parseMoment } from "../../../components/rewind/moment.ts";
import { RewindPage } from "../../../islands/RewindPage.tsx";
import { define, headerOf } from "../../../lib/app.ts";

export const handler = define.handlers({
  /** What the stream showed `at` a moment, or just now. */
  GET(ctx) {
    const { service: { config, streams, rewind }, admitted: { role } } = ctx.state;
    const stream = streams.get(ctx.params.id, "operator");
    rewind.of(stream, role); // who may not see the past sees no page of it
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const data = {
      header: headerOf(ctx),
      id: stream.id,
      name: stream.name,
      at: parseMoment(ctx.url.searchParams.get("at")),
      why: config.REWIND_GB === 0
        ? "service" as const
        : config.CAPTURE === "x11grab"
        ? "grab" as const
        : stream.rewind
        ? null
        : "stream" as const,
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
