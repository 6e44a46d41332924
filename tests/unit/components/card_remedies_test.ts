import { strict as assert } from "node:assert";
import { remediesOf, REMEDY_WORDS, remedyDialog } from "../../../components/board/card/cardRemedies.ts";
import { type Trouble, TROUBLES } from "../../../lib/model/answers/page_health.ts";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";
import type { PublicStream } from "../../../lib/model/schema.ts";

const STREAM = { id: "clock" } as PublicStream;
const CERTIFICATE = { fingerprint: "5f" };

/** A stream's status with a trouble of its page. */
function withTrouble(trouble: Trouble, page: object): StreamStatus {
  return { id: "clock", state: "degraded", trouble, page } as unknown as StreamStatus;
}

Deno.test("a remedy with words opens a dialog, and no other name does", () => {
  for (const trouble of Object.keys(TROUBLES) as Trouble[]) {
    const status = withTrouble(trouble, { status: 404, certificate: CERTIFICATE });
    const remedies = remediesOf(status);
    assert.ok(remedies.length > 0 && remedies.length <= 3, trouble);
    for (const remedy of remedies) {
      assert.equal(
        remedyDialog(remedy, STREAM, status) !== null,
        remedy in REMEDY_WORDS,
        `${trouble} ${remedy}`,
      );
    }
  }
  const status = withTrouble("refused", {});
  assert.deepEqual(remedyDialog("login", STREAM, status), { kind: "edit", stream: STREAM, field: "user" });
  for (const name of [null, "", "certificate", "constructor", "pass"]) {
    assert.equal(remedyDialog(name, STREAM, status), null, String(name));
  }
});

Deno.test("a certificate is accepted only where there is one, and another one is told", () => {
  for (const trouble of ["certificate-issuer", "certificate-changed"] as const) {
    assert.deepEqual(
      remedyDialog("certificate", STREAM, withTrouble(trouble, { certificate: CERTIFICATE })),
      {
        kind: "certificate",
        stream: STREAM,
        certificate: CERTIFICATE,
        isOther: trouble === "certificate-changed",
      },
    );
    assert.equal(remediesOf(withTrouble(trouble, {})).includes("certificate"), false);
  }
});
