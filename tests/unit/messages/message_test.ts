import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type Message, textOf, titleOf } from "../../../lib/messages/message.ts";
import { requestOf, SIGNATURE_HEADER } from "../../../lib/messages/request.ts";
import { mailOf } from "../../../lib/messages/mail.ts";
import { summaryOf } from "../../../lib/messages/outbox.ts";
import { storedReceiver, type Way } from "../../../lib/model/receivers.ts";

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

const FAILED: Message = {
  id: "b6a1",
  event: "stream.failed",
  at: AT,
  stream: { id: "lobby", name: "Lobby <!channel> @everyone *1*" },
  state: "failed",
  reason: "The page's server & its name are unknown.",
  downSince: AT,
  link: "https://tv.example.org/streams/lobby",
};
const BACK: Message = { ...FAILED, event: "stream.recovered", at: AT + 3_900_000, reason: "" };
const TEST: Message = {
  id: "c0",
  event: "test",
  at: AT,
  stream: null,
  state: null,
  reason: "",
  downSince: null,
  link: "",
} as Message;

const aReceiver = (way: Way, fields: Record<string, unknown>) =>
  storedReceiver.parse({ id: "0123456789ab", name: "Anna", way, ...fields });

function requested(way: Way, address: string, message = FAILED, secret = "") {
  const { body, ...request } = requestOf(message, aReceiver(way, { address, secret }), AT);
  return { ...request, body: JSON.parse(body) };
}

Deno.test("JSON says what happened, in fields and in words", () => {
  const { url, headers, body } = requested("json", "http://nas.lan/hook?key=1#x");
  assert.equal(url, "http://nas.lan/hook?key=1");
  assert.equal(headers["content-type"], "application/json");
  assert.deepEqual(body, {
    id: "b6a1",
    event: "stream.failed",
    at: "2026-01-02T03:04:05.000Z",
    stream: { id: "lobby", name: "Lobby <!channel> @everyone *1*" },
    state: "failed",
    reason: "The page's server & its name are unknown.",
    downSince: "2026-01-02T03:04:05.000Z",
    link: "https://tv.example.org/streams/lobby",
    pastLink: null,
    text: "Lobby <!channel> @everyone *1* has failed. The page's server & its name are unknown.",
  });
});

Deno.test("ntfy gets JSON at its root, with the topic of the address", () => {
  const { url, body } = requested("ntfy", "https://ntfy.example.org/wall%C3%A9?auth=abc");
  assert.equal(url, "https://ntfy.example.org/?auth=abc");
  assert.deepEqual(body, {
    topic: "wallé",
    title: "Lobby <!channel> @everyone *1* has failed",
    message: "The page's server & its name are unknown.",
    priority: 4,
    tags: ["rotating_light"],
    click: "https://tv.example.org/streams/lobby",
  });
  assert.equal(requested("ntfy", "https://example.org/push/wall").url, "https://example.org/push/");
});

Deno.test("Slack gets an attachment of plain text: no name calls a channel", () => {
  const { url, body } = requested("slack", "https://hooks.slack.com/services/T0/B0/x");
  assert.equal(url, "https://hooks.slack.com/services/T0/B0/x");
  assert.deepEqual(body, {
    attachments: [{
      fallback:
        "Lobby &lt;!channel&gt; @everyone *1* has failed. The page's server &amp; its name are unknown.",
      color: "#c62828",
      title: "Lobby &lt;!channel&gt; @everyone *1* has failed",
      title_link: "https://tv.example.org/streams/lobby",
      text: "The page's server &amp; its name are unknown.",
      mrkdwn_in: [],
      ts: AT / 1000,
    }],
  });
});

Deno.test("Discord gets an embed within its limits: no name is Markdown or calls anybody", () => {
  const { body } = requested("discord", "https://discord.com/api/webhooks/1/x");
  assert.deepEqual(body, {
    username: "Browser Stream",
    embeds: [{
      title: "Lobby <!channel\\> @everyone \\*1\\* has failed",
      description: "The page's server & its name are unknown.",
      color: 0xc62828,
      timestamp: "2026-01-02T03:04:05.000Z",
      url: "https://tv.example.org/streams/lobby",
    }],
    allowed_mentions: { parse: [] },
  });
  const long = { ...FAILED, stream: { id: "a", name: "*".repeat(300) }, reason: "_".repeat(5000) };
  const [{ title, description }] =
    requested("discord", "https://discord.com/api/webhooks/1/x", long).body.embeds;
  assert.deepEqual([title.length, description.length], [256, 4096]);
});

