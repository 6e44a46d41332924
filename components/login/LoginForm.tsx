import type { ComponentChildren } from "preact";
import { Icon } from "../ui/Icon.tsx";

interface LoginFormProps {
  /** The path of the next page, on our site. */
  next: string;
  /** The name that was typed the last time. */
  user: string;
  /** Why the last try did not work. */
  problem: ComponentChildren;
  /** Whether the person has just logged out. */
  isOut: boolean;
}

/** The login as a plain form: it works without JavaScript. */
export function LoginForm({ next, user, problem, isOut }: LoginFormProps) {
  // after a mistyped password a person need not type the name again
  const isRetry = user !== "";
  const invalid = problem ? "true" : undefined;
  const describedBy = problem ? "login-problem" : undefined;
  return (
    <main id="main" class="login">
      <form method="post" action="/login">
        <p class="login-brand">
          <Icon name="logo" />
          <span>Browser Stream</span>
        </p>
        <h1>Log in</h1>
        {isOut && <p role="status">You are logged out.</p>}
        {problem && <p class="problem" id="login-problem" role="alert">{problem}</p>}
        <div class="field">
          <label for="login-user">User name</label>
          <input
            id="login-user"
            name="user"
            type="text"
            required
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
            value={user}
            autofocus={!isRetry}
            aria-invalid={invalid}
            aria-describedby={describedBy}
          />
        </div>
        <div class="field">
          <label for="login-pass">Password</label>
          <input
            id="login-pass"
            name="pass"
            type="password"
            required
            autocomplete="current-password"
            autofocus={isRetry}
            aria-invalid={invalid}
            aria-describedby={describedBy}
          />
        </div>
        <input type="hidden" name="next" value={next} />
        <button type="submit" class="primary">Log in</button>
        <details class="login-forgotten">
          <summary>Forgot your password?</summary>
          <p>
            An admin sets another one on the page People. On the service's machine this does it, too:{" "}
            <code>browser-stream user password NAME</code>
          </p>
        </details>
      </form>
    </main>
  );
}
