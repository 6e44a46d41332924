import { strict as assert } from "node:assert";
import { parseFingerprints, shownFingerprint } from "../../../lib/model/certificates.ts";
import { streamFields } from "../../../lib/model/schema.ts";

const A = "a1".repeat(32);
const B = "0f".repeat(32);
const fields = (acceptedCertificates: unknown) =>
  streamFields.safeParse({ name: "A", url: "https://a.example/", acceptedCertificates });

Deno.test("accepted certificates: as openssl and browsers write them, each once", () => {
  assert.deepEqual(parseFingerprints(""), []);
  assert.deepEqual(parseFingerprints(` ${shownFingerprint(A)},\n${B} ${A}`), [A, B]);
  assert.equal(fields([shownFingerprint(A), B]).data?.acceptedCertificates, `${A} ${B}`);
  assert.equal(shownFingerprint("0fa1"), "0F:A1");
});

Deno.test("accepted certificates: what is no SHA-256 fingerprint is refused with an example", () => {
  for (const text of ["x", A.slice(1), `${A}0`, "*", `sha1/${A}`, `${A} x`, "a".repeat(5000)]) {
    const { success, error } = fields(text);
    assert.equal(success, false, text.slice(0, 20));
    assert.match(error!.issues[0].message, /SHA-256 fingerprint.* such as/);
  }
  const many = Array.from({ length: 11 }, (_, at) => at.toString(16).repeat(64).slice(0, 64));
  assert.match(fields(many).error!.issues[0].message, /at most 10/);
});
