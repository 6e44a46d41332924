import assert from "node:assert/strict";
import { ServiceError } from "../../../lib/errors.ts";
import { apiError } from "../../../lib/door/errors.ts";
import { changedStream, streamFromBody } from "../../../lib/model/change.ts";
import { affectedPrograms, wantedHelpers } from "../../../lib/model/programs.ts";
import { aStream } from "../../support/fixture.ts";

const body = { name: "Grafana", url: "https://grafana.example.org/" };

function problems(action: () => unknown): Record<string, string> {
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.status, 400);
    return error.fields!;
  }
  throw new assert.AssertionError({ message: "nothing was refused" });
}

Deno.test("name and url are enough; id and order are given", () => {
  const streams = [aStream({ id: "grafana", order: 4 }), aStream({ id: "x", order: 2 })];
  const { id, order, desiredState, pass } = streamFromBody(body, streams);
  assert.deepEqual({ id, order, desiredState, pass }, {
    id: "grafana-2",
    order: 5,
    desiredState: "running",
    pass: "",
  });
  assert.equal(streamFromBody({ ...body, id: "mine", order: 99, passSet: true }, []).order, 0);
  assert.equal(streamFromBody({ ...body, future: 1 }, []).future, 1);
});

Deno.test("a PUT leaves what is never sent out", () => {
  const stored = aStream({ url: body.url, token: "t", pass: "p", autologin: { password: "s" }, shown: 1 });
  const put = changedStream(stored, body, false);
  assert.deepEqual([put.token, put.pass, put.autologin, put.shown], ["t", "p", { password: "s" }, undefined]);
  assert.equal(changedStream(stored, { ...body, token: "new" }, false).token, "new");
});

Deno.test("a taken id is a problem of the field id", () => {
  assert.throws(() => streamFromBody({ ...body, id: "a" }, [aStream({ id: "a" })]), (error) => {
    assert.ok(error instanceof ServiceError);
    assert.match(error.fields!.id, /"a" is taken/);
    return true;
  });
});

Deno.test("no two streams wait for their receivers at one port; a list that has two such is changed all the same", () => {
  const at = (port: number, host = "0.0.0.0") => `srt://${host}:${port}?mode=listener`;
  const [one, two] = ["one", "two"].map((id) => aStream({ id, name: id, url: body.url, pushTo: at(9000) }));
  for (const pushTo of [at(9000), at(9000, "[::]"), `${at(9000)}&latency=200`]) {
    assert.match(
      problems(() => streamFromBody({ ...body, pushTo }, [one])).pushTo,
      /port 9000 "one" waits.*Example/,
    );
    const other = aStream({ id: "other", url: body.url });
    assert.match(problems(() => changedStream(other, { pushTo }, true, [one, other])).pushTo, /port 9000/);
  }
  for (const pushTo of [at(9001), "srt://10.0.0.1:9000", "rtmp://10.0.0.1:9000/live/x"]) {
    assert.equal(streamFromBody({ ...body, pushTo }, [one]).pushTo, pushTo);
  }
  assert.equal(changedStream(two, { fps: 5 }, true, [one, two]).fps, 5);
  assert.equal(changedStream(one, { pushTo: at(9002) }, true, [one, two]).pushTo, at(9002));
});

Deno.test("every bad field is named, with an example", () => {
  const fields = problems(() => streamFromBody({ url: "file:///x", fps: 0, resolution: "big" }, []));
  assert.deepEqual(Object.keys(fields).sort(), ["fps", "name", "resolution", "url"]);
  assert.match(fields.url, /Example: https:/);
  assert.match(fields.resolution, /1920x1080/);
});

Deno.test("the answer to a bad body is a 400 of one shape", async () => {
  try {
    streamFromBody({ ...body, fps: 0 }, []);
    assert.fail();
  } catch (error) {
    const response = apiError(error, new Request("http://localhost/api/streams"));
    assert.equal(response.status, 400);
    const message = "Frames per second must be a whole number from 1 to 60.";
    assert.deepEqual(await response.json(), { error: { message, fields: { fps: message } } });
  }
});

Deno.test("bodies that are no object, or go deeper than anything we store", () => {
  for (const wrong of [null, 5, "x", [], [body], true]) {
    assert.deepEqual(problems(() => streamFromBody(wrong, [])), {});
  }
  const deep = JSON.parse("[".repeat(10_000) + "]".repeat(10_000)); // 40 MB once written with indents
  problems(() => streamFromBody({ ...body, deep }, []));
});

