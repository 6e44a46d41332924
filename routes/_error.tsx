import { HttpError } from "fresh";
import { define } from "../lib/app.ts";
import { MessagePage } from "../components/ui/MessagePage.tsx";

export default define.page(function ErrorPage({ error }) {
  // Anything but an HttpError may carry internals, so only those messages are shown.
  const isOurs = error instanceof HttpError && error.status < 500;
  return (
    <MessagePage title={isOurs ? "This did not work" : "Something broke on our side"}>
      {isOurs && error.message
        ? <p>{error.message}</p>
        : <p>Try again in a moment. If it happens again, the service's log says why.</p>}
    </MessagePage>
  );
});
