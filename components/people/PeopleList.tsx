import type { UserInfo } from "../../lib/model/answers/shapes.ts";
import { ROLE_USES, ROLES } from "../../lib/role.ts";
import type { HeaderFacts } from "../../lib/model/answers/header.ts";
import { PageHeader } from "../header/PageHeader.tsx";

/** The problem of a form that was sent. */
export interface PeopleProblem {
  /** The user whose form it was; "": the form of a new user. */
  user: string;
  message: string;
  /** The typed fields, but for the password. */
  name?: string;
  role?: string;
}

export interface PeopleListProps {
  header: HeaderFacts;
  people: readonly UserInfo[];
  /** The user who looks at the page; null: nobody logs in yet. */
  me: string | null;
  /** Whether a proxy says who people are. */
  isByProxy: boolean;
  problem: PeopleProblem | null;
  /** The outcome of the last form; "": nothing was sent yet. */
  done: string;
}

/** The people who may log in, as plain forms: the page works without JavaScript, by keyboard and on a TV. */
export function PeopleList({ header, people, me, isByProxy, problem, done }: PeopleListProps) {
  return (
    <>
      <PageHeader header={header} />
      <main id="main" class="page column people">
        <h1>People</h1>
        <dl class="people-roles">
          {ROLES.map((role) => (
            <div key={role}>
              <dt>{role}</dt>
              <dd class="quiet-text">{ROLE_USES[role]}</dd>
            </div>
          ))}
        </dl>
        {isByProxy && (
          <p class="quiet-text">
            People whom your reverse proxy logs in (TRUSTED_USER_HEADER) are not listed here.
          </p>
        )}
        {done !== "" && <p role="status">{done}</p>}
        {people.length === 0 && (
          <p>
            There is no login: everyone who can reach this address can do everything. Add the first admin.
            Then everybody must log in.
          </p>
        )}
        <ul>
          {people.map((person) => (
            <PersonRow
              key={person.name}
              person={person}
              isMe={person.name === me}
              problem={problem?.user === person.name ? problem.message : ""}
            />
          ))}
        </ul>
        <AddForm isFirst={people.length === 0} problem={problem?.user === "" ? problem : null} />
      </main>
    </>
  );
}

interface PersonRowProps {
  person: UserInfo;
  isMe: boolean;
  problem: string;
}

function PersonRow({ person: { name, role, by }, isMe, problem }: PersonRowProps) {
  const head = (
    <>
      <strong class="wrap">{name}</strong> {isMe && <span class="quiet-text">you</span>}{" "}
      <span class="person-role">{role}</span>
    </>
  );
  if (by === "environment") {
    return (
      <li class="box person-row">
        <p>{head}</p>
        <p class="quiet-text">AUTH_USER and AUTH_PASS in the environment set it.</p>
      </li>
    );
  }
  return (
    <li>
      <details class="person-row folded" open={problem !== ""}>
        <summary>{head}</summary>
        {problem !== "" && <p class="problem" role="alert">{problem}</p>}
        <form method="post" action="/people" class="person-form">
          <input type="hidden" name="user" value={name} />
          <label>
            <span>Role</span>
            <RoleChoice name={name} role={role} />
          </label>
          <button type="submit" name="do" value="role" aria-label={`Change role: ${name}`}>
            Change role
          </button>
        </form>
        <form method="post" action="/people" class="person-form">
          <input type="hidden" name="user" value={name} />
          <label>
            <span>New password</span>
            <input
              name="password"
              type="password"
              required
              minLength={8}
              autocomplete="new-password"
              aria-label={`New password: ${name}`}
            />
          </label>
          <label>
            <span>The same again</span>
            <input
              name="again"
              type="password"
              required
              autocomplete="new-password"
              aria-label={`New password again: ${name}`}
            />
          </label>
          <button type="submit" name="do" value="password" aria-label={`Change password: ${name}`}>
            Change password
          </button>
        </form>
        <form method="post" action="/people" class="person-ends">
          <input type="hidden" name="user" value={name} />
          <button type="submit" name="do" value="logout" aria-label={`Log out everywhere: ${name}`}>
            Log out everywhere
          </button>
          <details class="folded">
            <summary aria-label={`Remove… ${name}`}>Remove…</summary>
            <button type="submit" class="danger" name="do" value="remove">
              Remove {name}, and end all sessions
            </button>
          </details>
        </form>
      </details>
    </li>
  );
}

function RoleChoice({ name, role }: { name: string; role: string }) {
  return (
    <select name="role" aria-label={name === "" ? undefined : `Role: ${name}`}>
      {ROLES.map((one) => <option key={one} value={one} selected={one === role}>{one}</option>)}
    </select>
  );
}

function AddForm({ isFirst, problem }: { isFirst: boolean; problem: PeopleProblem | null }) {
  return (
    <form method="post" action="/people" class="box person-row person-form">
      <h2>{isFirst ? "Add the first admin" : "Add a person"}</h2>
      {problem && <p class="problem" role="alert">{problem.message}</p>}
      <label>
        <span>Name</span>
        <input
          name="name"
          type="text"
          required
          maxLength={64}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          value={problem?.name ?? ""}
        />
      </label>
      <label>
        <span>Role</span>
        <RoleChoice name="" role={problem?.role ?? (isFirst ? "admin" : "viewer")} />
      </label>
      <label>
        <span>Password, 8 characters or more</span>
        <input name="password" type="password" required minLength={8} autocomplete="new-password" />
      </label>
      <label>
        <span>The same password again</span>
        <input name="again" type="password" required autocomplete="new-password" />
      </label>
      <button type="submit" class="primary" name="do" value="add">Add</button>
    </form>
  );
}
