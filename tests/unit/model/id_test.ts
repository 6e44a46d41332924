import assert from "node:assert/strict";
import { idOfRecord, slug } from "../../../lib/model/id.ts";

const READABLE: [name: string, id: string][] = [
  ["Grafana – Übersicht Straße", "grafana-uebersicht-strasse"],
  ["GROẞE Küche", "grosse-kueche"],
  ["Ku\u0308che", "kueche"],
  ["Café Señor Łódź Ångström Þór", "cafe-senor-lodz-angstroem-thor"],
  ["İstanbul Kapısı", "istanbul-kapisi"],
  ["Tiếng Việt đẹp", "tieng-viet-dep"],
  ["Œuvre ½ ﬁn", "oeuvre-1-2-fin"],
  ["Афиша: Щёлково, Йошкар-Ола", "afisha-shchelkovo-yoshkar-ola"],
  ["Київ – Запоріжжя", "kiiv-zaporizhzhya"],
  ["Београд Љубљана", "beograd-ljubljana"],
  ["Αθήνα Ουρανός Ευτυχία αύριο", "athina-ouranos-eftychia-avrio"],
  ["東京 Dashboard", "dashboard"],
  ["42", "42"],
  ["!!!", "stream"],
  ["", "stream"],
];

for (const [name, id] of READABLE) {
  Deno.test(`"${name}" has the id "${id}"`, () => assert.equal(slug(name), id));
}

Deno.test("a name in another script has an id of its own, which stays the same", () => {
  assert.equal(slug("東京"), "stream-1pgij4");
  assert.equal(slug(" 東京 "), slug("東京"));
  const ids = ["東京", "大阪", "大阪 2", "القاهرة", "서울"].map(slug);
  assert.equal(new Set(ids).size, ids.length, ids.join());
  for (const id of ids) assert.match(id, /^stream-(2-)?[a-z0-9]{5,7}$/);
});

Deno.test("a record of the stream list without an id keeps the one it always had", () => {
  assert.equal(idOfRecord("Grafana – Übersicht Straße"), "grafana-ubersicht-strasse");
  assert.equal(idOfRecord("東京"), "stream");
});
