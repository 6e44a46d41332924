/** Addresses that lead to another program, with the policies that block those. */
import { temporaryPolicies } from "../../support/own_policies.ts";
import { same } from "../../support/same.ts";
import { sharedService } from "../../support/service.ts";
import { inSoak } from "../../support/soak.ts";

const serviceTest = sharedService({
  ...temporaryPolicies(),
  timings: {
    pageLookMs: 500,
    pageCheckMs: 3000,
    pageAnswerMs: 3000,
    pageRetryMs: 60_000,
    statusCacheMs: 200,
  },
});

inSoak(serviceTest)(
  "an address whose server leads to another program says so, and to which one",
  async (service) => {
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response(null, { status: 302, headers: { location: "zoommtg://join?x=1" } }),
    );
    const { id } = await service.create({ name: "Meeting", url: `http://127.0.0.1:${server.addr.port}/` });
    const said = async () => {
      const { page } = await service.status(id);
      return [page?.state, page?.error];
    };
    await same(said, ["other-program", "zoommtg:"]);
  },
);
