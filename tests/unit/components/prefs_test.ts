import { strict as assert } from "node:assert";
import {
  cardDifferences,
  configPrefs,
  DEFAULT_PREFS,
  isComplete,
  readCardPrefs,
  readPrefs,
} from "../../../components/prefs/prefs.ts";

const WHOLE = JSON.stringify({ ...DEFAULT_PREFS, pureMode: true });

Deno.test("what is stored is read, field by field, and the rest is left out", () => {
  const cases: [text: string | null, expected: unknown][] = [
    [null, {}],
    ["", {}],
    ["{", {}],
    ["null", {}],
    ["[]", {}],
    ["7", {}],
    ['"pureMode"', {}],
    ['{"pureMode":"yes","openNewTab":1,"reloadClient":null}', {}],
    ['{"pureMode":true,"cardSize":"huge","theme":"pink"}', { pureMode: true }],
    ['{"cardSize":"lg","theme":"dark"}', { cardSize: "lg", theme: "dark" }],
    ['{"reloadClientTime":0}', {}],
    ['{"reloadClientTime":10081}', {}],
    ['{"reloadClientTime":1.5}', {}],
    ['{"reloadClientTime":"60"}', {}],
    ['{"reloadClientTime":10080}', { reloadClientTime: 10080 }],
    ['{"__proto__":{"pureMode":true},"constructor":1}', {}],
    [WHOLE, { ...DEFAULT_PREFS, pureMode: true }],
  ];
  for (const [text, expected] of cases) assert.deepEqual(readPrefs(text), expected, String(text));
});

Deno.test("a card has two fields of its own, whatever else its entry says", () => {
  assert.deepEqual(readCardPrefs(WHOLE), { pureMode: true, openNewTab: false });
  assert.deepEqual(readCardPrefs('{"openNewTab":false,"theme":"dark"}'), { openNewTab: false });
  assert.deepEqual(readCardPrefs("oops"), {});
});

Deno.test("only a complete entry needs no defaults", () => {
  assert.equal(isComplete(readPrefs(WHOLE)), true);
  for (const name of Object.keys(DEFAULT_PREFS)) {
    const { [name as "theme"]: _, ...rest } = DEFAULT_PREFS;
    assert.equal(isComplete(rest), false, name);
  }
});

Deno.test("the service's settings become defaults; odd answers do not", () => {
  const config = {
    DEFAULT_PURE_MODE: true,
    DEFAULT_OPEN_NEW_TAB: false,
    DEFAULT_RELOAD_CLIENT: true,
    DEFAULT_RELOAD_CLIENT_TIME: 5,
  };
  assert.deepEqual(configPrefs(config), {
    pureMode: true,
    openNewTab: false,
    reloadClient: true,
    reloadClientTime: 5,
  });
  assert.deepEqual(configPrefs({ DEFAULT_PURE_MODE: "true", DEFAULT_RELOAD_CLIENT_TIME: -1 }), {});
});

Deno.test("a card that is set back to the general settings follows them again", () => {
  const general = { ...DEFAULT_PREFS, openNewTab: true, pureMode: false };
  assert.deepEqual(cardDifferences({ openNewTab: false, pureMode: false }, general), { openNewTab: false });
  assert.deepEqual(cardDifferences({ openNewTab: true }, general), {});
});
