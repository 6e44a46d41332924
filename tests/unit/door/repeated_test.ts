import assert from "node:assert/strict";
import { refuseRepeatedQuery } from "../../../lib/door/repeated.ts";

/** Whether the address is refused. */
const ROWS: [address: string, isRefused: boolean][] = [
  ["/vnc?token=a", false],
  ["/vnc?token=a&token=b", true],
  ["/vnc?token=a&x=1&%74oken=b", true],
  ["/vnc?token&token=a", true],
  ["/x?&&", false],
  ["/x?a=1&b=1&A=1", false],
  ["/login?next=%2Fx%3Fa%3D1%26a%3D2", false],
  ["/login?next=/a&next=/b", true],
  ["/api/streams/a/start?minutes=5&minutes=60", true],
  ["/?state=failed&state=running&group=a&group=b&q=x", false],
  ["/?q=x&q=y", true],
  ["/playlist.m3u?group=a&group=b", true],
  ["//?group=a&group=b", true],
];

Deno.test("a query that has a name twice is refused, but for the board's filter", () => {
  const wrong = ROWS.filter(([address, isRefused]) => {
    try {
      refuseRepeatedQuery(`http://tv${address}`);
      return isRefused;
    } catch (error) {
      assert.match(
        String(error),
        /^ServiceError: The address has "\w+" twice\. Give it once\. Example: \w+=…$/,
      );
      return !isRefused;
    }
  });
  assert.deepEqual(wrong, []);
});
