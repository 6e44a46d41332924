import assert from "node:assert/strict";
import { urlProblem } from "../../../lib/model/page_address.ts";
import { fieldProblems, newStream } from "../../../lib/model/schema.ts";

/** The message about an address, or null when it is accepted. */
function problem(url: unknown): string | null {
  const result = newStream.safeParse({ name: "Clock", url });
  return result.success ? null : fieldProblems(result.error).url;
}

Deno.test("addresses: only http and https", () => {
  const good = [
    "http://a",
    "https://10.0.0.7:8443/d/x?y=1#z",
    "HTTPS://EXAMPLE.org",
    "http://[fd00::1]/",
    "http://localhost",
  ];
  for (const url of [...good, " https://example.org/ ", "https://example.org/$(id)?a='\"--x"]) {
    assert.equal(problem(url), null, url);
  }
});

const BAD_URLS = [
  ...[
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    " file:///etc/passwd",
    "fi\nle:///etc/passwd",
    "file:/etc/passwd",
  ],
  ...[
    "view-source:https://a",
    "blob:file:///x",
    "blob:https://a/x",
    "filesystem:https://a/t",
    "data:text/html,x",
  ],
  ...[
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "chrome://settings",
    "chrome-extension://a/b",
    "devtools://devtools",
  ],
  ...["about:settings", "ftp://a/b", "ws://a", "mailto:a@b"],
  ...["http:/example.org", "https:example.org", "http:\\\\example.org", "//example.org", "example", "/x"],
  ...[
    "http://",
    "https://a b/",
    "--remote-debugging-port=1",
    "$(id)",
    "",
    " ",
    `https://a/${"x".repeat(4096)}`,
  ],
  // as a program's argument, a NUL ends it and the browser would never start
  ...["https://example.org/\0", "https://example.org/\n--flag", "https://exa\nmple.org/"],
];

const METADATA_URLS = [
  ...[
    "http://169.254.169.254/latest/meta-data",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0251.0376.0251.0376/",
  ],
  ...["http://METADATA.google.internal/", "http://metadata.google.internal./", "http://[fd00:ec2::254]/"],
  ...["http://[fd00:ec2:0:0::254]/", "http://100.100.100.200", "http://user@169.254.169.254:80/"],
  "http://[::ffff:169.254.169.254]/",
  ...[
    "http://metadata/",
    "http://METADATA./",
    "http://metadata.goog/computeMetadata",
    "http://instance-data/",
  ],
  ...["http://169.254.170.2/", "http://169.254.170.23/", "http://168.63.129.16/", "http://192.0.0.192/"],
  ...[
    "http://[fd20:ce::254]/",
    "http://[fd00:ec2::23]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[::a9fe:a9fe]/",
  ],
  ...["http://169.254.43518/", "http://0251.254.169.254/", "http://169。254。169。254/"],
];

for (const url of [...BAD_URLS, ...METADATA_URLS, 5, null, undefined, {}]) {
  Deno.test(`the address ${JSON.stringify(url)?.slice(0, 60)} is refused`, () => {
    const message = problem(url);
    assert.match(String(message), METADATA_URLS.includes(url as string) ? /metadata/ : /address/);
  });
}

Deno.test("messages about addresses show an example", () => {
  for (const url of ["", "grafana", "file:///x"]) assert.match(urlProblem(url)!, /Example: https:\/\//, url);
});
