import { HttpError } from "fresh";
import { define } from "../lib/app.ts";
import { MessagePage } from "../components/ui/MessagePage.tsx";

/** The message of a 404 that was given none. */
const NOT_FOUND = new HttpError(404).message;

export default define.page(function ErrorPage({ error }) {
  const [title, text] = explain(error);
  return (
    <MessagePage title={title}>
      <p>{text}</p>
    </MessagePage>
  );
});

function explain(error: unknown): [title: string, text: string] {
  // Anything but an HttpError may carry internals, so only those messages are shown.
  if (!(error instanceof HttpError) || error.status >= 500) {
    const text = "Try again in a moment. If it happens again, the service's log says why.";
    return ["Something broke on our side", text];
  }
  if (error.status !== 404) return ["This did not work", error.message];
  if (error.message !== NOT_FOUND) return ["Page not found", error.message];
  const text = "There is nothing at this address. Check it for typing errors, or go back to the streams.";
  return ["Page not found", text];
}
