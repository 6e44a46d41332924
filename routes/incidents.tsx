import { page } from "fresh";
import { Head } from "fresh/runtime";
import { IncidentBoard } from "../islands/IncidentBoard.tsx";
import { define, headerOf } from "../lib/app.ts";
import { hoursOfPast } from "../lib/channel/playlist/catchup.ts";
import { maySeePast, shownIncidents } from "../lib/model/shown_stream.ts";

export const handler = define.handlers({
  /** What went wrong, as far as the role may know it. */
  GET(ctx) {
    const { service: { config, login, messages, streams }, admitted: { role } } = ctx.state;
    const all = streams.list(role);
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const isKept = hoursOfPast(config) > 0;
    const data = {
      header: headerOf(ctx),
      first: shownIncidents(messages.incidents(), role),
      streams: all.map((stream) => {
        const { id, name, rewind } = stream;
        return { id: id as string, name, hasPast: isKept && rewind && maySeePast(role, stream) };
      }),
      groups: [...new Set(all.map(({ group }) => group).filter(Boolean))].sort(),
      isLoginOn: login.isOn,
      timeZone,
    };
    return page(data, { headers: { "cache-control": "no-store" } });
  },
});

export default define.page<typeof handler>(function Incidents({ data }) {
  return (
    <>
      <Head>
        <title>Incidents · Browser Stream</title>
      </Head>
      <IncidentBoard {...data} />
    </>
  );
});
