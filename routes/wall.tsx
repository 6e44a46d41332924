import { page } from "fresh";
import { asset, Head } from "fresh/runtime";
import { configPrefs, DEFAULT_PREFS } from "../components/prefs/prefs.ts";
import { WallBoard } from "../islands/WallBoard.tsx";
import { define, headerOf } from "../lib/app.ts";
import { wallHtml } from "../lib/channel/players/wall_page.ts";
import { RUNNING_WALL } from "../lib/model/wall/layout.ts";
import { shownWall } from "../lib/model/wall/shown.ts";

export const handler = define.handlers({
  /** The walls; with `layout`, one wall alone for a screen. */
  GET(ctx) {
    const { service: { config, streams, statuses, walls, templates, login }, admitted } = ctx.state;
    const { token, publicUrl } = admitted;
    const asked = ctx.url.searchParams.get("layout");
    // an access token does not open the list of walls
    const layout = token?.wall ?? asked ?? (token ? RUNNING_WALL : null);
    if (layout !== null) {
      const name = layout === RUNNING_WALL ? "All running streams" : walls.get(layout).name;
      // a channel of a wall is for months what it is, and costs less by HLS
      const mode = token?.wall ? "steady" : config.DEFAULT_PLAYER;
      const html = wallHtml(templates.wall, { id: layout, name }, asset, token?.prefix ?? "", mode);
      return ctx.html(html, { headers: { "cache-control": "no-cache" } });
    }
    const data = {
      walls: JSON.stringify(walls.list().map((wall) => shownWall(wall, admitted.role))),
      streams: streams.list(admitted.role).map(({ id, name, group, url, rewindFor, desiredState }) => ({
        id,
        name,
        group,
        url,
        rewindFor,
        isOn: desiredState === "running",
        thumbAt: statuses.pictureAt(id),
      })),
      defaults: { ...DEFAULT_PREFS, ...configPrefs(config) },
      isLoginOn: login.isOn,
      header: headerOf(ctx),
      publicAddress: {
        origin: publicUrl.origin,
        isSet: config.PUBLIC_URL !== "",
        needsToken: login.isOn,
      },
    };
    return page(data, { headers: { "cache-control": "no-store" } });
  },
});

export default define.page<typeof handler>(function Walls({ data }) {
  return (
    <>
      <Head>
        <title>Walls · Browser Stream</title>
      </Head>
      <WallBoard {...data} />
    </>
  );
});
