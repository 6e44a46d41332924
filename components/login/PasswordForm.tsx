import type { HeaderFacts } from "../../lib/model/answers/header.ts";
import { PageHeader } from "../header/PageHeader.tsx";

/** The outcome of the form; "": there is none. */
export interface PasswordNews {
  problem: string;
  done: string;
}

interface PasswordFormProps extends PasswordNews {
  header: HeaderFacts;
  /** The user who is logged in; null: nobody logs in. */
  person: { name: string; by: "environment" | "users" | "proxy" } | null;
}

/** Why a password cannot be changed here. */
const ELSEWHERE = {
  environment: "AUTH_PASS sets your password. Ask the person who runs the service to change it.",
  proxy: "Your reverse proxy checks your password. Change it there.",
  nobody: "This service has no login, so you have no password.",
};

/** The own password, as a plain form: it works without JavaScript. */
export function PasswordForm({ header, person, problem, done }: PasswordFormProps) {
  const by = person?.by ?? "nobody";
  return (
    <>
      <PageHeader header={header} />
      <main id="main" class="page column people">
        <h1>Password</h1>
        {done !== "" && <p role="status">{done}</p>}
        {by !== "users"
          ? <p>{ELSEWHERE[by]}</p>
          : (
            <form method="post" action="/password" class="box person-row person-form">
              <h2>{person!.name}</h2>
              {problem !== "" && <p class="problem" role="alert">{problem}</p>}
              {/* for the browser's store of passwords */}
              <input type="hidden" name="user" autocomplete="username" value={person!.name} />
              <label>
                <span>Current password</span>
                <input name="now" type="password" required autocomplete="current-password" />
              </label>
              <label>
                <span>New password</span>
                <input name="password" type="password" required minLength={8} autocomplete="new-password" />
              </label>
              <button type="submit" class="primary">Change password</button>
            </form>
          )}
      </main>
    </>
  );
}
