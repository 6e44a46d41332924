import { stringify } from "devalue";
import { isValidElement } from "preact";
import type { IslandUse } from "./render_hooks.ts";

const REDUCERS = {
  Element(value: unknown) {
    // isValidElement() takes an object without prototype, and a signal, for an element, too.
    if (isValidElement(value) && Object.hasOwn(value, "constructor")) {
      throw new TypeError("it is a JSX element; render it inside the island instead");
    }
  },
};

/**
 * The props of all islands of a page in one flattened devalue array, so that an object that several islands use
 * stays one object in the browser.
 *
 * @throws {TypeError} naming island and prop, if a value cannot be sent
 */
export function serializeProps(islands: IslandUse[]): unknown[] {
  try {
    return JSON.parse(stringify(islands.map(({ props }) => props), REDUCERS));
  } catch (error) {
    throw findUnserializable(islands) ?? error;
  }
}

function findUnserializable(islands: IslandUse[]): TypeError | null {
  for (const { island, props } of islands) {
    for (const [prop, value] of Object.entries(props)) {
      try {
        stringify(value, REDUCERS);
      } catch (cause) {
        const reason = typeof value === "function"
          ? "it is a function; define it inside the island"
          : (cause as Error).message;
        return new TypeError(
          `Island <${island.name}>: the prop "${prop}" cannot be sent to the browser: ${reason}. ` +
            "Props may be plain data, Date, URL, Map, Set, BigInt, RegExp and typed arrays.",
          { cause },
        );
      }
    }
  }
  return null;
}
