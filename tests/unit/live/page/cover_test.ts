import { strict as assert } from "node:assert";
import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import type { BrowserControl } from "../../../../lib/browser/client.ts";
import { PageCover, wantedCover } from "../../../../lib/live/page/cover.ts";
import type { Stream } from "../../../../lib/model/schema.ts";
import type { ScreenCover } from "../../../../lib/display/x11/cover.ts";
import { aGround, aKeptStream } from "../../../support/ground.ts";

/** Of a slate. */
const PIXELS = Uint8Array.of(1, 2, 3, 4);

Deno.test("covers: what lies over a display", () => {
  const wanted = (isGood: boolean, viewers: number, whileBroken: Stream["whileBroken"]) =>
    wantedCover(isGood, viewers, { whileBroken });
  assert.equal(wanted(true, 0, "last"), "nothing");
  assert.equal(wanted(false, 0, "last"), "last");
  assert.equal(wanted(false, 0, "slate"), "slate");
  assert.equal(wanted(false, 0, "page"), "nothing");
  assert.equal(wanted(false, 1, "last"), "nothing", "whoever is there sees the page");
});

/** A display that notes what is done with it: picture 1 is the first that was kept. */
function display(changes: Partial<Stream> = {}) {
  const done: string[] = [];
  const given = { fails: false, isMute: false, meanwhile: () => {} };
  const world = aGround();
  const { ground, machine, people } = world;
  const live = aKeptStream(world, { name: "Wall", whileBroken: "last", audio: false, ...changes });
  const opened: { isOpen: boolean; onbare: () => void }[] = [];
  let pictures = 0;
  let paint = () => {};
  machine.openCover = () => {
    if (given.fails) return Promise.reject(new Error("no display"));
    const one = {
      isOpen: true,
      onbare: () => {},
      size: { width: 1, height: 1 },
      keep: () => (done.push(`keep ${++pictures}`), Promise.resolve(pictures)),
      load: (pixels: Uint8Array) => (done.push(`load ${pixels}`), Promise.resolve(++pictures)),
      forget: (picture: number) => void done.push(`forget ${picture}`),
      show: (picture: number) => (done.push(`show ${picture}`), Promise.resolve()),
      hide: () => (done.push("hide"), Promise.resolve()),
      [Symbol.dispose]: () => void done.push("close"),
    };
    opened.push(one);
    return Promise.resolve(one as ScreenCover);
  };
  const heard = (word: string) => () => {
    if (given.isMute) return Promise.reject(new Error("no sound server"));
    done.push(word);
    given.meanwhile();
    return Promise.resolve();
  };
  Object.assign(machine.broker, { mute: heard("unheard"), unmute: heard("heard") });
  const drawing = {
    evaluate: (expression: string) => {
      done.push(`draw ${/\)\("(.+?)", /.exec(expression)?.[1]}`);
      return Promise.resolve(Buffer.from(deflateSync(PIXELS)).toString("base64"));
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const browser = {
    pages: () => Promise.resolve([]),
    openTab: () => Promise.resolve({ id: "slate" }),
    connect: () => Promise.resolve(drawing),
    closeTab: () => Promise.resolve(),
    // by which the picture of the page is waited for
    connectFirst: () => {
      done.push("painted");
      paint();
      return Promise.reject(new Error("it shows nothing"));
    },
  } as unknown as BrowserControl;
  const cover = new PageCover({ live, ground, browser, display: 101 });
  const set = (fields: Partial<Stream>) => live.stream = { ...live.stream, ...fields } as Stream;
  const is = async (isGood: boolean) => {
    done.length = 0;
    await cover.pageIs(isGood);
    return [...done];
  };
  const onpaint = (check: () => void) => void (paint = check);
  return { cover, given, people, set, opened, is, done, onpaint };
}

Deno.test("covers: the picture that is shown is one of which the page is known to have stayed good", async () => {
  const { is } = display();
  assert.deepEqual(await is(true), ["painted", "keep 1"]);
  assert.deepEqual(await is(true), ["keep 2"]);
  assert.deepEqual(await is(true), ["forget 1", "keep 3"]);
  assert.deepEqual(await is(false), ["show 2"]);
  assert.deepEqual(await is(false), []);
  assert.deepEqual(await is(true), ["painted", "hide"]);
  assert.deepEqual(await is(true), ["forget 2", "keep 4"]);
});

Deno.test("covers: a page that was never good has the slate", async () => {
  const { is } = display();
  assert.deepEqual(await is(false), ["draw Wall", "load 1,2,3,4", "show 1"]);
});

Deno.test("covers: the slate is drawn once for each name", async () => {
  const { is, set } = display({ whileBroken: "slate" });
  await is(true);
  assert.deepEqual(await is(false), ["draw Wall", "load 1,2,3,4", "show 2"]);
  await is(true);
  assert.deepEqual(await is(false), ["show 2"]);
  set({ name: "Hall" });
  assert.deepEqual(await is(false), ["draw Hall", "load 1,2,3,4", "show 3", "forget 2"]);
});

Deno.test("covers: nothing is kept of what somebody does by VNC, and they see the page", async () => {
  const { is, people, cover, done } = display();
  await is(true);
  await is(false);
  people.vnc = 1;
  assert.deepEqual(await is(true), ["painted", "hide"]);
  assert.deepEqual(await is(true), []);
  people.vnc = 0;
  await is(false);
  people.vnc = 1;
  done.length = 0;
  cover.tick();
  await cover.pageIs(false);
  assert.deepEqual(done, ["hide"]);
});

Deno.test("covers: who does not see the page does not hear it, and what fails is done at the next look", async () => {
  const { is, given, people, set, done, cover } = display({ audio: true });
  // an earlier web app may have left it covered
  assert.deepEqual(await is(true), ["painted", "keep 1", "heard"]);
  assert.deepEqual(await is(true), ["keep 2"]);
  assert.deepEqual(await is(false), ["show 1", "unheard"]);
  assert.deepEqual(await is(false), []);
  given.isMute = true;
  assert.deepEqual(await is(true), ["painted", "hide"]);
  given.isMute = false;
  assert.deepEqual(await is(true), ["forget 1", "keep 3", "heard"]);
  set({ whileBroken: "page" });
  assert.deepEqual(await is(false), []);
  set({ whileBroken: "last" });
  await is(false);
  people.vnc = 1;
  done.length = 0;
  await cover.pageIs(false);
  assert.deepEqual(done, ["hide", "heard"], "whoever is there hears the page");
});

Deno.test("covers: a sound server that was restarted is muted anew, and a page that cannot be covered is heard", async () => {
  const { is, given, cover, opened } = display({ audio: true });
  cover.soundServerIs(1);
  await is(true);
  assert.deepEqual((await is(false)).at(-1), "unheard");
  cover.soundServerIs(1);
  assert.deepEqual(await is(false), []);
  cover.soundServerIs(0);
  given.isMute = true;
  assert.deepEqual(await is(false), []);
  given.isMute = false;
  cover.soundServerIs(2);
  assert.deepEqual(await is(false), ["unheard"]);
  given.meanwhile = () => cover.soundServerIs(3);
  assert.deepEqual((await is(true)).at(-1), "heard");
  assert.deepEqual((await is(true)).at(-1), "heard", "only the server of before was told");
  await is(false);
  opened[0].isOpen = false;
  given.fails = true;
  assert.deepEqual(await is(false), ["heard"]);
  await cover.close();
  assert.deepEqual(await is(false), []);
});

Deno.test("covers: a display that was restarted has no picture any more", async () => {
  const { is, opened } = display();
  await is(true);
  await is(true);
  opened[0].isOpen = false;
  assert.deepEqual(await is(false), ["draw Wall", "load 1,2,3,4", "show 3"]);
});

Deno.test("covers: a display that does not answer is tried again, and a stopped stream left alone", async () => {
  const { is, given, set, cover, done } = display();
  given.fails = true;
  assert.deepEqual(await is(false), []);
  given.fails = false;
  assert.deepEqual((await is(false)).at(-1), "show 1");
  set({ desiredState: "stopped" });
  assert.deepEqual(await is(true), []);
  await cover.close();
  assert.deepEqual(done, ["close"]);
});

Deno.test("covers: a browser that ends leaves the last picture, and its page is looked at until it is back", async () => {
  const { is, opened, cover, done } = display();
  await is(true);
  done.length = 0;
  opened[0].onbare();
  const isWorthALook = Array.from({ length: 3 }, () => cover.tick());
  await cover.pageIs(false);
  assert.deepEqual([isWorthALook, done], [[false, false, true], ["show 1"]]);
  assert.deepEqual(await is(true), ["painted", "hide"]);
  done.length = 0;
  cover.tick();
  assert.deepEqual(done, []);
});

Deno.test("covers: a display shows the page once that was seen good and painted, and with nothing over it", async () => {
  const { is, opened, cover, given, onpaint } = display();
  assert.equal(cover.showsPage, false, "nobody has seen it yet");
  onpaint(() => assert.equal(cover.showsPage, false, "it is not painted yet"));
  await is(true);
  assert.equal(cover.showsPage, true);
  await is(false);
  assert.equal(cover.showsPage, false);
  await is(true);
  assert.equal(cover.showsPage, true);
  opened[0].onbare();
  assert.equal(cover.showsPage, false, "its browser has ended");
  await is(true);
  given.fails = true;
  opened[0].isOpen = false;
  await is(false);
  await is(true);
  assert.equal(cover.showsPage, true, "what could not be covered is not covered");
});

Deno.test("covers: a page that breaks while it is painted is not shown", async () => {
  const { is, cover, onpaint } = display();
  onpaint(() => void cover.pageIs(false));
  await is(true);
  onpaint(() => {});
  assert.equal(cover.showsPage, false);
  await cover.pageIs(false);
});
