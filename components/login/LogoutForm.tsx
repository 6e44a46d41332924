/** Logs out without JavaScript. */
export function LogoutForm() {
  return (
    <form method="post" action="/logout">
      <button type="submit">Log out</button>
    </form>
  );
}
