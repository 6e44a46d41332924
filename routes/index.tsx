import { page } from "fresh";
import { Head } from "fresh/runtime";
import { formOptions } from "../components/formOptions.ts";
import { StreamBoard } from "../islands/StreamBoard.tsx";
import { define } from "../lib/app.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const streams = await ctx.state.service.streams.list();
    const statuses = await ctx.state.service.statuses();
    return page({ streams, statuses }, { headers: { "cache-control": "no-store" } });
  },
});

export default define.page<typeof handler>(function Home({ data }) {
  return (
    <>
      <Head>
        <title>Streams · Browser Stream</title>
      </Head>
      <StreamBoard streams={data.streams} statuses={data.statuses} options={formOptions} />
    </>
  );
});
