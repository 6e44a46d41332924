/** The states of streams that nodes tell each other. */
import assert from "node:assert/strict";
import { ClusterStreams } from "../../../lib/cluster/cluster_streams.ts";
import { ToldStates } from "../../../lib/cluster/node_news.ts";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";
import type { StreamId } from "../../../lib/model/id.ts";

const ASH = "ash" as StreamId;

function told() {
  const clock = { ms: 0 };
  return { clock, states: new ToldStates("wall-a", new ClusterStreams(), () => clock.ms) };
}

const aState = (state: string, thumbAt?: number) =>
  ({ id: ASH, state, programs: [], thumbAt }) as unknown as StreamStatus;

Deno.test("a node tells a state of its own again when it has changed, or when all are told", () => {
  const { states } = told();
  const isNews = (status: StreamStatus, isAll = false) => states.news([status], isAll).length === 1;
  assert.deepEqual(
    [
      isNews(aState("running")),
      isNews(aState("running")),
      isNews(aState("running", 5)),
      isNews(aState("failed", 5)),
      isNews(aState("failed", 5)),
      isNews(aState("failed", 5), true),
    ],
    [true, false, true, true, false, true],
  );
});

Deno.test("a node tells a state of its own again when the picture's last change is another", () => {
  const { states } = told();
  const aChange = (lastChangeAt: number | null) => ({ ...aState("running"), lastChangeAt });
  const isNews = (lastChangeAt: number | null) => states.news([aChange(lastChangeAt)], false).length === 1;
  assert.deepEqual([isNews(null), isNews(5), isNews(5), isNews(9)], [true, true, false, true]);
});

Deno.test("a stream that comes back to a node is told anew", () => {
  const { states } = told();
  states.news([aState("running")], false);
  states.take("wall-b", [aState("starting")]);
  assert.equal(states.of(ASH, "wall-b")?.state, "starting");
  assert.equal(states.news([aState("running")], false).length, 1);
});

Deno.test("a told state counts for 15 s, and as long as its node tells of the stream", () => {
  const { states, clock } = told();
  states.take("wall-b", [aState("running")]);
  assert.equal(states.of(ASH, "wall-c"), null);
  clock.ms = 14_999;
  assert.equal(states.of(ASH, "wall-b")?.state, "running");
  clock.ms = 15_000;
  assert.equal(states.of(ASH, "wall-b"), null);
});
