/** The name of a stream whose name follows its page's title, until somebody sets one. Pure. */
import { oneLine } from "./one_line.ts";

/** Characters of a name. */
const MOST = 120;

/** The first of "A", "A 2", "A 3", … that is not taken. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let n = 1;; n++) {
    const candidate = n === 1 ? name : `${name} ${n}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** The name that a page's title gives, with a number where another stream has it; null: the title shows nothing. */
export function nameOfTitle(title: string, taken: ReadonlySet<string>): string | null {
  const line = oneLine(title);
  if (!/[\p{L}\p{N}\p{S}]/u.test(line)) return null;
  const characters = [...line];
  // room for the number
  const whole = characters.length > MOST - 5 ? `${characters.slice(0, MOST - 6).join("").trimEnd()}…` : line;
  return freeName(whole, taken);
}

/** The part of a stream that says where its name is from. */
export interface NamedStream {
  name: string;
  /** The name is the host's, and becomes the page's title once that is known. Absent: somebody has set the name. */
  nameFollowsTitle?: boolean;
}

/**
 * A changed stream whose name follows the title only as long as nobody has set one: a request that has a name sets it,
 * unless it repeats both name and mark, as one that sends back what it was given.
 * @param given the request.
 */
export function withNameRule<Changed extends NamedStream>(
  before: NamedStream,
  given: Readonly<Record<string, unknown>>,
  after: Changed,
): Changed {
  const { nameFollowsTitle, ...named } = after;
  const isSet = after.name !== before.name || given.name !== undefined && given.nameFollowsTitle !== true;
  return nameFollowsTitle && !isSet ? after : named as Changed;
}
