import { MessagePage } from "./MessagePage.tsx";

/** The page in the place of a player whose stream was deleted, or never was. */
export function NoSuchStream({ id }: { id: string }) {
  return (
    <MessagePage title="No such stream">
      <p>
        There is no stream “{id.slice(0, 63)}”. It may have been deleted, or its address has a typing error.
      </p>
    </MessagePage>
  );
}
