/** Ends the session and opens the login page. @param isEverywhere ends the sessions of all browsers. */
export function logOut(isEverywhere = false): void {
  const form = document.createElement("form");
  form.method = "post";
  form.action = isEverywhere ? "/logout?everywhere" : "/logout";
  document.body.append(form);
  form.submit();
}
