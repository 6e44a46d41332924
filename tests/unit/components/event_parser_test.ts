import { strict as assert } from "node:assert";
import { EventParser } from "../../../components/client/eventParser.ts";

const TEXT =
  'retry: 3000\n\n: still here\n\nevent: state\ndata: {"a":\ndata: 1}\n\nevent: b\ndata:x: y\n\nevent: none\n\n';
const EVENTS = [{ name: "state", data: '{"a":\n1}' }, { name: "b", data: "x: y" }];

Deno.test("server-sent events are read, comments and empty ones are not", () => {
  assert.deepEqual(new EventParser().push(TEXT), EVENTS);
});

Deno.test("server-sent events are the same wherever their text is cut", () => {
  for (let at = 0; at <= TEXT.length; at++) {
    const parser = new EventParser();
    assert.deepEqual([...parser.push(TEXT.slice(0, at)), ...parser.push(TEXT.slice(at))], EVENTS, `at ${at}`);
  }
});
