import type { HeaderFacts } from "../../lib/model/answers/header.ts";
import { Icon } from "../ui/Icon.tsx";

/** The name and role of the person, which open what is the person's own. The browser opens and closes it by itself. */
export function WhoYouAre({ name, role, isForAll }: NonNullable<HeaderFacts["person"]>) {
  return (
    <>
      {/* Preact's types lack `popovertarget` */}
      <button type="button" class="quiet who" {...{ popovertarget: "who" }}>
        <Icon name="person" />
        <span class="who-text">
          <span>{name}</span> <span>{role}</span>
        </span>
        <Icon name="chevron" />
      </button>
      <div id="who" class="who-menu" popover="auto" role="group" aria-label="Your login">
        <p class="wrap">
          <strong>{name}</strong> {role}
        </p>
        <a class="menu-item" href="/password">
          <Icon name="key" />Password
        </a>
        <form method="post" action="/logout">
          <button type="submit" class="menu-item">
            <Icon name="logout" />Log out
          </button>
          <details>
            <summary class="menu-item">
              <Icon name="logout" />Log out everywhere…
            </summary>
            <p>
              {isForAll ? "All browsers, screens and players" : "All your browsers, screens and players"}{" "}
              must log in again, including this one. Remote browser windows close. The streams keep running.
            </p>
            <button type="submit" class="danger" formaction="/logout?everywhere">Log out everywhere</button>
          </details>
        </form>
      </div>
    </>
  );
}
