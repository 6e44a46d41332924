/** Each stored secret of a receiver against a change of each other field. */
import { strict as assert } from "node:assert";
import { ServiceError } from "../../../lib/errors.ts";
import { changedReceiver } from "../../../lib/messages/changed_receiver.ts";
import { type newReceiverBody, RECEIVER_SECRETS, storedReceiver } from "../../../lib/model/receivers.ts";

type Fields = (typeof newReceiverBody)["shape"];

const MAIL = {
  id: "0123456789ab",
  name: "Anna",
  way: "mail",
  server: "smtp.example.org",
  port: 465,
  security: "tls",
  from: "tv@example.org",
  to: "anna@example.org",
  user: "tv",
  password: "p4ss",
};
const JSON_WAY = {
  id: "0123456789ab",
  name: "Robot",
  way: "json",
  address: "https://hooks.example.org/topic",
  secret: "s1gn",
};
const TELEGRAM = {
  id: "0123456789ab",
  name: "Bot",
  way: "telegram",
  address: "https://bots.example.org",
  token: "1:B0t",
  chat: "2",
};

type Row = [stored: Record<string, unknown>, to: unknown, lost: string];

/** A new field needs its rows here, and its verdict in lib/messages/changed_receiver.ts: else neither compiles. */
const ROWS: Record<keyof Fields, Row[]> = {
  name: [[MAIL, "Otto", ""], [JSON_WAY, "Otto", ""], [TELEGRAM, "Otto", ""]],
  // nothing goes from one way to another
  way: [[JSON_WAY, "gotify", "address"], [JSON_WAY, "telegram", "chat token"], [TELEGRAM, "json", "address"]],
  kinds: [[MAIL, ["disk"], ""], [TELEGRAM, ["disk"], ""]],
  groups: [[MAIL, ["Walls"], ""], [JSON_WAY, ["Walls"], ""]],
  quietFrom: [[{ ...MAIL, quietFrom: "22:00", quietTo: "07:00" }, "23:00", ""]],
  quietTo: [[{ ...MAIL, quietFrom: "22:00", quietTo: "07:00" }, "08:00", ""]],
  address: [
    [JSON_WAY, "https://evil.example/topic", "secret"],
    [JSON_WAY, "https://hooks.example.org/other", "secret"],
    [JSON_WAY, "http://hooks.example.org/topic", "secret"],
    [JSON_WAY, JSON_WAY.address, ""],
    [TELEGRAM, "https://evil.example", "token"],
    [TELEGRAM, "http://bots.example.org", "token"],
    [TELEGRAM, "", "token"],
  ],
  secret: [[JSON_WAY, "another", ""]],
  token: [[TELEGRAM, "2:Other", ""]],
  chat: [[TELEGRAM, "3", ""]],
  server: [[MAIL, "smtp.evil.example", "password"], [MAIL, "SMTP.example.org", ""]],
  port: [[MAIL, 2525, "password"]],
  security: [
    [MAIL, "none", "password"],
    [{ ...MAIL, security: "starttls" }, "none", "password"],
    [{ ...MAIL, security: "none" }, "starttls", ""],
    // both encrypt before the password is said, or say nothing
    [MAIL, "starttls", ""],
  ],
  user: [[MAIL, "root", "password"], [MAIL, "", ""], [{ ...MAIL, user: "" }, "root", "password"]],
  password: [[MAIL, "another", ""]],
  from: [[MAIL, "wall@example.org", ""]],
  to: [[MAIL, "otto@example.org", ""]],
};

function lostBy(stored: Record<string, unknown>, body: unknown): string {
  try {
    const known = storedReceiver.parse(stored);
    const after = changedReceiver(known, body);
    // what no way uses any more is not kept for a later one
    const gone = RECEIVER_SECRETS.filter((field) => known[field] !== "" && after[field] === "");
    return gone.filter((field) => !(field in Object(body))).join(" ");
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.fields, String(error));
    return Object.keys(error.fields).sort().join(" ");
  }
}

Deno.test("a receiver's stored secret stays when nothing but harmless fields change", () => {
  const wrong: string[] = [];
  for (const [field, rows] of Object.entries(ROWS)) {
    for (const [stored, to, lost] of rows) {
      const found = lostBy(stored, { [field]: to });
      if (found !== lost) wrong.push(`${stored.way}, ${field}: -> ${to}: "${found}", not "${lost}"`);
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("another way of messages forgets the secrets of the way before", () => {
  const { way, server, from, to } = MAIL;
  const known = storedReceiver.parse(JSON_WAY);
  const mail = changedReceiver(known, { way, server, from, to });
  assert.deepEqual(RECEIVER_SECRETS.map((field) => mail[field]), ["", "", "", ""]);
  const given = changedReceiver(known, {
    way: "gotify",
    address: "https://push.example.org/message?token=x",
  });
  assert.deepEqual([given.address, given.secret], ["https://push.example.org/message?token=x", ""]);
});
