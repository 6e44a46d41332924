import { strict as assert } from "node:assert";
import { problemPlace } from "../../../components/board/card/problemPlace.ts";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";

Deno.test("a problem names the server that it is about, where that is known", () => {
  const rows: [url: string, morePages: string, trouble: StreamStatus["trouble"], place: string][] = [
    ["http://grafana.local:3000/d/abc?x=1", "", "refused", "grafana.local:3000"],
    ["https://user:secret@grafana.local/d", "", "dns", "grafana.local"],
    ["https://one.example/", "https://two.example/", "dns", ""],
    ["https://one.example/", "", "disk-full", ""],
    ["https://one.example/", "", undefined, ""],
  ];
  for (const [url, morePages, trouble, place] of rows) {
    assert.equal(problemPlace({ url, morePages }, { trouble }), place, `${url} ${trouble}`);
  }
});
