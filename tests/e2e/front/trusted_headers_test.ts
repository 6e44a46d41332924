/** Headers that are trusted, with the real front door: twice, empty, with underscores, in another case, as trailers. */
import { strict as assert } from "node:assert";
import { testApp } from "../../support/app.ts";
import { rawExchange, startFront } from "../../support/front.ts";

const SSO = {
  TRUSTED_PROXIES: "127.0.0.1",
  TRUSTED_USER_HEADER: "Remote-User",
  TRUSTED_GROUPS_HEADER: "Remote-Groups",
  ROLE_GROUPS: "admin=tv-admins,viewer=staff",
};
const USER = "Remote-User: eva";
const STAFF = "Remote-Groups: staff";
const ADMINS = "Remote-Groups: tv-admins";
const KNOWN = [USER, STAFF];

/** What is asked of an address for admins, and what the answer has to be: 401 nobody, 403 a viewer, 200 an admin. */
const ROWS: [what: string, lines: string[], status: number][] = [
  ["an admin", [USER, ADMINS], 200],
  ["a viewer", KNOWN, 403],
  ["groups twice, the client's first", [USER, ADMINS, STAFF], 401],
  ["groups twice, the client's last", [USER, STAFF, ADMINS], 401],
  ["groups twice, the same", [USER, ADMINS, ADMINS], 401],
  ["groups twice, in other cases", [USER, STAFF, "REMOTE-GROUPS: tv-admins"], 401],
  ["groups twice, the first empty", [USER, "Remote-Groups:", ADMINS], 401],
  ["groups twice, the last empty", [USER, ADMINS, "Remote-Groups: \t"], 401],
  ["the user twice", [USER, "Remote-User: root", ADMINS], 401],
  ["the user twice, the first empty", ["Remote-User:", "Remote-User: root", ADMINS], 401],
  ["blanks and tabs around", ["Remote-User: \t eva\t", "Remote-Groups:\t staff \t"], 403],
  ["underscores", [...KNOWN, "Remote_Groups: tv-admins", "Remote_User: root"], 403],
  ["underscores alone", ["Remote_User: root", "Remote_Groups: tv-admins"], 401],
  ["a blank before the colon", [...KNOWN, "Remote-Groups : tv-admins"], 400],
  ["a folded line", [USER, "Remote-Groups: staff", " ,tv-admins"], 400],
  ["the user dropped as of one connection", [USER, ADMINS, "Connection: Remote-User"], 200],
  ["another peer's name", [USER, ADMINS, "X-Front-Peer: 10.0.0.9", "X_Front_Peer: 10.0.0.9"], 200],
  ["Host twice", [USER, ADMINS, "Host: 127.0.0.1"], 400],
  ["two ways of length", [USER, ADMINS, "Content-Length: 0", "Transfer-Encoding: chunked"], 400],
];

Deno.test("front door: a trusted proxy's headers count only when each came once, by its own name", async () => {
  await using app = await testApp({ env: SSO });
  await using front = await startFront((request, info) => app.handler(request, info), SSO);
  const ask = async (lines: string[], start = "GET /api/users", rest = "") => {
    const head = [`${start} HTTP/1.1`, `Host: 127.0.0.1:${front.port}`, ...lines, "Connection: close"];
    const answer = await rawExchange(front.port, `${head.join("\r\n")}\r\n\r\n${rest}`);
    return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
  };
  const wrong: string[] = [];
  for (const [what, lines, wanted] of ROWS) {
    const status = await ask(lines);
    if (status !== wanted) wrong.push(`${what}: ${status}, not ${wanted}`);
  }
  const chunked = [...KNOWN, "Content-Type: application/json", "Transfer-Encoding: chunked"];
  const body =
    "2\r\n{}\r\n0\r\nRemote-Groups: tv-admins\r\nRemote-User: root\r\nX-Front-Peer: 10.0.0.9\r\n\r\n";
  const trailers = await ask([...chunked, "Trailer: Remote-Groups"], "POST /api/users", body);
  if (trailers !== 403) wrong.push(`trailers: ${trailers}, not 403`);
  assert.deepEqual(wrong, []);
});
