/** Names and groups of the playlist, by the rules of the apps that read it. */
import assert from "node:assert/strict";
import parser from "iptv-playlist-parser";
import { channelsOf, chosenChannels } from "../../../../lib/channel/playlist/channels.ts";
import { playlist } from "../../../../lib/channel/playlist/m3u.ts";
import { publicStream } from "../../../../lib/model/schema.ts";
import { aStream } from "../../../support/fixture.ts";
import { kodiGroups, NAME_RULES, NAMES, seen } from "../../../support/m3u_readers.ts";

const ORIGIN = "https://tv.example.org";
const LOGO = "https://logos.example/a,b.png?w=1,2";

/** Channels of these names and groups. */
function channels(...fields: { name?: string; group?: string; channelLogo?: string }[]) {
  const [one] = channelsOf([publicStream(aStream())]);
  return fields.map(({ channelLogo: logo = "", ...each }, at) => ({ ...one, ...each, logo, id: `s${at}` }));
}

const linesOf = (text: string) => text.split("\n").filter((line) => line.startsWith("#EXTINF:"));

Deno.test("every name is whole in every app, whatever it and its group are like", () => {
  const wrong: string[][] = [];
  for (const group of ["", "Ops, night", "Walls; 2, 3"]) {
    const text = playlist(channels(...NAMES.map((name) => ({ name, group, channelLogo: LOGO }))), ORIGIN);
    const { items } = parser.parse(text);
    for (const [at, line] of linesOf(text).entries()) {
      const read = Object.entries(NAME_RULES).map(([app, rule]) => [app, rule(line)]);
      for (const [app, name] of [...read, ["iptv-playlist-parser", items[at].name]]) {
        if (seen(name) !== NAMES[at]) wrong.push([app, NAMES[at], name]);
      }
      if (seen(items[at].tvg.name) !== NAMES[at]) wrong.push(["tvg-name", NAMES[at], items[at].tvg.name]);
    }
  }
  assert.deepEqual(wrong, []);
});

const GROUPS = [
  "Ops; night",
  "Ops, day",
  "a;b;c",
  "Walls",
  'The "Big" Hall',
  "Düsseldorf, Hbf",
  ";x;",
  "a\tb",
];

Deno.test("every name that a list shows for a group finds the group, and no other", () => {
  const all = channels(...GROUPS.map((group) => ({ group })), { group: "" }, { group: ";" });
  const text = playlist(all, ORIGIN);
  const { items } = parser.parse(text);
  const found = (group: string) =>
    chosenChannels(all, new URLSearchParams({ group })).map((channel) => channel.group);
  const wrong: unknown[] = [];
  for (const [at, group] of GROUPS.entries()) {
    const shown = items[at].group.title;
    if (kodiGroups(linesOf(text)[at]).length !== 1) wrong.push(["one group", shown]);
    for (const asked of [group, shown, seen(shown), shown.toUpperCase(), ` ${shown} `]) {
      if (found(asked).join("|") !== group) wrong.push([asked, found(asked)]);
    }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(found("night"), []);
  assert.deepEqual([items.at(-2)!.group.title, items.at(-1)!.group.title], ["", ""]);
  assert.deepEqual([found(";"), found(",")], [[";"], []]);
});

Deno.test("groups that a list shows by one name are found together", () => {
  const all = channels({ group: "Ops; night" }, { group: "ops, night" }, { group: "Ops" });
  for (const asked of ["Ops; night", "Ops, night", "Ops\u201A night"]) {
    assert.equal(chosenChannels(all, new URLSearchParams({ group: asked })).length, 2, asked);
  }
});

Deno.test("what is asked for is looked at once, whatever the number of channels: this would take hours else", () => {
  const all = Array.from({ length: 1000 }, () => channels({ group: "Ops" })).flat();
  const asked = (group: string) => chosenChannels(all, new URLSearchParams({ group })).length;
  assert.equal(asked("Ops" + "\u200d".repeat(2 ** 20)), 1000);
  assert.equal(asked("a\u200d".repeat(2 ** 20)), 0);
});
