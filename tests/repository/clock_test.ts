/**
 * Who may ask the machine's clock, which people and time servers set: what makes stamps. Intervals are measured by a steady
 * clock (`machine.elapsed()`, `performance.now()`), so that a clock that is set back blinds nobody.
 */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/fixture.ts";

const ASKS = /\bDate\.now\b|\bnew Date\(\)|(?<!performance\.)\bnow\(\)/;

const MAY: Record<string, string> = {
  "lib/machine/machine.ts": "has both clocks",
  "lib/service/reports.ts": "tells when the process started",
  "lib/door/access/access_tokens.ts": "stores when tokens were made, were used and expire",
  "lib/channel/media/hls.ts": "numbers the segments of a channel by the time it starts",
  "lib/channel/hls_cache.ts": "asks a clock that it is given, a steady one",
  "lib/channel/playlist_age.ts": "compares a file's time, and bounds what comes of that by the steady clock",
  "lib/channel/slate.ts": "numbers segments by the time, as the steady clock goes on from the start",
  "lib/reports/events.ts": "stamps events",
  "lib/rewind/exports.ts": "stamps exports",
  "lib/rewind/rewind.ts": "tells apart what is over, and kept, and what is still to come",
  "lib/reports/metrics.ts": "tells how old a stamp of the capture program is, never less than nothing",
  "lib/reports/heartbeats.ts": "keeps states by the minute of the day",
  "lib/signin/reports.ts": "tells since when",
  "lib/live/page/rotation.ts": "tells when the next page is shown",
  "lib/live/page/findings.ts": "tells since when, and when the next try is",
  "lib/live/programs/pipeline.ts": "stamps the spec, and learns how old an adopted stream's is",
  "lib/messages/messages.ts": "stamps messages",
  "lib/messages/outbox.ts": "follows quiet hours, and stamps tries",
  "lib/messages/send.ts": "reads a date of HTTP",
  "lib/live/picture/thumbnail.ts": "stamps thumbnails, and learns how old those of earlier runs are",
  "lib/live/picture/last_change.ts": "compares a stamp of the capture program, by both clocks",
  "lib/live/picture/still.ts": "stamps pictures",
  "lib/live/state_time.ts": "tells since when",
  "lib/live/plan_clock.ts": "follows the plan of the week",
  "lib/display/capture/stream_pictures.ts":
    "gives pictures the time that the encoder's sound has, and notices when it is set",
  "lib/display/capture/display_sockets.ts": "gives the beginning of a recording in that time",
  "lib/rewind/recorder/recorder.ts": "looks how old pieces are by the clock that stamped them",
  "lib/run/programs/encoder.ts": "numbers segments by the time; its delay is bounded",
  "lib/run/checks/machine.ts": "looks whether the clock is right",
  "lib/run/cluster.ts": "stamps the founding record",
  "lib/run/stream_ids.ts": "opens the access tokens and the users",
  "lib/door/access/login.ts": "hands the clock to the list of users",
  "lib/door/access/users.ts": "stamps a user who is added, by the clock that it is given",
  "lib/run/user.ts": "stamps a user who is added",
  "lib/run/backup/data_files.ts": "stamps a backup",
  "lib/run/backup/restore.ts": "names what it has set aside by the time",
  "lib/cluster/keeper.ts": "numbers segments by the time, while the cluster's clock is not known",
  "lib/door/access/pass.ts": "asks the clock that it is given, the cluster's",
  "lib/cluster/node.ts": "stamps the names of files that are set aside",
  "lib/cluster/member.ts": "stamps beats, by which other nodes see a clock that is wrong",
  "lib/cluster/view.ts": "gives the machine's clock while the cluster's is not known",
  "lib/store/file_streams.ts": "gives a time to a file that has none",
  "lib/run/output.ts": "stamps lines of the log",
  "lib/machine/tools/loop_lag.ts": "asks a clock that it is given, a steady one",
  "lib/machine/tools/log.ts": "stamps lines of the log",
};

/** Without comments. */
const codeOf = (file: string) =>
  Deno.readTextFileSync(join(root, file)).replace(/\/\*[^]*?\*\/|(?<![:"'`])\/\/.*$/gm, "");

Deno.test("only what makes stamps asks the machine's clock; whatever waits asks a steady one", () => {
  const asking = globSync("lib/**/*.ts", { cwd: root }).filter((file) => ASKS.test(codeOf(file))).sort();
  assert.deepEqual(asking, Object.keys(MAY).sort());
});
