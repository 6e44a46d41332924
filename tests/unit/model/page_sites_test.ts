import assert from "node:assert/strict";
import { streamFields } from "../../../lib/model/schema.ts";

const parsed = (fields: Record<string, unknown>) =>
  streamFields.safeParse({ name: "A", url: "https://a.example/", ...fields });

Deno.test("accepted statuses: as a text, a number or a list, each once", () => {
  const stored = (acceptedStatuses: unknown) => parsed({ acceptedStatuses }).data?.acceptedStatuses;
  assert.equal(stored(" 404, 403\n404 "), "403 404");
  assert.equal(stored(404), "404");
  assert.equal(stored([503, "404"]), "404 503");
  assert.equal(stored(""), "");
  assert.equal(stored(undefined), "");
});

Deno.test("accepted statuses: what is no status of an error is refused with an example", () => {
  for (const wrong of ["200", "302", "4o4", "99", "600", "-404", "404.5", "4040", null, {}, [404, true]]) {
    const { error } = parsed({ acceptedStatuses: wrong });
    assert.match(error?.issues[0].message ?? "", /such as "404 403"|Example: 404 403/, JSON.stringify(wrong));
  }
  const eleven = Array.from({ length: 11 }, (_, at) => 400 + at);
  assert.match(parsed({ acceptedStatuses: eleven }).error!.issues[0].message, /at most 10/);
});

Deno.test("sites: origins, each once; what is none is refused with an example", () => {
  assert.equal(
    parsed({ sites: ["https://News.example/", "http://b.example:8080"] }).data?.sites,
    "https://news.example http://b.example:8080",
  );
  for (const wrong of ["news.example", "https://a.example/path", "ftp://a.example", "https://me@a.example"]) {
    assert.match(parsed({ sites: wrong }).error!.issues[0].message, /Example: https:\/\/news/, wrong);
  }
});
