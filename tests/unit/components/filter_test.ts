import { strict as assert } from "node:assert";
import { boardItems, listOf, shownSections } from "../../../components/board/boardItems.ts";
import { boardPath, filterOf, matches, NO_FILTER, toggled } from "../../../components/board/filter/filter.ts";
import { firstCards } from "../../../components/board/firstCards.ts";
import type { PublicStream } from "../../../lib/model/schema.ts";

const of = (search: string) => filterOf(new URLSearchParams(search));
const stream = (id: string, group = "", name = id) =>
  ({ id, name, group, url: `https://${id}.example.org/`, desiredState: "stopped" }) as PublicStream;

Deno.test("streams are found by words of their name, group and address, without capitals and accents", () => {
  const one = { name: "Übersicht Süd", group: "Lobby", url: "https://grafana.example.org/d/Abc" };
  const cases: [text: string, isFound: boolean][] = [
    ["", true],
    ["  ", true],
    ["übersicht", true],
    ["UBERSICHT sud", true],
    ["lob", true],
    ["d/abc", true],
    ["grafana lobby", true],
    ["grafana hall", false],
    ["/d/abcd", false],
  ];
  for (const [text, isFound] of cases) {
    assert.equal(matches({ ...NO_FILTER, text }, one, "running"), isFound, `"${text}"`);
  }
});

Deno.test("states and groups are alternatives among themselves, and all kinds have to hold", () => {
  const one = stream("clock", " walls ");
  const cases: [search: string, isFound: boolean][] = [
    ["state=failed&state=running", true],
    ["state=failed", false],
    ["group=Walls&group=lobby", true],
    ["group=lobby", false],
    ["group=", false],
    ["q=clock&state=running&group=WALLS", true],
    ["q=clock&state=stopped&group=walls", false],
  ];
  for (const [search, isFound] of cases) assert.equal(matches(of(search), one, "running"), isFound, search);
  assert.ok(matches(of("group="), stream("alone"), "stopped"), "the streams without a group are one, too");
});

Deno.test("an address says the filter and takes it back, and what it cannot be is left out", () => {
  for (
    const path of ["/", "/?q=a+b%26c", "/?q=x&state=failed&state=stopped&group=b%C3%BC&group=&sort=-state"]
  ) {
    assert.equal(boardPath(of(path.slice(2))), path);
  }
  const odd = of(`q=${"x".repeat(5000)}&state=bad&state=running&state=running&` + "group=a&".repeat(50));
  assert.deepEqual([odd.text.length, odd.states, odd.groups], [200, ["running"], ["a"]]);
  assert.deepEqual(toggled(toggled(["a"], "b"), "a"), ["b"]);
});

const LIST = [stream("a", "Walls"), stream("b"), stream("c", "Lobby"), stream("d", "walls")];
const items = (search = "") => boardItems({ streams: LIST, statuses: {}, pending: [] }, of(search), true);
const sections = (search?: string) =>
  shownSections(items(search)).map(({ name, streams }) => `${name}: ${streams.map(({ id }) => id)}`);

Deno.test("sections come in the order of their first cards, those without a group last", () => {
  assert.deepEqual(sections(), ["Walls: a,d", "Lobby: c", "No group: b"]);
  assert.deepEqual(sections("q=d"), ["Walls: d"]);
  assert.deepEqual(sections("q=none"), []);
  assert.deepEqual(listOf(items(), "d"), ["a", "d"]);
  const flat = boardItems(
    { streams: [stream("x"), stream("y")], statuses: {}, pending: [] },
    NO_FILTER,
    true,
  );
  assert.deepEqual(shownSections(flat).map(({ name }) => name), [""]);
});

Deno.test("cards that come later are filtered by what the service knows, until the viewer filters anew", () => {
  const many = Array.from({ length: 30 }, (_, at) => stream(`s${at}`, "", `Screen ${at}`));
  const search = "q=s29.example";
  const board = firstCards(many, {}, of(search));
  const shown = (filter: string, isFirst: boolean) =>
    boardItems(board, of(filter), isFirst).filter(({ isShown }) => isShown).map(({ id }) => id);
  assert.deepEqual(shown(search, true), ["s29"], "found by its address, which the page does not have yet");
  assert.deepEqual(shown("q=Screen 28", false), ["s28"]);
});