Deno.test("__proto__ in a body reaches no prototype", () => {
  const text = `{"name": "A", "url": "https://a", "__proto__": {"pass": "x", "polluted": 1}}`;
  const stream = streamFromBody(JSON.parse(text), []);
  assert.equal(stream.pass, "");
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

Deno.test("PATCH keeps what is absent; PUT resets it, but for password, state, id and order", () => {
  const secrets = { pass: "p", extraHeaders: "X-Key: 1", extraCookies: "key=1" };
  const old = aStream({ url: body.url, order: 3, fps: 10, ...secrets, user: "u", desiredState: "stopped" });
  const patched = changedStream(old, { name: "New" }, true);
  assert.deepEqual(patched, { ...old, name: "New", revision: 1 });
  const put = changedStream(old, { ...body, order: 7, passSet: false, extraHeadersSet: false }, false);
  const { extraHeaders, extraCookies } = put;
  assert.deepEqual({ pass: put.pass, extraHeaders, extraCookies }, secrets);
  assert.ok(!("passSet" in put || "extraHeadersSet" in put));
  assert.deepEqual([put.fps, put.user, put.pass, put.desiredState, put.id, put.order], [
    25,
    "",
    "p",
    "stopped",
    "clock",
    3,
  ]);
  assert.equal(changedStream(old, { pass: "" }, true).pass, "");
  assert.equal(changedStream(aStream({ future: 1 }), { fps: 5 }, true).future, 1);
});

Deno.test("a stored password goes to no other origin unless it is given again", () => {
  const old = aStream({
    url: "https://wall.example.org/a",
    loginOrigins: "https://sso.example.org",
    pass: "p",
  });
  const attacker = "https://attacker.example";
  const gains: Record<string, unknown>[] = [
    { url: `${attacker}/` },
    { url: `${attacker}/`, loginOrigins: "https://wall.example.org" },
    { loginOrigins: attacker },
    { loginOrigins: `https://sso.example.org ${attacker}` },
    { url: "http://wall.example.org/a" },
    { url: "https://wall.example.org:8443/a" },
    { url: "https://a.wall.example.org/a" },
  ];
  for (const change of gains) {
    for (const keep of [true, false]) {
      const body = { ...(keep ? {} : { name: old.name, url: old.url }), ...change };
      const what = JSON.stringify(body);
      assert.match(problems(() => changedStream(old, body, keep)).pass, /given for another site/, what);
      assert.equal(changedStream(old, { ...body, pass: "new" }, keep).pass, "new", what);
      assert.equal(changedStream(old, { ...body, pass: "" }, keep).pass, "", what);
    }
    assert.ok(changedStream({ ...old, pass: "" }, change, true), "nothing is stored");
  }
  for (
    const change of [
      { url: "https://wall.example.org/b?c#d" },
      { url: "https://sso.example.org/", loginOrigins: "https://wall.example.org" },
      { loginOrigins: "" },
      { name: "New" },
    ]
  ) assert.equal(changedStream(old, change, true).pass, "p", JSON.stringify(change));
  const others = { extraHeaders: "X-Key: 1", extraCookies: "key=1" };
  const told = problems(() => changedStream({ ...old, ...others }, { url: `${attacker}/` }, true));
  assert.deepEqual(Object.keys(told), ["pass", "extraHeaders", "extraCookies"]);
  assert.match(told.extraHeaders, /stored extra headers were given for another site. Give them again/);
  const script = problems(() => changedStream(old, { js: "steal()" }, true));
  assert.match(script.pass, /could be read by the script. Give it again/);
  const proxy = problems(() => changedStream(old, { proxy: "http://evil:1" }, true));
  assert.match(proxy.pass, /could be read by the proxy\. Give it again/);
  assert.equal(changedStream({ ...old, proxy: "http://a:1" }, { proxy: "direct" }, true).pass, "p");
  assert.equal(changedStream({ ...old, js: "known()" }, { js: "", fps: 5 }, true).pass, "p");
  assert.equal(changedStream({ ...old, js: "known()" }, { fps: 5 }, true).pass, "p");
  const plain = aStream({ url: "http://wall.example.org/", pass: "p" });
  assert.equal(
    changedStream(plain, { url: "https://wall.example.org/" }, true).pass,
    "p",
    "the same host by https",
  );
});

Deno.test("PUT and PATCH refuse bad fields and another id", () => {
  assert.match(problems(() => changedStream(aStream(), { id: "other" }, true)).id, /cannot be changed/);
  assert.ok(problems(() => changedStream(aStream(), { url: "javascript:1" }, true)).url);
  assert.deepEqual(Object.keys(problems(() => changedStream(aStream(), {}, false))).sort(), ["name", "url"]);
  assert.equal(changedStream(aStream(), { id: "clock" }, true).id, "clock");
});

const RESTARTS: [change: Record<string, unknown>, programs: string[]][] = [
  [{}, []],
  [{ name: "New", order: 5, delay: 7, future: 1 }, []],
  [{ url: "https://other.example/" }, ["browser", "autologin"]],
  [{ resolution: "1920x1080" }, ["display", "wm", "browser", "encoder"]],
  [{ scale: "640x360", bitrate: "2M", gop: 50 }, ["encoder"]],
  [{ fps: 30 }, ["browser", "encoder"]],
  [{ gpu: true }, ["browser"]],
  [{ webRtc: true }, ["browser"]],
  [{ zoom: 150, css: "a {}", extraHeaders: "X-Key: 1" }, ["browser"]],
  [{ onDemand: true, onDemandMinutes: 9 }, []],
  [{ rewind: false, rewindFor: "viewers" }, []],
  [{ pageSeconds: 60, plan: "Mon-Fri 08:00-18:00", planTimeZone: "UTC" }, []],
  // it may reach one more place then
  [{ morePages: "https://other.example/" }, ["browser"]],
  [{ plan: "daily 00:00-24:00 https://other.example/a" }, ["browser"]],
  [{ audio: false }, ["encoder"]],
  // it knows a way to sign in then
  [{ pass: "x" }, ["browser", "autologin"]],
  [{ autoReload: true, autoReloadInterval: 5 }, ["autoreload"]],
  [{ acceptedStatuses: "404" }, ["autoreload"]],
];

Deno.test("a change restarts only the programs it concerns", () => {
  for (const [change, programs] of RESTARTS) {
    assert.deepEqual(affectedPrograms(aStream(), aStream(change)), programs, JSON.stringify(change));
  }
});

Deno.test("helpers run only when wanted", () => {
  assert.deepEqual(wantedHelpers(aStream()), []);
  assert.deepEqual(wantedHelpers(aStream({ user: "u" })), ["autologin"]);
  assert.deepEqual(wantedHelpers(aStream({ pass: "p", autoReload: true })), ["autologin", "autoreload"]);
});

Deno.test("no stream takes the name of a path beside it", () => {
  assert.equal(streamFromBody({ ...body, name: "Statuses" }, []).id, "statuses-2");
  assert.match(problems(() => streamFromBody({ ...body, id: "reorder" }, [])).id, /taken/);
});

const REVISIONS: [change: Record<string, unknown>, revision: number][] = [
  [{}, 4],
  [{ name: "Clock", fps: "25", delay: "0s", bitrate: 1_500_000 }, 4], // the same, otherwise written
  [{ desiredState: "stopped" }, 4],
  [{ order: 9, revision: 4, passSet: true }, 4],
  [{ deep: { a: [1, { b: 2 }] } }, 4],
  [{ deep: { a: [1, { b: 3 }] } }, 5],
  [{ name: "New" }, 5],
  [{ group: "Ops" }, 5],
  [{ pass: "other" }, 5],
  [{ fps: 30, desiredState: "stopped", revision: 4 }, 5],
];

Deno.test("only a setting that differs makes a new revision", () => {
  const stored = aStream({ revision: 4, order: 2, pass: "p", deep: { a: [1, { b: 2 }] } });
  for (const [change, revision] of REVISIONS) {
    const after = changedStream(stored, change, true);
    assert.equal(after.revision, revision, JSON.stringify(change));
    const hasEffect = revision === 5 || "desiredState" in change;
    assert.equal(after === stored, !hasEffect, `${JSON.stringify(change)}: the very same stream`);
  }
  assert.equal(
    changedStream(aStream(), { name: "Clock", url: "https://clock.example.org/" }, false).revision,
    0,
  );
  assert.equal(streamFromBody({ ...body, revision: 12 }, []).revision, 0);
});

Deno.test("a body made from another revision gets a 409 with the current stream, without its password", async () => {
  const stored = aStream({ revision: 4, pass: "s3cret" });
  for (const keep of [true, false]) {
    for (const revision of [0, 3, 5, -1]) {
      try {
        changedStream(stored, { name: "", revision }, keep);
        assert.fail("nothing was refused");
      } catch (error) {
        const response = apiError(error, new Request("http://localhost/api/streams/clock"));
        assert.equal(response.status, 409);
        const { error: { message }, current } = await response.json();
        assert.match(message, /"Clock" was changed meanwhile/);
        const { pass: _p, extraHeaders: _h, extraCookies: _c, pushKey: _k, ...shown } = stored;
        const sets = { passSet: true, extraHeadersSet: false, extraCookiesSet: false, pushKeySet: false };
        assert.deepEqual(current, { ...shown, ...sets });
      }
    }
  }
});

Deno.test("what is no revision is a bad field", () => {
  for (const revision of ["4", "", null, 1.5, true, [4], {}]) {
    assert.match(problems(() => changedStream(aStream(), { revision }, true)).revision, /such as 3/);
  }
});

Deno.test("an order at the end of what is allowed stays there", () => {
  assert.equal(streamFromBody(body, [aStream({ order: 999_999_999 })]).order, 999_999_999);
});
