import { HttpError } from "fresh";
import { Head } from "fresh/runtime";
import { MessagePage } from "../components/ui/MessagePage.tsx";
import { TvKeys } from "../islands/TvKeys.tsx";
import { define, headerOf } from "../lib/app.ts";
import { NoSuchStreamError, NoSuchWallError, ServiceError } from "../lib/errors.ts";

export default define.page(function ErrorPage({ error, state, url }) {
  const { title, text } = messageOf(error);
  return (
    <>
      <Head>
        <title>{`${title} · Browser Stream`}</title>
      </Head>
      <TvKeys />
      <MessagePage header={state.admitted ? headerOf({ state, url }) : null} title={title}>
        <p>{text}</p>
      </MessagePage>
    </>
  );
});

function missing(what: string, id: string): { title: string; text: string } {
  return {
    title: `No such ${what}`,
    text: `There is no ${what} “${
      id.slice(0, 63)
    }”. It may have been deleted, or its address has a typing error.`,
  };
}

function messageOf(error: unknown): { title: string; text: string } {
  // other errors than an HttpError may carry internals, so only its messages are shown
  const known = error instanceof HttpError && error.status < 500 ? error : null;
  if (known?.cause instanceof NoSuchStreamError) return missing("stream", known.cause.id);
  if (known?.cause instanceof NoSuchWallError) return missing("wall", known.cause.id);
  if (known?.status === 404) {
    return {
      title: "Page not found",
      text: "There is nothing at this address. Check it for typing errors, or go back to the streams.",
    };
  }
  if (error instanceof HttpError && error.cause instanceof ServiceError && error.status === 503) {
    return { title: "The service cannot do this now", text: error.cause.message };
  }
  return {
    title: known ? "The request failed" : "The service has an error",
    text: known?.message || "Try again in a moment. If it happens again, look into the service's log.",
  };
}
