import { HttpError } from "fresh";
import { MessagePage } from "../components/ui/MessagePage.tsx";
import { NoSuchStream } from "../components/ui/NoSuchStream.tsx";
import { define } from "../lib/app.ts";
import { NoSuchStreamError } from "../lib/errors.ts";

export default define.page(function ErrorPage({ error }) {
  // anything but an HttpError may carry internals, so only those messages are shown
  const known = error instanceof HttpError && error.status < 500 ? error : null;
  if (known?.cause instanceof NoSuchStreamError) return <NoSuchStream id={known.cause.id} />;
  if (known?.status === 404) {
    return (
      <MessagePage title="Page not found">
        <p>There is nothing at this address. Check it for typing errors, or go back to the streams.</p>
      </MessagePage>
    );
  }
  return (
    <MessagePage title={known ? "This did not work" : "Something broke on our side"}>
      {known?.message
        ? <p>{known.message}</p>
        : <p>Try again in a moment. If it happens again, the service's log says why.</p>}
    </MessagePage>
  );
});