Deno.test("Gotify gets a message with its priority, and where a click leads", () => {
  const { url, body } = requested("gotify", "https://push.example.org/message?token=A1");
  assert.equal(url, "https://push.example.org/message?token=A1");
  assert.deepEqual(body, {
    title: "Lobby <!channel> @everyone *1* has failed",
    message: "The page's server & its name are unknown.",
    priority: 8,
    extras: { "client::notification": { click: { url: "https://tv.example.org/streams/lobby" } } },
  });
});

Deno.test("every way leads to what the stream showed, in a form that its app makes a link of", () => {
  const pastLink = `${FAILED.link}/rewind?at=2026-01-02T03:04:05Z`;
  const line = `What it showed then: ${pastLink}`;
  const reason = "The page's server & its name are unknown.";
  const message: Message = { ...FAILED, pastLink };
  const bodyOf = (way: Way) => requested(way, "https://example.org/t", message).body;
  assert.equal(bodyOf("json").pastLink, pastLink);
  assert.deepEqual(bodyOf("ntfy").actions, [{ action: "view", label: "What it showed then", url: pastLink }]);
  assert.equal(bodyOf("slack").attachments[0].text, `${reason.replace("&", "&amp;")}\n${line}`);
  assert.equal(bodyOf("discord").embeds[0].description, `${reason}\n${line}`);
  assert.equal(bodyOf("gotify").message, `${reason}\n${line}`);
  assert.deepEqual(
    bodyOf("teams").attachments[0].content.actions.map((
      { title, url }: Record<string, string>,
    ) => [title, url]),
    [
      ["Open", FAILED.link],
      ["What it showed then", pastLink],
    ],
  );
  const telegram = requestOf(message, aReceiver("telegram", { token: "1:A", chat: "@walls" }), AT);
  assert.deepEqual(JSON.parse(telegram.body).text.split("\n").slice(-2), [FAILED.link, line]);
  assert.equal(
    mailOf(message, { from: "a@example.org", to: "b@example.org" }).text,
    `${reason}\n\n${FAILED.link}\n\n${line}\n`,
  );
  // a long text gives way to it
  const long = requested("discord", "https://discord.com/api/webhooks/1/x", {
    ...message,
    reason: "_".repeat(5000),
  });
  const [{ description }] = long.body.embeds;
  assert.deepEqual([description.length, description.endsWith(`\n${line}`)], [4096, true]);
});

Deno.test("without a link none is sent, to any receiver", () => {
  for (const format of ["ntfy", "slack", "discord", "gotify"] as const) {
    const text = JSON.stringify(requested(format, "https://example.org/t", { ...FAILED, link: "" }).body);
    assert.doesNotMatch(text, /click|link|url/, format);
  }
  assert.equal(requested("json", "https://example.org/", { ...FAILED, link: "" }).body.link, null);
});

Deno.test("every message has a title and a text, and a return says how long it was away", () => {
  const degraded: Message = { ...FAILED, event: "stream.degraded", state: "degraded", reason: "" };
  const words = [degraded, BACK, TEST].map((message) => [titleOf(message), textOf(message)]);
  assert.deepEqual(words, [
    ["Lobby <!channel> @everyone *1* has a problem", "Its log has the details."],
    ["Lobby <!channel> @everyone *1* is back", "It runs again. It was down for 65 min."],
    ["Browser Stream: test message", "Messages about your streams arrive here."],
  ]);
  const away = (ms: number) => textOf({ ...BACK, at: AT + ms }).replace(/.*for /, "");
  assert.deepEqual([400, 45_000, 119_000, 120_000, 7_140_000, 7_200_000, 11_100_000].map(away), [
    ...["1 s.", "45 s.", "119 s.", "2 min.", "119 min.", "2 h.", "3 h 5 min."],
  ]);
});

