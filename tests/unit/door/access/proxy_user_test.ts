import assert from "node:assert/strict";
import { proxyUser } from "../../../../lib/door/access/proxy_user.ts";
import { headersCopy } from "../../../../lib/machine/net/header_lines.ts";

const PROXY = "10.0.0.5";
const CONFIG = {
  TRUSTED_PROXIES: [PROXY],
  TRUSTED_USER_HEADER: "Remote-User",
  TRUSTED_GROUPS_HEADER: "Remote-Groups",
  ROLE_GROUPS: ["admin=tv-admins", "viewer=staff"],
};

/** Who is named: "name role", or "nobody". */
function named(lines: [string, string][], hostname = PROXY): string {
  // as a server gets them, and as what goes on keeps them
  const { headers } = new Request("http://tv/", { headers: lines });
  const answers = [headers, headersCopy(headers)].map((one) => {
    const user = proxyUser(one, { remoteAddr: { transport: "tcp", hostname, port: 1 } }, CONFIG);
    return user ? `${user.name} ${user.role}` : "nobody";
  });
  assert.equal(answers[0], answers[1]);
  return answers[0];
}

const EVA: [string, string] = ["Remote-User", "eva"];
const STAFF: [string, string] = ["Remote-Groups", "staff"];
const ADMINS: [string, string] = ["Remote-Groups", "tv-admins"];

const CASES: [what: string, lines: [string, string][], wanted: string, peer?: string][] = [
  ["one line each", [EVA, STAFF], "eva viewer"],
  ["several groups in one line", [EVA, ["Remote-Groups", "x,tv-admins|staff"]], "eva admin"],
  ["blanks and tabs around", [["Remote-User", "\t eva "], ["Remote-Groups", " \tstaff\t"]], "eva viewer"],
  ["no groups", [EVA], "eva null"],
  ["empty groups", [EVA, ["Remote-Groups", ""]], "eva null"],
  ["an address that is not trusted", [EVA, ADMINS], "nobody", "10.0.0.6"],
  ["underscores", [EVA, STAFF, ["Remote_Groups", "tv-admins"], ["Remote_User", "root"]], "eva viewer"],
  ["groups twice, the client's first", [EVA, ADMINS, STAFF], "nobody"],
  ["groups twice, the client's last", [EVA, STAFF, ADMINS], "nobody"],
  ["groups twice, in another case", [EVA, STAFF, ["REMOTE-groups", "tv-admins"]], "nobody"],
  ["groups twice, the same", [EVA, STAFF, STAFF], "nobody"],
  ["groups twice, the first empty", [EVA, ["Remote-Groups", ""], ADMINS], "nobody"],
  ["groups twice, the last empty", [EVA, ADMINS, ["Remote-Groups", ""]], "nobody"],
  ["groups twice, both empty", [EVA, ["Remote-Groups", ""], ["Remote-Groups", ""]], "nobody"],
  ["the user twice", [EVA, ["Remote-User", "root"], STAFF], "nobody"],
  ["the user twice, the same", [EVA, EVA, STAFF], "nobody"],
  ["the user twice, the first empty", [["Remote-User", ""], EVA, ADMINS], "nobody"],
  ["the user twice, the last empty", [EVA, ["Remote-User", " "], ADMINS], "nobody"],
  ["the user empty", [["Remote-User", ""], ADMINS], "nobody"],
];

Deno.test("a proxy's headers name somebody only when each comes once, from an address that is trusted", () => {
  const wrong = CASES.map(([what, lines, wanted, peer]) => ({ what, wanted, found: named(lines, peer) }))
    .filter(({ wanted, found }) => found !== wanted);
  assert.deepEqual(wrong, []);
});
