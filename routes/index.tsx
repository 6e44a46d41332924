import { page } from "fresh";
import { Head } from "fresh/runtime";
import { firstCards } from "../components/board/firstCards.ts";
import { filterOf } from "../components/board/filter/filter.ts";
import { formOptions } from "../components/form/formOptions.ts";
import { configPrefs, DEFAULT_PREFS } from "../components/prefs/prefs.ts";
import { StreamBoard } from "../islands/StreamBoard.tsx";
import { define, headerOf } from "../lib/app.ts";
import { shownStatuses } from "../lib/model/shown_stream.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service, admitted: { role } } = ctx.state;
    const { config } = service;
    const found = filterOf(ctx.url.searchParams);
    const [list, listVersion] = [service.streams.list(role), service.streams.version()];
    const board = firstCards(list, shownStatuses(await service.statuses.all(), role), found);
    const data = {
      found,
      ...board,
      listVersion,
      heartbeats: service.heartbeats.read(board.streams.map(({ id }) => id)),
      problems: service.disk.problems(),
      system: await service.system.withoutCost(),
      defaults: { ...DEFAULT_PREFS, ...configPrefs(config) },
      isLoginOn: service.login.isOn,
      header: headerOf(ctx),
      rtmpPort: service.login.isOn ? null : config.RTMP_PORT,
      publicAddress: {
        origin: ctx.state.admitted.publicUrl.origin,
        isSet: config.PUBLIC_URL !== "",
        needsToken: service.login.isOn,
      },
    };
    return page(data, { headers: { "cache-control": "no-store" } });
  },
});

export default define.page<typeof handler>(function Home({ data }) {
  return (
    <>
      <Head>
        <title>Streams · Browser Stream</title>
      </Head>
      <StreamBoard {...data} options={formOptions} />
    </>
  );
});
