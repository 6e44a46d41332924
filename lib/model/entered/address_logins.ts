/**
 * Logins in a stream's addresses, "http://user:password@host/": browsers do not use them for a page, and everybody reads
 * addresses. So they become the fields user and pass, which are kept and hidden. Pure, also for the form.
 */
import { loginOriginsProblem, mayReceivePassword, parseOrigins } from "../login_origins.ts";
import { streamFields } from "../schema.ts";
import { type AddressLogin, completeAddress, loginInAddress } from "../web_address.ts";

type Fields = Record<string, unknown>;

const ADDRESS_FIELDS = ["url", "morePages", "plan"] as const;

/** What exports of earlier versions have in the place of a login. */
const REMOVED = "REMOVED";

/** Logins of a stored stream that no field can take. By its name it is a secret of the record: see `hiddenFields`. */
const LEFT = "addressCredentials";

interface Found extends AddressLogin {
  field: typeof ADDRESS_FIELDS[number];
  /** The address as it was typed. */
  typed: string;
}

export interface TakenApart {
  /** The fields with the logins in the fields for them. */
  fields: Fields;
  /** Why a login has no place, by field. */
  problems: Record<string, string>;
}

/** The fields without the logins, which are given to `take`. */
function without(fields: Fields, take: (login: Found) => void): Fields {
  const bare = { ...fields };
  for (const field of ADDRESS_FIELDS) {
    const text = fields[field];
    if (typeof text !== "string" || !text.includes("@")) continue;
    const change = (typed: string) => {
      const login = loginInAddress(typed);
      if (!login) return typed;
      take({ ...login, field, typed });
      return login.url;
    };
    bare[field] = field === "url" ? change(text) : text.replace(/\S+/g, change);
  }
  return bare;
}

const isRemoved = ({ user, pass }: Found) => user === REMOVED && pass === "";

const isSame = (one: Found, other: Found) => one.user === other.user && one.pass === other.pass;

const text = (value: unknown) =>
  Array.isArray(value) ? value.join(" ") : typeof value === "string" ? value : "";

const originOf = ({ url }: Found) => new URL(url).origin;

/** Whether a login's page may have the password of a stream with these fields. */
function isReached(login: Found, fields: Fields): boolean {
  const url = completeAddress(text(fields.url).trim());
  return URL.canParse(url) && mayReceivePassword(originOf(login), url, text(fields.loginOrigins));
}

/** The login that becomes the stream's: its own page's, or another page's of the same sites; null: there is none. */
function ownLogin(found: readonly Found[], fields: Fields): Found | null {
  return found.find(({ field }) => field === "url") ?? found.find((login) => isReached(login, fields)) ??
    null;
}

const EXAMPLE = "Example: https://intern.example.org/";

const WAY = `Make it a stream of its own, or leave the login out of the address. ${EXAMPLE}`;

const OTHER_LOGIN = `An address has another login than the stream's own page, and a stream has one. ${WAY}`;
const OTHER_SITE = `An address has the login of another site than the stream's own page. ${WAY}`;

/**
 * The fields of a request, with the logins of its addresses in user and pass. A site that has the own page's login in its
 * address, too, is added to loginOrigins. @param known the stored stream that is changed.
 */
export function takenApart(given: Fields, known: Fields = {}): TakenApart {
  const found: Found[] = [];
  const fields = without(given, (login) => isRemoved(login) || found.push(login));
  if (found.length === 0) return { fields, problems: {} };
  const problems: Record<string, string> = {};
  const places = { url: fields.url ?? known.url, loginOrigins: fields.loginOrigins ?? known.loginOrigins };
  const own = ownLogin(found, places);
  const added = new Set<string>();
  for (const login of found) {
    if (own && isSame(login, own) && isReached(login, places)) continue;
    if (own?.field === "url" && isSame(login, own)) added.add(originOf(login));
    else problems[login.field] ??= own && !isSame(login, own) ? OTHER_LOGIN : OTHER_SITE;
  }
  if (added.size > 0) fields.loginOrigins = [text(places.loginOrigins), ...added].filter(Boolean).join(" ");
  for (const field of ["user", "pass"] as const) {
    const value = own?.[field] ?? "";
    if (value === "") continue;
    // a further page does not change the stored login
    if (
      own && own.field !== "url" && given[field] === undefined && !["", value].includes(text(known[field]))
    ) {
      problems[own.field] ??= OTHER_LOGIN;
      continue;
    }
    const isOther = typeof given[field] === "string" && given[field] !== "" && given[field] !== value;
    if (!isOther) fields[field] = value;
    else {
      const word = field === "user" ? "user name" : "password";
      problems[field] = `The page's address has another ${word}. Leave one of them out. ${EXAMPLE}`;
    }
  }
  return { fields, problems };
}

/** Whether the fields for a login take one: passwords such as tokens may be too long for them. */
function isTakenByFields({ user, pass }: Found): boolean {
  const { shape } = streamFields;
  return shape.user.safeParse(user).success && shape.pass.safeParse(pass).success;
}

/**
 * The fields of a stored record, taken apart likewise, but none is refused: the record's own user and pass win, and a login
 * without a place stays in the record, hidden.
 */
export function storedApart(record: Fields): TakenApart {
  const found: Found[] = [];
  const fields = without(record, (login) => isRemoved(login) || found.push(login));
  if (found.length === 0) return { fields, problems: {} };
  const own = ownLogin(found, fields);
  const [user, pass] = [text(record.user), text(record.pass)];
  const isTaken = own !== null && isTakenByFields(own) && (user === "" || user === own.user) &&
    (pass === "" || pass === own.pass);
  if (isTaken) Object.assign(fields, { user: own.user, pass: own.pass });
  const left = found.filter((login) => {
    if (!isTaken || !isSame(login, own)) return true;
    if (isReached(login, fields)) return false;
    const origins = [...new Set([...parseOrigins(text(fields.loginOrigins)) ?? [], originOf(login)])];
    const asText = origins.join(" ");
    if (own.field !== "url" || loginOriginsProblem(asText) !== null) return true;
    fields.loginOrigins = asText;
    return false;
  });
  if (left.length > 0) {
    const before = Array.isArray(record[LEFT]) ? record[LEFT] : [];
    fields[LEFT] = [...before, ...left.map(({ typed }) => typed)];
  }
  return { fields, problems: {} };
}

/** Whether an export of an earlier version has left a login out of an address. */
export function lacksLogin(record: Fields): boolean {
  let isLacking = false;
  without(record, (login) => isLacking ||= isRemoved(login));
  return isLacking;
}
