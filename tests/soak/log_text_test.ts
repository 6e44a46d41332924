/** What a program writes to its log is read in time, whatever it is. */
import { strict as assert } from "node:assert";
import { shownText } from "../../lib/model/answers/log_text.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

Deno.test("megabytes of beginnings of sequences take no time", () => {
  for (const text of ["\x1b[", "\x1b]", "\x1b[0;", "\x1b ", "\x1bP\x1b", "\x9b0"]) {
    const bytes = bytesOf(text.repeat(100_000));
    const times = [1, 2, 3].map(() => {
      const from = performance.now();
      shownText(bytes);
      return performance.now() - from;
    });
    // the best one: other tests take the processors at the same time
    assert.ok(Math.min(...times) < 1000, `${JSON.stringify(text)}: ${times} ms`);
  }
});
