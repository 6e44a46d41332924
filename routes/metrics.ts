import { define } from "../lib/app.ts";
import { metricsRefused } from "../lib/door/access.ts";
import { textFile } from "../lib/door/text_file.ts";
import { EXPOSITION_TYPE } from "../lib/machine/tools/exposition.ts";

export const handler = define.handlers({
  /** The metrics for Prometheus. */
  GET: async (ctx) => {
    const { service: { metrics }, admitted } = ctx.state;
    if (!admitted.mayReadMetrics) throw metricsRefused();
    return textFile(await metrics.text(), EXPOSITION_TYPE, { "cache-control": "no-store" });
  },
});
