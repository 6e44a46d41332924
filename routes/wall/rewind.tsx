import { page } from "fresh";
import { asset, Head } from "fresh/runtime";
import { parseMoment } from "../../components/rewind/moment.ts";
import { RewindPage } from "../../islands/RewindPage.tsx";
import { define, headerOf } from "../../lib/app.ts";
import { refuseRole } from "../../lib/door/roles.ts";
import { whyNothing } from "../../lib/model/past.ts";
import { RUNNING_WALL } from "../../lib/model/wall/layout.ts";
import { pastWall } from "../../lib/model/wall/past.ts";
import { runningView, wallView } from "../../lib/model/wall/view.ts";

export const handler = define.handlers({
  /** What all streams of the wall `layout` showed `at` a moment, or just now. */
  async GET(ctx) {
    const { service: { config, streams, statuses, walls }, admitted: { role, maySee } } = ctx.state;
    const layout = ctx.url.searchParams.get("layout") || RUNNING_WALL;
    const stored = layout === RUNNING_WALL ? null : walls.get(layout);
    const source = { streams: streams.list("operator"), statuses: await statuses.all(), maySee };
    const find = (id: string) => source.streams.find((stream) => stream.id === id);
    const wall = pastWall(stored ? wallView(stored, source) : runningView(source), role, find);
    const ids = new Set(wall.slots.flatMap(({ stream }) => stream ?? []));
    // who may see nobody's past sees no page of it
    if (ids.size === 0 && wall.slots.some(({ says }) => says !== null)) refuseRole(role, "operator");
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const data = {
      header: headerOf(ctx),
      name: wall.name,
      wall,
      channels: source.streams.filter(({ id }) => ids.has(id)).map((stream) => ({
        id: stream.id,
        name: stream.name,
        why: whyNothing(config, stream),
      })),
      at: parseMoment(ctx.url.searchParams.get("at")),
      library: asset("/vendor/hls.light.min.js"),
      timeZone,
    };
    return page(data, { headers: { "cache-control": "no-store" } });
  },
});

export default define.page<typeof handler>(function RewindOfWall({ data }) {
  return (
    <>
      <Head>
        <title>{`${data.name}, rewind · Browser Stream`}</title>
      </Head>
      <RewindPage {...data} />
    </>
  );
});
