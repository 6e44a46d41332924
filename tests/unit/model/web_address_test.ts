import assert from "node:assert/strict";
import { completeAddress } from "../../../lib/model/web_address.ts";

const COMPLETED: [typed: string, whole: string][] = [
  ["grafana.local:3000/d/abc", "http://grafana.local:3000/d/abc"],
  ["192.168.1.5", "http://192.168.1.5"],
  ["10.0.0.7:8443/x?y=1#z", "http://10.0.0.7:8443/x?y=1#z"],
  ["172.16.0.1", "http://172.16.0.1"],
  ["172.32.0.1", "https://172.32.0.1"],
  ["100.64.0.9/", "http://100.64.0.9/"],
  ["8.8.8.8", "https://8.8.8.8"],
  ["[fd00::5]:3000/", "http://[fd00::5]:3000/"],
  ["[2001:db8::5]", "https://[2001:db8::5]"],
  ["nas:5000", "http://nas:5000"],
  ["nas/photos", "http://nas/photos"],
  ["localhost", "http://localhost"],
  ["Router.LAN", "http://Router.LAN"],
  ["pi.home/", "http://pi.home/"],
  ["pi.home.arpa", "http://pi.home.arpa"],
  ["db.corp.internal?a=b", "http://db.corp.internal?a=b"],
  ["example.org", "https://example.org"],
  ["local.example.org.", "https://local.example.org."],
  [
    "grafana.example.org:3000/d/abc?kiosk&x=http://y",
    "https://grafana.example.org:3000/d/abc?kiosk&x=http://y",
  ],
  ["example.org:80/a", "http://example.org:80/a"],
  ["münchen.de/straße", "https://münchen.de/straße"],
  ["пример.рф", "https://пример.рф"],
  ["\u202ahttps://a.example/x\u202c\u200b", "https://a.example/x"],
  ["\ufeffa.example/x\u2060", "https://a.example/x"],
];

for (const [typed, whole] of COMPLETED) {
  Deno.test(`"${typed}" is completed`, () => assert.equal(completeAddress(typed), whole));
}

Deno.test("what has a scheme, or is no address, stays as it is", () => {
  const others = [
    ...["http://a", "HTTPS://EXAMPLE.org", "ftp://a/b", "file:///etc/passwd", "view-source:https://a"],
    ...["javascript:1", "JavaScript:1/x", "data:1", "file:1", "http:80", "mailto:a@b", "about:settings"],
    ...["user:1@example.org", "user@example.org", "//example.org", "/x", "\\\\host\\share", "C:\\x", "?x"],
    ...[
      "",
      " ",
      "a b.example.org",
      "grafana",
      "not-a-url",
      "a..b/",
      "-a.b",
      "$(id)",
      "--flag=1",
      "a:x",
      "[::1",
    ],
    ...[
      "5",
      "1.5",
      "127.1",
      "0x7f.1",
      "0x7f000001/",
      "2130706433/",
      "300.1.1.1",
      "example.org:99999",
      "a.b\n/",
    ],
  ];
  for (const text of others) assert.equal(completeAddress(text), text);
});