Deno.test("a signed message has an HMAC of its time and its very bytes", () => {
  const signed = aReceiver("json", { address: "http://nas.lan/", secret: "s3cret" });
  const request = requestOf(FAILED, signed, AT);
  const [, seconds, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(request.headers[SIGNATURE_HEADER])!;
  assert.equal(seconds, String(AT / 1000));
  assert.equal(hex, createHmac("sha256", "s3cret").update(`${seconds}.${request.body}`).digest("hex"));
  assert.equal(requested("json", "http://nas.lan/").headers[SIGNATURE_HEADER], undefined);
});

Deno.test("user name and password of the address go as a header", () => {
  const { url, headers } = requested("ntfy", "https://:tk_%C3%A9@ntfy.example.org/wall");
  assert.equal(url, "https://ntfy.example.org/");
  assert.equal(headers.authorization, `Basic ${new TextEncoder().encode(":tk_é").toBase64()}`);
});

Deno.test("Teams gets an Adaptive Card whose texts are plain", () => {
  const { body } = requested("teams", "https://prod.example.org/workflows/1");
  assert.deepEqual(body, {
    type: "message",
    attachments: [{
      contentType: "application/vnd.microsoft.card.adaptive",
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body: [
          {
            type: "TextBlock",
            text: "Lobby <!channel\\> @everyone \\*1\\* has failed",
            weight: "Bolder",
            size: "Medium",
            wrap: true,
          },
          { type: "TextBlock", text: "The page's server & its name are unknown.", wrap: true },
        ],
        actions: [{ type: "Action.OpenUrl", title: "Open", url: FAILED.link }],
      },
    }],
  });
});

Deno.test("Telegram gets plain text for its chat", () => {
  const { url, body } = requestOf(FAILED, aReceiver("telegram", { token: "1:A", chat: "@walls" }), AT);
  assert.equal(url, "https://api.telegram.org/bot1:A/sendMessage");
  assert.deepEqual(JSON.parse(body), {
    chat_id: "@walls",
    text: "Lobby <!channel> @everyone *1* has failed\nThe page's server & its name are unknown.\n" +
      FAILED.link,
    link_preview_options: { is_disabled: true },
  });
});

Deno.test("a mail is plain text, with a subject", () => {
  const { from, to, subject, text } = mailOf(FAILED, {
    from: "tv@example.org",
    to: "a@example.org; b@example.org",
  });
  assert.deepEqual([from.address, to], ["tv@example.org", ["a@example.org", "b@example.org"]]);
  assert.equal(subject, "Lobby <!channel> @everyone *1* has failed");
  assert.equal(text, `The page's server & its name are unknown.\n\n${FAILED.link}\n`);
});

Deno.test("what came in quiet hours is one summary, and a single message stays as it is", () => {
  const quiet = {
    ...FAILED,
    event: "stream.failed" as const,
    tries: 0,
    receiver: "a",
    isQuiet: true,
  };
  assert.equal(summaryOf([quiet, { ...quiet, isQuiet: false }], "s", AT, () => "03:04"), null);
  const summary = summaryOf(
    [quiet, { ...quiet, event: "stream.recovered", downSince: null }],
    "s",
    AT,
    () => "03:04",
  )!;
  assert.equal(titleOf(summary), "2 messages from the quiet hours");
  assert.deepEqual(textOf(summary).split("\n"), [
    "03:04 Lobby <!channel> @everyone *1* has failed. The page's server & its name are unknown.",
    "03:04 Lobby <!channel> @everyone *1* is back. It runs again.",
  ]);
  assert.equal(summary.link, "https://tv.example.org/incidents");
});

Deno.test("titles say what a message is about", () => {
  const titles: [Partial<Message>, string][] = [
    [{ event: "stream.degraded", kind: "signedOut" }, "A is signed out"],
    [{ event: "stream.degraded", kind: "certificate" }, "A has a problem with its certificate"],
    [{ event: "stream.degraded", kind: "failed" }, "A has a problem"],
    [{ event: "disk.full", kind: "disk", stream: null }, "The disk is nearly full"],
    [{ event: "disk.recovered", kind: "disk", stream: null }, "The disk has free space again"],
  ];
  for (const [fields, title] of titles) {
    assert.equal(titleOf({ ...FAILED, stream: { id: "a", name: "A" }, ...fields }), title);
  }
});
