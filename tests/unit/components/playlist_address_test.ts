import assert from "node:assert/strict";
import {
  addressProblem,
  groupChoices,
  guideAddress,
  playlistAddress,
} from "../../../components/playlist/playlistAddress.ts";
import { channelsOf, chosenChannels } from "../../../lib/channel/playlist/channels.ts";
import { publicStream } from "../../../lib/model/schema.ts";
import { aStream } from "../../support/fixture.ts";

const ORIGIN = "https://tv.example.org:8443";

Deno.test("the address carries what is chosen, and nothing else", () => {
  const address = (group: string, isRunning: boolean) => playlistAddress(ORIGIN, { group, isRunning });
  assert.equal(address("", false), `${ORIGIN}/playlist.m3u`);
  assert.equal(address("", true), `${ORIGIN}/playlist.m3u?running=1`);
  assert.equal(address("Walls", true), `${ORIGIN}/playlist.m3u?group=Walls&running=1`);
  assert.equal(guideAddress(ORIGIN), `${ORIGIN}/epg.xml`);
});

Deno.test("whatever a group is called, the address is one and finds it again", () => {
  for (const group of ["A & B", "Düsseldorf + Köln", "50% #1?", "📺", "a=b", "حالة", "'\"<>"]) {
    const address = playlistAddress(ORIGIN, { group, isRunning: false });
    assert.match(address, /^[\x21-\x7e]+$/);
    const channels = channelsOf([publicStream(aStream({ group })), publicStream(aStream({ id: "other" }))]);
    const chosen = chosenChannels(channels, new URL(address).searchParams);
    assert.deepEqual(chosen.map(({ id }) => id), ["clock"], group);
  }
});

Deno.test("groups that the playlist takes for one are offered once", () => {
  assert.deepEqual(groupChoices(["Departures", "Walls", "walls", "WALLS"]), ["Departures", "Walls"]);
});

const PROBLEMS: [origin: string, here: string, isSet: boolean, problem: RegExp][] = [
  ["https://tv.example.org", "https://tv.example.org", false, /^$/],
  ["http://192.168.1.20:3000", "http://192.168.1.20:3000", false, /^$/],
  ["http://localhost.example.org", "http://localhost.example.org", false, /^$/],
  ["http://localhost:3000", "http://localhost:3000", false, /this computer only/],
  ["http://127.0.0.1:3000", "http://127.0.0.1:3000", false, /this computer only/],
  ["http://[::1]:3000", "http://[::1]:3000", false, /this computer only/],
  ["http://tv.example.org", "https://tv.example.org", false, /PUBLIC_URL=https:\/\/tv\.example\.org,/],
  ["http://127.0.0.1:3000", "https://tv.example.org", false, /PUBLIC_URL=https:\/\/tv\.example\.org,/],
  ["https://tv.example.org", "http://localhost:3000", true, /^$/],
  ["http://localhost:3000", "http://localhost:3000", true, /^$/],
];

for (const [origin, here, isSet, problem] of PROBLEMS) {
  Deno.test(`${origin} seen at ${here}${isSet ? ", as set" : ""}: ${problem.source}`, () => {
    assert.match(addressProblem({ origin, isSet }, here), problem);
  });
}
