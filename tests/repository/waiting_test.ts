/**
 * How tests wait: by looking until it is so (tests/support/same.ts), with the one patience of their layer. A pause, a
 * limit of a test's own or a look that happens once says something else on a busy machine.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { testFiles } from "../../scripts/test_plan.ts";
import { root } from "../support/fixture.ts";

interface Rule {
  says: string;
  /** Matched against a file without its comments and texts. */
  found: RegExp;
  layers: readonly string[];
  /** The same for a function of the file that looks (OWN_LOOK), by its name. */
  foundOf?(name: string): RegExp;
  /** Files that may, each with its reason. */
  except?: Record<string, string>;
}

const QUICK = ["unit", "app", "pages"];

/** playwright's looks that do not wait, and those of tests/support. */
const LOOKS = [
  ...["allInnerTexts", "allTextContents", "boundingBox", "count", "evaluate", "evaluateAll", "getAttribute"],
  ...[
    "innerHTML",
    "innerText",
    "inputValue",
    "isChecked",
    "isDisabled",
    "isEnabled",
    "isHidden",
    "isVisible",
  ],
  ...["textContent", "title", "layoutShift"],
  ...["focusedText", "hasFocus", "isFocused", "message", "names", "overflow", "problemAt", "problems"],
  ...["spills", "video", "wholeCards"],
].join("|");

/** Functions of a file that look: their names are looked for as well. */
const OWN_LOOK = new RegExp(
  String.raw`(?:const (\w+) = (?:async )?\([^)]*\)(?:: [^=\n]+)? =>|function (\w+)\([^)]*\)[^{\n]*\{)` +
    String.raw`[^;]*?\.(?:${LOOKS})\(`,
  "g",
);

const RULES: Rule[] = [
  {
    says: "pauses; wait for what should happen, or for something sent afterwards",
    found: /(?<![.\w])(?:pause|sleep|delay)\(/,
    layers: QUICK,
    except: { "tests/unit/machine/tools/time_test.ts": "tests sleep() itself, in virtual time" },
  },
  {
    says: "has a timer; use tests/support/fake_clock.ts",
    found: /(?<![.\w])(?:setInterval\(|setTimeout\((?:[^(),]|\([^()]*\))*,\s*(?!0\b))/,
    layers: QUICK,
  },
  {
    says: "asks the clock; pass a time, or use tests/support/fake_clock.ts",
    found: /\b(?:Date|performance)\.now\(|\bnew Date\(\)/,
    layers: QUICK,
  },
  {
    says: "has a limit of its own; the layer has one patience",
    found:
      /\b(?:timeout|limit\w*):\s*[\d_]+\b|\b\w*LIMIT_MS\b|\b(?:within|withTimeout|happensWithin)\(|AbortSignal\.timeout\(/,
    layers: QUICK,
    except: { "tests/unit/machine/tools/time_test.ts": "tests limits themselves, in virtual time" },
  },
  {
    says: "has a limit of its own (within); until() has the layer's patience",
    found: /(?<![.\w])within\(/,
    layers: ["e2e"],
    except: {
      "tests/e2e/os/capture_server_test.ts": "that nothing more is sent is the end of what it looks for",
    },
  },
  {
    says: "looks once at a page; use same(() => …, expected)",
    found: new RegExp(String.raw`\bassert[.\w]*\((?:[^;]*?)\bawait\b(?:[^;]*?)\.(?:${LOOKS})\(`),
    foundOf: (name) => new RegExp(String.raw`\bassert[.\w]*\((?:[^;]*?)\bawait ${name}\(`),
    layers: ["pages"],
  },
];

/** Without comments and texts; the lines stay. */
function codeOf(text: string): string {
  return text
    .replace(/\/\*[^]*?\*\/|(?<![:"'`\w])\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ""))
    .replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
}

for (const { says, found, foundOf, layers, except = {} } of RULES) {
  Deno.test(`no test ${says.split(";")[0]}`, () => {
    const files = layers.flatMap((layer) => testFiles(`tests/${layer}`)).filter((file) => !(file in except));
    const wrong = files.flatMap((file) => {
      const code = codeOf(Deno.readTextFileSync(join(root, file)));
      const own = foundOf
        ? Array.from(code.matchAll(OWN_LOOK), ([, one, other]) => foundOf(one ?? other))
        : [];
      const hits = [found, ...own].flatMap((one) => [...code.matchAll(new RegExp(one, "g"))]);
      return hits.map(({ index, 0: text }) => {
        const line = code.slice(0, index).split("\n").length;
        return `${file}:${line} ${says}: ${text.replace(/\s+/g, " ").slice(0, 80)}`;
      });
    });
    assert.deepEqual(wrong, []);
  });
}
